import { isDeepStrictEqual } from 'node:util'
import type { Document, Metadata } from '../domain/document.ts'
import { isProlepsisError } from '../domain/errors.ts'
import { parseTime } from '../domain/time.ts'
import type { Trust } from '../domain/trust.ts'
import { assertWellFormedJson } from '../domain/well-formed.ts'
import { readFrontMatter as readFrontMatterBlock } from './chunk/front-matter.ts'
import { markdownTitle } from './extract/extract-text.ts'
import type { RetainRequest } from './retain-options.ts'
import type { ExtractedText } from './stages.ts'

/** What is said about a document beside its text. */
export interface DocumentLabels {
  readonly tags: readonly string[]
  readonly metadata: Metadata
  readonly trust: Trust
  readonly title: string | null
  readonly occurredAt: Date | null
}

/** Whether every label that was given is already so. */
export function labelsHold(document: Document, request: RetainRequest): boolean {
  return (
    (request.tags === undefined || sameTags(request.tags, document.tags)) &&
    (request.metadata === undefined || isDeepStrictEqual(request.metadata, document.metadata)) &&
    (request.trust === undefined || request.trust === document.trust) &&
    (request.title === undefined || request.title === document.title) &&
    (request.occurredAt === undefined || request.occurredAt.getTime() === document.occurredAt?.getTime())
  )
}

export function sameLabels(a: DocumentLabels, b: DocumentLabels): boolean {
  return (
    sameTags(a.tags, b.tags) &&
    isDeepStrictEqual(a.metadata, b.metadata) &&
    a.trust === b.trust &&
    !changesCues(a, b)
  )
}

/** Whether cues must be derived anew: they speak of the title, and count dates from occurredAt. */
export function changesCues(a: DocumentLabels, b: DocumentLabels): boolean {
  return a.title !== b.title || a.occurredAt?.getTime() !== b.occurredAt?.getTime()
}

const sameTags = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && new Set([...a, ...b]).size === a.length

/**
 * The labels of a document: what was given, then what the text's own front matter says, then what held before. Tags and
 * metadata belong to the source and outlive its text; title, time and trust belong to the text.
 *
 * @param before the document at the source, or null
 * @param sameText whether it has the same text
 */
export function labelsOf(
  request: RetainRequest,
  extracted: ExtractedText,
  before: DocumentLabels | null,
  sameText: boolean,
  defaultTrust: Trust,
): { readonly labels: DocumentLabels; readonly notes: readonly string[] } {
  const front = readFrontMatter(extracted.frontMatter)
  const ofText = sameText ? before : null
  const tags = request.tags ?? (front.tags.length > 0 ? [] : (before?.tags ?? []))
  const metadata = request.metadata ?? (Object.keys(front.rest).length > 0 ? {} : (before?.metadata ?? {}))
  return {
    labels: {
      tags: [...new Set([...tags, ...front.tags])],
      metadata: { ...front.rest, ...metadata },
      trust: request.trust ?? ofText?.trust ?? defaultTrust,
      title: request.title ?? (ofText === null ? extracted.title : ofText.title),
      occurredAt: request.occurredAt ?? (ofText === null ? front.date : ofText.occurredAt),
    },
    notes: front.notes,
  }
}

/** The labels of a Markdown document after a part of its text was forgotten: without what only that part said. */
export function labelsWithout(labels: DocumentLabels, before: string, after: string): DocumentLabels {
  const [then, now] = [labelsInText(before), labelsInText(after)]
  const isOfText = ([key, value]: [string, unknown]): boolean =>
    key in then.rest && !(key in now.rest) && isDeepStrictEqual(value, then.rest[key])
  return {
    ...labels,
    title: labels.title === then.title ? now.title : labels.title,
    tags: labels.tags.filter((tag) => !then.tags.includes(tag) || now.tags.includes(tag)),
    metadata: Object.fromEntries(Object.entries(labels.metadata).filter((entry) => !isOfText(entry))),
  }
}

function labelsInText(text: string): FrontMatterLabels & { readonly title: string | null } {
  const values = readFrontMatterBlock(text)?.values ?? {}
  return { ...readFrontMatter(values), title: markdownTitle(text, values) }
}

interface FrontMatterLabels {
  readonly tags: readonly string[]
  readonly date: Date | null
  readonly rest: Metadata
  readonly notes: readonly string[]
}

/** Tags, date and the other keys; what cannot be kept is left out and noted. */
function readFrontMatter(values: Readonly<Record<string, unknown>>): FrontMatterLabels {
  const none = { tags: [], date: null, rest: {} }
  if (Object.keys(values).length === 0) return { ...none, notes: [] }
  let plain: Record<string, unknown>
  try {
    plain = JSON.parse(JSON.stringify(values))
    assertWellFormedJson(plain, 'the front matter')
  } catch {
    // the text itself is kept whole; only its labels cannot be stored as JSON
    return { ...none, notes: ['front matter was left out: it cannot be stored'] }
  }
  const { tags, date, title: _title, ...rest } = plain
  const time = readDate(date)
  return {
    tags: readTags(tags),
    date: time,
    rest,
    notes:
      time === null && date !== undefined && date !== null
        ? ['the date of the front matter is not a time']
        : [],
  }
}

function readTags(value: unknown): readonly string[] {
  const items: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : []
  return items
    .filter((item) => typeof item === 'string' || typeof item === 'number')
    .map((item) => String(item).trim().replace(/^#/, '').slice(0, 200))
    .filter((tag) => tag !== '')
}

function readDate(value: unknown): Date | null {
  if (value === undefined || value === null) return null
  try {
    return parseTime(value, 'date')
  } catch (error) {
    if (isProlepsisError(error)) return null
    throw error
  }
}
