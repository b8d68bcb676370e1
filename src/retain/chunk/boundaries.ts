import type { BoundaryOrder } from './unit.ts'

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const words = new Intl.Segmenter('en', { granularity: 'word' })
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The segmenters are slow on encoded data, which a look at the characters spares them. */
const MAY_END_SENTENCE = /[.!?]|[^\x00-\x7f]/
const ONE_WORD = /^[A-Za-z0-9_]*$/
/** ASCII marks alone: each of them is a segment of its own. */
const ONLY_MARKS = /^[!-/:-@[-^`{-~]+$/

type FindBoundaries = (window: string) => number[]

/** After a blank line. */
const blankLines: FindBoundaries = (window) => endsOf(window, /\n[ \t\r]*\n\s*/g)
const lines: FindBoundaries = (window) => endsOf(window, /\n|\r(?!\n)/g)
const spaces: FindBoundaries = (window) => endsOf(window, /\s+/g)
/** Hard-wrapped lines are no ends of sentences, so line breaks are hidden from the segmenter. */
const sentenceEnds: FindBoundaries = (window) =>
  MAY_END_SENTENCE.test(window) ? segmentEnds(sentences, window.replace(/[\r\n]/g, ' ')) : []
const graphemeEnds: FindBoundaries = (window) =>
  ONE_WORD.test(window) ? Array.from(window, (_, index) => index + 1) : segmentEnds(graphemes, window)

/** Natural boundaries, the strongest first. */
const LEVELS: Readonly<Record<BoundaryOrder, readonly FindBoundaries[]>> = {
  prose: [blankLines, sentenceEnds, lines, spaces, wordEnds],
  lines: [blankLines, lines, sentenceEnds, spaces, wordEnds],
}

/** A piece shorter than this part of the target is not worth a boundary of a stronger level. */
const SHORTEST_PART = 0.4
/** Characters seen past the last place allowed, so that its boundary can be told. */
const LOOK_AHEAD = 48

/**
 * The best place to cut within (from, last]: of the strongest level that has one at all past 40 % of the way to
 * `target`, the boundary nearest to it. Never inside a surrogate pair; inside a word only if nothing else is there.
 */
export function bestCut(
  text: string,
  from: number,
  target: number,
  last: number,
  order: BoundaryOrder,
): number {
  const windowEnd = Math.min(text.length, last + LOOK_AHEAD)
  const window = text.slice(from, windowEnd)
  const shortest = (Math.min(target, last) - from) * SHORTEST_PART
  const nearest = (find: FindBoundaries, least: number): number | null => {
    let best: number | null = null
    for (const offset of find(window)) {
      // The window's own end is a boundary only if the text ends there.
      if (from + offset > last || (offset === window.length && windowEnd < text.length)) break
      if (offset === 0 || offset < least) continue
      if (best === null || Math.abs(from + offset - target) < Math.abs(from + best - target)) best = offset
    }
    return best
  }
  for (const find of LEVELS[order]) {
    const offset = nearest(find, shortest)
    if (offset !== null) return from + offset
  }
  // A short piece is better than a cut through a word.
  for (const find of [spaces, wordEnds, graphemeEnds]) {
    const offset = nearest(find, 0)
    if (offset !== null) return from + offset
  }
  return wholeCodePoint(text, from, last)
}

/** `end`, moved off the middle of a surrogate pair, at least one code point after `from`. */
export function wholeCodePoint(text: string, from: number, end: number): number {
  const one = from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1)
  if (end <= one) return one
  const splitsPair = (text.codePointAt(end - 1) ?? 0) > 0xffff
  return splitsPair ? end - 1 : end
}

function endsOf(window: string, pattern: RegExp): number[] {
  const ends: number[] = []
  for (const match of window.matchAll(pattern)) ends.push(match.index + match[0].length)
  return ends
}

/** A mark behind a word stays with it. */
function wordEnds(window: string): number[] {
  if (ONE_WORD.test(window)) return []
  if (ONLY_MARKS.test(window)) return Array.from(window, (_, index) => index + 1)
  const ends: number[] = []
  let afterWord = false
  for (const part of words.segment(window)) {
    const isWord = part.isWordLike ?? false
    if (part.index > 0 && (isWord || !afterWord)) ends.push(part.index)
    afterWord = isWord
  }
  ends.push(window.length)
  return ends
}

function segmentEnds(segmenter: Intl.Segmenter, window: string): number[] {
  const ends: number[] = []
  for (const part of segmenter.segment(window)) ends.push(part.index + part.segment.length)
  return ends
}
