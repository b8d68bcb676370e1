import { jsonrepair } from 'jsonrepair'
import { closeCut, scanJson } from './scan-json.ts'

/** Why a reply is not what was asked for: nothing in it, no JSON in it, JSON past repair, JSON of another form. */
export type ReplyErrorKind = 'empty' | 'prose' | 'malformed' | 'schema'

export type JsonReading =
  | {
      readonly values: readonly [unknown, ...unknown[]]
      /** None of them stands there as JSON: all were repaired. */
      readonly isRepaired: boolean
    }
  | { readonly errorKind: Exclude<ReplyErrorKind, 'schema'> }

/**
 * JSON values that a model's reply may mean, likeliest first: the whole reply; whole objects and arrays in it, the longest first; a cut one,
 * closed after its last whole item; what can be repaired (trailing commas, single quotes, comments, missing brackets). Thinking, fences and
 * prose around are passed over, and so is what the reply repeats of `prompts`. Never throws.
 */
export function readJson(reply: string, prompts: readonly string[] = []): JsonReading {
  const spoken = withoutThinking(reply).trim()
  const own = withoutPrompts(spoken, prompts).trim()
  // the whole reply may speak of thinking, or of the prompt, inside its strings
  const values = [...parsed(reply, JSON.parse), ...parsed(own, JSON.parse)]
  const text = own.slice(0, LONGEST_SCAN)
  if (text === '' && values.length === 0) return { errorKind: spoken === '' ? 'empty' : 'prose' }
  const { whole, cut, brackets } = jsonIn(text)
  const found = whole.flatMap((part) => parsed(part.source, JSON.parse).map((value) => ({ ...part, value })))
  const closed = cut.sources.flatMap((source) => parsed(source, JSON.parse))
  const isAround = cut.start < (whole[0]?.start ?? 0)
  if (isAround) values.push(...closed)
  values.push(...found.toSorted((a, b) => b.source.length - a.source.length).map(({ value }) => value))
  if (!isAround) values.push(...closed)
  // one value a line, or one after the other
  if (found.length > 1) values.push(found.map(({ value }) => value))
  const isRepaired = values.length === 0
  for (const source of brackets.slice(0, 3).flatMap((start) => repairable(text, start))) {
    values.push(...parsed(source, (broken) => JSON.parse(jsonrepair(broken))).filter(isContainer))
  }
  const [first, ...others] = values
  // JSON has no undefined: there is no first
  if (first !== undefined) return { values: [first, ...others], isRepaired }
  return { errorKind: brackets.length > 0 ? 'malformed' : 'prose' }
}

function parsed(source: string, parse: (source: string) => unknown): unknown[] {
  try {
    return [parse(source)]
  } catch {
    // no JSON: another reading is tried
    return []
  }
}

/** Characters: a reply is never longer, but for a model that has lost its way. */
const LONGEST_REPAIR = 200_000

/** What begins there, to the last closing bracket, and to the end. */
function repairable(text: string, start: number): string[] {
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1
  const sources = [
    ...(last > start && last < text.length ? [text.slice(start, last)] : []),
    text.slice(start),
  ]
  return sources.filter((source) => source.length <= LONGEST_REPAIR)
}

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The reply without the thinking that a model wrote into it; thinking that never ends is all there is. */
export function withoutThinking(reply: string): string {
  const tags = [...reply.matchAll(/<(\/?)(?:think|thinking|reasoning)>/gi)]
  let text = ''
  let from = 0
  let isThinking = false
  for (const { index, 0: tag, 1: slash } of tags) {
    if (slash === '') {
      if (!isThinking) text += reply.slice(from, index)
      isThinking = true
    } else {
      // a template of the model's may have opened it before the reply began
      if (!isThinking) text = ''
      isThinking = false
    }
    from = index + tag.length
  }
  return isThinking ? text : text + reply.slice(from)
}

/** A prompt that is repeated word for word, or from its start on, is no reply; short ones may be quoted. */
const LEAST_ECHO = 40

function withoutPrompts(reply: string, prompts: readonly string[]): string {
  let text = reply
  for (const prompt of prompts.map((some) => some.trim()).filter((some) => some.length >= LEAST_ECHO)) {
    const at = text.indexOf(prompt.slice(0, LEAST_ECHO))
    if (at < 0) continue
    let end = 0
    while (end < prompt.length && prompt[end] === text[at + end]) end++
    text = text.slice(0, at) + text.slice(at + end)
  }
  return text
}

/** Characters that may be looked at more than once, for each character of the text: many brackets that are none cost no more. */
const MOST_RESCANS = 16
/** What a bracket costs that begins no JSON: the scan may go a hundred brackets deep before it is known. */
const NO_JSON_COST = 2_000
const LEAST_WORK = 200 * NO_JSON_COST
/** Characters of a reply that are looked through; the whole of it may still be JSON as it stands. */
const LONGEST_SCAN = 300_000

interface JsonParts {
  readonly whole: { readonly source: string; readonly start: number }[]
  /** The first that the end of the text cuts, closed in several ways. */
  readonly cut: { start: number; sources: readonly string[] }
  /** Where brackets stand that begin nothing whole. */
  readonly brackets: number[]
}

function jsonIn(text: string): JsonParts {
  const parts: JsonParts = { whole: [], cut: { start: text.length, sources: [] }, brackets: [] }
  const opening = /[{[]/g
  let work = MOST_RESCANS * text.length + LEAST_WORK
  for (let found = opening.exec(text); found !== null && work > 0; found = opening.exec(text)) {
    const start = found.index
    const end = scanJson(text, start)
    if (typeof end === 'number') {
      parts.whole.push({ source: text.slice(start, end), start })
      opening.lastIndex = end
      continue
    }
    parts.brackets.push(start)
    work -= end === null ? NO_JSON_COST : text.length - start
    if (end === null) continue
    if (parts.cut.sources.length > 0) continue
    parts.cut.start = start
    parts.cut.sources = closeCut(text, start, end)
  }
  return parts
}
