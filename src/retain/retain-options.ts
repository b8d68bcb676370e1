import { isBlank } from '../domain/blank.ts'
import type { Metadata } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import { assertPlainJson } from '../domain/plain-json.ts'
import { checkPrompts, type PromptTexts } from '../domain/prompt-files.ts'
import type { RetainOptions } from '../domain/retain.ts'
import { parseTime } from '../domain/time.ts'
import { TRUST_LEVELS, type Trust } from '../domain/trust.ts'
import { assertWellFormed } from '../domain/well-formed.ts'

/** Questions of the caller: for the whole text, or by chunk ordinal. */
export type CallerQuestions =
  | { readonly kind: 'whole'; readonly questions: readonly string[] }
  | { readonly kind: 'by-chunk'; readonly questions: ReadonlyMap<number, readonly string[]> }

/** Options of retain, checked. What was not given is undefined: what stands in for it depends on what is there. */
export interface RetainRequest {
  readonly source: string | undefined
  readonly mediaType: string | undefined
  readonly questions: CallerQuestions | undefined
  readonly tags: readonly string[] | undefined
  readonly metadata: Metadata | undefined
  readonly occurredAt: Date | undefined
  readonly trust: Trust | undefined
  readonly title: string | undefined
  readonly prompts: Pick<PromptTexts, 'questions'> | undefined
  readonly enrich: boolean | undefined
  readonly signal: AbortSignal | undefined
}

/** An index row of PostgreSQL holds about 2,700 bytes. */
const MAX_SOURCE_BYTES = 2000
const MAX_TAG_LENGTH = 200
const MAX_TITLE_LENGTH = 2000
const MAX_QUESTION_LENGTH = 10_000
const MAX_METADATA_BYTES = 1_000_000

type Reader<T> = (value: unknown, option: string) => T
const READERS: { readonly [Name in keyof RetainRequest]: Reader<NonNullable<RetainRequest[Name]>> } = {
  source: readSource,
  mediaType: readMediaType,
  questions: readQuestions,
  tags: readTags,
  metadata: readMetadata,
  occurredAt: parseTime,
  trust: readTrust,
  title: (value, option) => readText(value, option, MAX_TITLE_LENGTH),
  prompts: (value, option) => checkPrompts(value, option, ['questions']),
  enrich: readFlag,
  signal: readSignal,
}
const RETAIN_OPTIONS: readonly string[] = Object.keys(READERS)
/** Those that say how long a call waits: the memory has read them before. */
const WAITING_OPTIONS: readonly string[] = ['await', 'onProgress']

/**
 * Checks the options of retain.
 *
 * @param also further keys that the caller has read already (`content` of an item)
 * @throws ProlepsisError UNKNOWN_OPTION naming the nearest known one, INVALID_ARGUMENT, INVALID_TIME, INVALID_TEXT
 */
export function readRetainOptions(options: RetainOptions, also: readonly string[] = []): RetainRequest {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', 'must be an object')
  }
  for (const key of Object.keys(options)) {
    if (RETAIN_OPTIONS.includes(key) || also.includes(key)) continue
    if (WAITING_OPTIONS.includes(key)) throw invalid(key, 'is not an option of a single item', ITEM_HINT)
    throw new ProlepsisError('UNKNOWN_OPTION', `retain has no option "${key}".`, {
      hint: didYouMean(key, KNOWN_OPTIONS, `Options: ${KNOWN_OPTIONS.join(', ')}.`),
      details: { option: key },
    })
  }
  const read = <Name extends keyof RetainRequest>(name: Name): RetainRequest[Name] | undefined => {
    const value: unknown = options[name]
    return value === undefined ? undefined : READERS[name](value, name)
  }
  return {
    source: read('source'),
    mediaType: read('mediaType'),
    questions: read('questions'),
    tags: read('tags'),
    metadata: read('metadata'),
    occurredAt: read('occurredAt'),
    trust: read('trust'),
    title: read('title'),
    prompts: read('prompts'),
    enrich: read('enrich'),
    signal: read('signal'),
  }
}

const KNOWN_OPTIONS: readonly string[] = [...RETAIN_OPTIONS, ...WAITING_OPTIONS]
const ITEM_HINT = 'Give it to retainMany itself.'

