import type { CueDraft } from '../../domain/cue.ts'
import type { CountTokens } from '../stages.ts'

/** Most cues that the rules give one chunk. */
export const MAX_CUES = 24

/** Cues without repetition (case and white space aside, the first stands), at most MAX_CUES, those with a vector first to stay. */
export function boundCues(cues: readonly CueDraft[]): CueDraft[] {
  const seen = new Set<string>()
  const distinct = cues.filter((cue) => {
    const key = `${cue.kind}:${cue.text.toLowerCase().replace(/\s+/g, ' ').trim()}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  if (distinct.length <= MAX_CUES) return distinct
  const kept = new Set(
    [...distinct.filter((cue) => cue.embed), ...distinct.filter((cue) => !cue.embed)].slice(0, MAX_CUES),
  )
  return distinct.filter((cue) => kept.has(cue))
}

/** Most statements that tell a long text over again for the lexical channel. */
const MOST_LEXICAL_STATEMENTS = 4

/**
 * A text's sentences as lexical statements, neighbours joined so that they are at most 4. The lexical channel of cues
 * ranks every chunk, whatever its format: one whose cues told only a part of it (its heading, say) would stand too low or too high there
 * (MTRAG-UN, any@5: 95.7 without such a channel, 93.0 with headings alone in it).
 */
export function lexicalStatements(parts: readonly string[]): CueDraft[] {
  const size = Math.ceil(parts.length / MOST_LEXICAL_STATEMENTS)
  const cues: CueDraft[] = []
  for (let at = 0; at < parts.length; at += size) {
    const text = parts.slice(at, at + size).join(' ')
    cues.push({ kind: 'statement', text, origin: 'rules', embed: false })
  }
  return cues
}

/** Whether a text fits; a text of no more characters than tokens allowed fits without counting. */
export function fits(text: string, maxTokens: number, countTokens: CountTokens): boolean {
  return text.length <= maxTokens || countTokens(text) <= maxTokens
}

/** A cut may waste this share of the room rather than be counted again. */
const SLACK = 0.06

/**
 * A text cut to `maxTokens` at a word border (or between characters where there is none), keeping its start, or its end when `keep`
 * is `end`. Counts two or three times, since counting costs a tenth of embedding: up to 6 % of the room may stay empty.
 */
export function fitTokens(
  text: string,
  maxTokens: number,
  countTokens: CountTokens,
  keep: 'start' | 'end' = 'start',
): string {
  if (maxTokens <= 0) return ''
  if (text.length <= maxTokens) return text
  const tokens = countTokens(text)
  if (tokens <= maxTokens) return text
  const words = text.split(/(?<=\s)(?=\S)/u)
  const pieces = words.length > 1 ? words : [...text]
  const joined = (count: number): string =>
    (keep === 'start' ? pieces.slice(0, count) : pieces.slice(pieces.length - count)).join('').trim()
  let count = Math.floor((pieces.length * maxTokens) / tokens)
  while (count > 0) {
    const cut = joined(count)
    const used = cut.length <= maxTokens ? cut.length : countTokens(cut)
    if (used <= maxTokens) return cut
    count = Math.min(count - 1, Math.floor(count * (maxTokens / used) * (1 - SLACK)))
  }
  const [word = ''] = keep === 'start' ? words : words.slice(-1)
  return words.length > 1 ? fitTokens(word.trim(), maxTokens, countTokens, keep) : ''
}
