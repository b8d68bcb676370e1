import type { Citation } from '../domain/answer.ts'
import type { Evidence } from './evidence.ts'
import { type FoundQuote, findExact, findFolded } from './find-quote.ts'
import type { DraftCitation } from './reply-schemas.ts'

/** Citations of one sentence that are looked at. */
const MOST_CITATIONS = 12
/** A quote under a wrong number is looked for elsewhere when it has so many words. */
const DISTINCT_WORDS = 4

/** A citation with the evidence that it is in. */
export interface Located {
  readonly citation: Citation
  readonly evidence: Evidence
}

/**
 * The citations whose quote is found in the passage that they name. A quote that stands word for word in exactly one other passage is cited
 * from there: models mix up numbers. Everything else is left out; a place is cited once.
 */
export function locate(drafted: readonly DraftCitation[], evidence: readonly Evidence[]): Located[] {
  const found = new Map<string, Located>()
  for (const { id, quote } of drafted.slice(0, MOST_CITATIONS)) {
    const named = evidence[id - 1]
    const inNamed = named === undefined ? null : findFolded(quote, named.text, named.folded())
    const located =
      named !== undefined && inNamed !== null ? ([named, inNamed] as const) : elsewhere(quote, evidence)
    if (located === null) continue
    const [where, at] = located
    const key = `${where.chunkId} ${at.start} ${at.end}`
    if (!found.has(key)) found.set(key, { citation: citationOf(where, at), evidence: where })
  }
  return [...found.values()]
}

function elsewhere(quote: string, evidence: readonly Evidence[]): readonly [Evidence, FoundQuote] | null {
  if (quote.split(/\s+/).length < DISTINCT_WORDS) return null
  const places = evidence.flatMap((one) => {
    const at = findExact(quote, one.folded())
    return at === null ? [] : [[one, at] as const]
  })
  return places.length === 1 ? (places[0] ?? null) : null
}

/** A place in a chunk as a citation, with its span in the document. */
export function citationOf(where: Evidence, { start, end, match }: FoundQuote): Citation {
  const before = where.text.slice(0, start)
  const quote = where.text.slice(start, end)
  const startByte = where.startByte + Buffer.byteLength(before)
  const startLine = where.startLine + lineBreaks(before)
  const { ref, chunkId, source, occurredAt, trust } = where
  return {
    ...{ ref, chunkId, source, occurredAt, trust, quote, inChunk: { start, end } },
    span: {
      startByte,
      endByte: startByte + Buffer.byteLength(quote),
      startLine,
      endLine: startLine + lineBreaks(quote),
    },
    match,
  }
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1
}