const EXAMPLES: Readonly<Record<string, string>> = {
  source: "source: 'notes/kelly.md'",
  mediaType: "mediaType: 'text/markdown'",
  questions: "questions: ['When is her birthday?']",
  tags: "tags: ['family']",
  metadata: "metadata: { project: 'atlas' }",
  trust: `trust: one of ${TRUST_LEVELS.join(', ')}`,
  title: "title: 'Kelly'",
  prompts: "prompts: { questions: 'Write …' }",
  enrich: 'enrich: false',
  signal: 'signal: AbortSignal.timeout(10_000)',
}

function invalid(option: string, reason: string, hint?: string): ProlepsisError {
  const example = EXAMPLES[option.replace(/[[.].*$/, '')] ?? `an object of ${RETAIN_OPTIONS.join(', ')}`
  return new ProlepsisError('INVALID_ARGUMENT', `${option} ${reason}.`, {
    hint: hint ?? `For example ${example}.`,
    details: { option },
  })
}

function readText(value: unknown, option: string, maxLength: number): string {
  if (typeof value !== 'string') throw invalid(option, 'must be text')
  if (isBlank(value)) throw invalid(option, 'must not be blank')
  if (value.length > maxLength) throw invalid(option, `must have at most ${maxLength} characters`)
  assertWellFormed(value, option)
  return value
}

function readSource(value: unknown, option: string): string {
  const source = readText(value, option, MAX_SOURCE_BYTES)
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) {
    throw invalid(option, `must have at most ${MAX_SOURCE_BYTES} bytes`, 'Shorten it, or use a hash of it.')
  }
  return source
}

function readMediaType(value: unknown, option: string): string {
  const type = readText(value, option, 200).trim().toLowerCase()
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/.test(type)) {
    throw invalid(option, 'is not a media type', 'Give one such as text/markdown or application/pdf.')
  }
  return type
}

function readTags(value: unknown, option: string): readonly string[] {
  if (!Array.isArray(value)) throw invalid(option, 'must be a list of texts')
  return [...new Set(value.map((tag: unknown, at) => readText(tag, `${option}[${at}]`, MAX_TAG_LENGTH)))]
}

function readTrust(value: unknown, option: string): Trust {
  const level = TRUST_LEVELS.find((known) => known === value)
  if (level === undefined) throw invalid(option, `must be one of ${TRUST_LEVELS.join(', ')}`)
  return level
}

function readMetadata(value: unknown, option: string): Metadata {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(option, 'must be an object')
  }
  assertPlainJson(value, option, 'skip')
  const text = JSON.stringify(value)
  if (text.length > MAX_METADATA_BYTES)
    throw invalid(option, `must have at most ${MAX_METADATA_BYTES} bytes as JSON`)
  // a copy: what the store will give back, so that a later comparison compares like with like
  return JSON.parse(text) as Metadata // an object out of JSON
}

/** Questions of a caller: texts, each once. @throws ProlepsisError INVALID_ARGUMENT, INVALID_TEXT */
export function readQuestionTexts(items: unknown, option: string): readonly string[] {
  if (!Array.isArray(items)) throw invalid(option, 'must be a list of texts, or lists by chunk ordinal')
  const texts = items.map((item: unknown, at) => readText(item, `${option}[${at}]`, MAX_QUESTION_LENGTH))
  return [...new Set(texts)]
}

function readQuestions(value: unknown, option: string): CallerQuestions {
  const list = readQuestionTexts
  if (Array.isArray(value)) return { kind: 'whole', questions: list(value, option) }
  if (typeof value !== 'object' || value === null) {
    throw invalid(option, 'must be a list of texts, or lists by chunk ordinal')
  }
  const byChunk = new Map<number, readonly string[]>()
  for (const [key, items] of Object.entries(value)) {
    if (!/^\d{1,9}$/.test(key)) throw invalid(`${option}.${key}`, 'is not a chunk ordinal (0, 1, 2, …)')
    byChunk.set(Number(key), list(items, `${option}.${key}`))
  }
  return { kind: 'by-chunk', questions: byChunk }
}

function readFlag(value: unknown, option: string): boolean {
  if (typeof value === 'boolean') return value
  throw invalid(option, 'must be true or false')
}

function readSignal(value: unknown, option: string): AbortSignal {
  if (value instanceof AbortSignal) return value
  throw invalid(option, 'must be an AbortSignal')
}
