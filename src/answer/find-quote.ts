import { isUnspaced, wordRuns } from '../domain/analysis/words.ts'
import { type FoldedText, foldText } from './fold-text.ts'

/** A place in a text, in its UTF-16 units, end exclusive. */
export interface FoundQuote {
  readonly start: number
  readonly end: number
  /** `near` when words differ or some were left out. */
  readonly match: 'exact' | 'near'
}

/** Share of a quote's words that may differ from the text. */
const NEAR_SHARE = 0.2
/** A shorter quote must be met exactly: one word more or less makes another of it. */
const NEAR_LEAST_WORDS = 6
/** A longer quote must be met exactly: the search is quadratic. */
const MOST_WORDS = 120
/** Words of a text that a near match is looked for in. */
const MOST_TEXT_WORDS = 20_000
/** Between the pieces of a quote with "…" in it, characters. */
const WIDEST_GAP = 600

const LETTER = /[\p{L}\p{N}]/u
const LAST_LETTER = /[\p{L}\p{N}]$/u
const ELLIPSIS = /\s*[[(]?\.{3,}[\])]?\s*/

/**
 * Where a text holds a quote, up to case, white space, typography and emphasis; else the nearest place where at most a fifth of its words
 * differ, or its pieces around "…" in their order. Null when it is not there, or holds no letter and no digit.
 */
export function findQuote(quote: string, text: string): FoundQuote | null {
  return findFolded(quote, text, foldText(text))
}

/** The same in a text that was folded before. */
export function findFolded(quote: string, text: string, folded: FoldedText): FoundQuote | null {
  const needle = needleOf(quote)
  return findWhole(needle, folded) ?? findPieces(needle, folded) ?? findNear(needle, text)
}

/** Only where it stands word for word. */
export function findExact(quote: string, folded: FoldedText): FoundQuote | null {
  return findWhole(needleOf(quote), folded)
}

function needleOf(quote: string): string {
  return bare(foldText(unquotedLines(quote)).text)
}

function findWhole(needle: string, folded: FoldedText): FoundQuote | null {
  if (!LETTER.test(needle)) return null
  const at = indexOfWhole(folded.text, needle, 0)
  return at < 0 ? null : place(folded, at, at + needle.length, 'exact')
}

/** A quote that runs over several lines may bring the marks that stored lines are shown with. */
function unquotedLines(quote: string): string {
  return quote.replaceAll(/(^|\n)\s*>\s?/g, '$1')
}

/** Without quotation marks and ellipses around it. */
function bare(folded: string): string {
  return folded
    .replace(/^[\s"'.]+(?=[^\s"'.])/, '')
    .replace(/[\s"']+$/, '')
    .replace(/(?:\.{3,}[\s"']*)+$/, '')
    .trim()
}

/** The first place that begins and ends at the border of a word. */
function indexOfWhole(text: string, needle: string, from: number): number {
  for (let at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + 1)) {
    const end = at + needle.length
    if (isBorder(text, at) && isBorder(text, end)) return at
  }
  return -1
}

function isBorder(text: string, at: number): boolean {
  const before = LAST_LETTER.exec(text.slice(Math.max(0, at - 2), at))?.[0]
  const after = text.codePointAt(at)
  if (before === undefined || after === undefined) return true
  const letter = String.fromCodePoint(after)
  return !LETTER.test(letter) || isUnspaced(before) || isUnspaced(letter)
}

function place(folded: FoldedText, from: number, to: number, match: FoundQuote['match']): FoundQuote {
  const start = folded.starts[from] ?? 0
  return { start, end: folded.ends[to - 1] ?? start, match }
}

function findPieces(needle: string, folded: FoldedText): FoundQuote | null {
  const pieces = needle.split(ELLIPSIS).filter((piece) => LETTER.test(piece))
  if (pieces.length < 2) return null
  for (let first = 0; ; ) {
    first = indexOfWhole(folded.text, pieces[0] ?? '', first)
    if (first < 0) return null
    let end = first + (pieces[0] ?? '').length
    const rest = pieces.slice(1)
    const met = rest.every((piece) => {
      const at = indexOfWhole(folded.text, piece, end)
      if (at < 0 || at - end > WIDEST_GAP) return false
      end = at + piece.length
      return true
    })
    if (met) return place(folded, first, end, 'near')
    first += 1
  }
}

interface Word {
  readonly folded: string
  readonly start: number
  readonly end: number
}

/** Words in order; of scripts without spaces, letter by letter. */
function wordsOf(text: string, most: number): Word[] {
  const words: Word[] = []
  for (const { 0: run, index } of wordRuns(text, false)) {
    if (words.length >= most) break
    const parts = isUnspaced(run) ? [...run.matchAll(/\P{M}\p{M}*/gu)] : [{ 0: run, index: 0 }]
    for (const part of parts) {
      const start = index + part.index
      words.push({ folded: foldText(part[0]).text, start, end: start + part[0].length })
    }
  }
  return words
}

/**
 * The run of words with the least edit distance to the quote (Sellers 1980, "The theory and computation of evolutionary distances"):
 * O(words of the quote × words of the text).
 */
function findNear(needle: string, text: string): FoundQuote | null {
  const quote = wordsOf(needle, MOST_WORDS + 1)
  if (quote.length < NEAR_LEAST_WORDS || quote.length > MOST_WORDS) return null
  const words = wordsOf(text, MOST_TEXT_WORDS)
  const most = Math.floor(quote.length * NEAR_SHARE)
  // column by column: the cost of the quote's first i words ending at this word, and where such a run begins
  let costs = Array.from({ length: quote.length + 1 }, (_, i) => i)
  let begins = new Array<number>(quote.length + 1).fill(0)
  let best: { cost: number; from: number; to: number } | null = null
  for (const [j, word] of words.entries()) {
    const nextCosts = [0]
    const nextBegins = [j + 1]
    for (let i = 1; i <= quote.length; i++) {
      const same = (costs[i - 1] ?? 0) + (quote[i - 1]?.folded === word.folded ? 0 : 1)
      const skipped = (costs[i] ?? 0) + 1
      const missing = (nextCosts[i - 1] ?? 0) + 1
      const least = Math.min(same, skipped, missing)
      nextCosts.push(least)
      nextBegins.push(
        (least === same
          ? i === 1
            ? j
            : begins[i - 1]
          : least === skipped
            ? begins[i]
            : nextBegins[i - 1]) ?? 0,
      )
    }
    costs = nextCosts
    begins = nextBegins
    const cost = costs[quote.length] ?? Number.POSITIVE_INFINITY
    if (cost <= most && (best === null || cost < best.cost)) {
      best = { cost, from: begins[quote.length] ?? 0, to: j }
    }
  }
  const [first, last] = best === null ? [] : [words[best.from], words[best.to]]
  if (first === undefined || last === undefined || last.end <= first.start) return null
  return { start: first.start, end: last.end, match: 'near' }
}
