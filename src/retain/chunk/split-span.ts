import { bestCut, wholeCodePoint } from './boundaries.ts'
import type { BoundaryOrder, TokenLimits } from './unit.ts'

const FIRST_GUESS_CHARS_PER_TOKEN = 4
/** A rest of up to so many targets is not cut again if it fits. */
const WHOLE_REST = 1.5
/** UTF-16 units. */
const NEAR_WORD_END = 128
/** Of a longer run of white space boundaries are not sought in the rest: it may be as long as the text. */
const MOST_SPACE = 1000

/**
 * Cuts a span that is too long at natural boundaries into pieces of about the target size.
 * Tokens are counted a few times a piece, so time is linear in the span.
 *
 * @returns the pieces' ends, the last of them `end`
 */
export function splitSpan(
  text: string,
  start: number,
  end: number,
  limits: TokenLimits,
  order: BoundaryOrder,
): number[] {
  const ends: number[] = []
  let from = start
  let charsPerToken = FIRST_GUESS_CHARS_PER_TOKEN
  while (from < end) {
    const cut = nextCut(text, from, end, limits, order, charsPerToken)
    charsPerToken = cut.charsPerToken
    ends.push(cut.end)
    from = cut.end
  }
  return ends
}

interface Cut {
  readonly end: number
  readonly charsPerToken: number
}

function nextCut(
  text: string,
  from: number,
  end: number,
  limits: TokenLimits,
  order: BoundaryOrder,
  ratio: number,
): Cut {
  const { maxTokens, targetTokens, countTokens } = limits
  const count = (to: number): number => countTokens(text.slice(from, to))
  // White space before the first word belongs to its piece and is not measured against the length limit.
  let body = skipSpace(text, from, end)
  if (body === end) {
    if (count(end) <= maxTokens) return { end, charsPerToken: ratio }
    body = from
  }
  const furthest = Math.min(end, body + limits.maxChars)
  let last = wholeCodePoint(text, body, Math.min(furthest, body + Math.ceil(maxTokens * ratio)))
  let tokens = count(last)
  for (let grown = 0; grown < 3 && tokens < maxTokens * 0.8 && last < furthest; grown++) {
    const wanted = body + Math.ceil((last - body) * Math.min(8, maxTokens / Math.max(1, tokens)))
    last = wholeCodePoint(text, body, Math.min(furthest, wanted))
    tokens = count(last)
  }
  while (tokens > maxTokens) {
    const shrunk = wholeCodePoint(text, body, body + Math.floor((last - body) * shrinkBy(maxTokens, tokens)))
    if (shrunk < last) last = shrunk
    // A single code point is left. If white space before it counts, that is cut off by itself.
    else if (body > from && count(body) > 0) {
      body = from
      last = wholeCodePoint(text, from, last - 1)
    } else break
    tokens = count(last)
  }
  // The estimate may stop short of the end of a first word that would fit.
  const wordEnd = endOfWord(text, body, furthest)
  if (wordEnd > last && wordEnd - last <= Math.max(last - body, NEAR_WORD_END)) {
    const wordTokens = count(wordEnd)
    if (wordTokens <= maxTokens) {
      last = wordEnd
      tokens = wordTokens
    }
  }
  if (tokens > maxTokens)
    return { end: withTrailingSpace(text, from, last, end, limits), charsPerToken: ratio }
  const lastWord = last
  last = withTrailingSpace(text, from, last, end, limits)
  const charsPerToken = Math.max(0.1, (last - from) / Math.max(1, tokens))
  const rest = end - from
  if (last === end && tokens <= Math.max(targetTokens * WHOLE_REST, 1)) return { end, charsPerToken }
  // Pieces of equal size rather than full ones and a small rest.
  const restTokens = rest / charsPerToken
  const pieces = Math.max(last === end ? 1 : 2, Math.round(restTokens / targetTokens))
  if (pieces === 1) return { end, charsPerToken }
  const fitting = last
  let target = Math.min(last, from + Math.ceil(rest / pieces))
  last = Math.min(last, lastWord + MOST_SPACE)
  const seekFrom = body - from > MOST_SPACE ? body : from
  for (;;) {
    const cut = Math.min(end, bestCut(text, seekFrom, target, last, order))
    if (cut <= body) {
      // Nothing but white space: take the first characters of the word along.
      if (last <= body) return { end: last, charsPerToken }
      const forced = wholeCodePoint(text, body, last)
      return { end: withTrailingSpace(text, from, forced, end, limits), charsPerToken }
    }
    // Part of a long run can have more tokens than the run: measure what is really cut.
    if (cut === fitting || count(cut) <= maxTokens) {
      return { end: withTrailingSpace(text, from, cut, end, limits), charsPerToken }
    }
    const shorter = wholeCodePoint(text, from, from + Math.floor((cut - from) * 0.8))
    if (shorter >= cut) return { end: withTrailingSpace(text, from, cut, end, limits), charsPerToken }
    last = shorter
    target = Math.min(target, last)
  }
}

function shrinkBy(maxTokens: number, tokens: number): number {
  return Math.min(0.95, (maxTokens / tokens) * 0.95)
}

/** Where the first word at or after `from` begins, or `end`. Never looks past `end`: runs of white space may be as long as the text. */
function skipSpace(text: string, from: number, end: number): number {
  const found = text.slice(from, end).search(/\S/)
  return found === -1 ? end : from + found
}

/** The end of the word at `from`, or `from` when it goes on past `limit`. */
function endOfWord(text: string, from: number, limit: number): number {
  const length = text.slice(from, limit).search(/\s/)
  if (length !== -1) return from + length
  return limit === text.length || /\s/.test(text[limit] ?? '') ? limit : from
}

/** White space goes to the piece before it, as long as the piece still fits or the space adds nothing. */
function withTrailingSpace(
  text: string,
  from: number,
  cut: number,
  end: number,
  limits: TokenLimits,
): number {
  const extended = skipSpace(text, cut, end)
  if (extended === cut) return cut
  const tokens = limits.countTokens(text.slice(from, extended))
  const fits = tokens <= limits.maxTokens || tokens <= limits.countTokens(text.slice(from, cut))
  return fits ? extended : cut
}
