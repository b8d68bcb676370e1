import { MASK, maskSecrets } from '../../domain/mask-secrets.ts'
import { TRACE_CONTENT, type TraceRecord } from '../../observability/trace.ts'

/** Characters of one content string that are kept: a reader of a trace wants no book. */
const MOST_CHARACTERS = 1_000_000
/** Of anything else: codes, names, sources. */
const MOST_PLAIN_CHARACTERS = 10_000

/** Members with sentences of others in them, which may name a secret. */
const SENTENCES: readonly string[] = [...TRACE_CONTENT, 'error', 'degraded']
const CONTENT: readonly string[] = TRACE_CONTENT

/**
 * Makes of a record one that can be kept and handed on: what looks like a secret masked, then the caller's `redact` over every content
 * string, everything cut to a bound and free of what a store cannot hold. Where `redact` throws or gives no text, the content is left out.
 */
export function createRedaction(
  redact: ((text: string) => string) | undefined,
  onError: (error: unknown) => void,
): (record: TraceRecord) => TraceRecord {
  const content = (text: string): string => {
    const masked = maskSecrets(cut(text, MOST_CHARACTERS))
    if (redact === undefined) return masked
    try {
      const redacted: unknown = redact(masked)
      if (typeof redacted === 'string') return storable(redacted)
      onError(new TypeError('it gave no text'))
    } catch (error) {
      onError(error)
    }
    return MASK
  }
  const sentence = (text: string): string => {
    const short = cut(text, MOST_PLAIN_CHARACTERS)
    return redact === undefined ? maskSecrets(short) : content(short)
  }
  return (record) => {
    const members = Object.entries(record).map(([name, value]: [string, unknown]) => {
      const treat = CONTENT.includes(name)
        ? content
        : SENTENCES.includes(name)
          ? sentence
          : (text: string) => cut(text, MOST_PLAIN_CHARACTERS)
      return [name, treated(value, treat)]
    })
    // the same members, each of its own type
    return Object.fromEntries(members) as unknown as TraceRecord
  }
}

/** A record without what was said, asked and answered. */
export function withoutContent(record: TraceRecord): Omit<TraceRecord, (typeof TRACE_CONTENT)[number]> {
  const members = Object.entries(record).map(([name, value]) => [name, CONTENT.includes(name) ? null : value])
  // the members of the record, less some
  return Object.fromEntries(members) as unknown as TraceRecord
}

function treated(value: unknown, treat: (text: string) => string): unknown {
  if (typeof value === 'string') return treat(value)
  if (typeof value === 'number') return inRange(value)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? new Date(0) : value
  if (Array.isArray(value)) return value.map((item: unknown) => treated(item, treat))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, treated(item, treat)]))
}

/** Within what a column of four bytes of floating point takes: PostgreSQL refuses what is too small for it too. */
function inRange(value: number): number {
  if (!Number.isFinite(value) || Math.abs(value) < 1e-30) return 0
  return Math.min(Math.max(value, -1e30), 1e30)
}

function cut(text: string, most: number): string {
  return storable(text.length <= most ? text : `${text.slice(0, most)}… [${text.length - most} more]`)
}

/** Without what PostgreSQL's text cannot hold: NUL, halves of surrogate pairs. */
function storable(text: string): string {
  // with the u flag a surrogate matches only where it has no partner
  return text.replace(/[\0\uD800-\uDFFF]/gu, '\uFFFD')
}
