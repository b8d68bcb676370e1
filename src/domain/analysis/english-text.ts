import { ENGLISH_STOP_WORDS } from './english-stop-words.ts'

const FUNCTION_WORDS: ReadonlySet<string> = new Set(ENGLISH_STOP_WORDS)
/** Enough to tell a language; reading all of a long document would add nothing. */
const SAMPLE_LENGTH = 4_000
/** English prose holds 35 to 50 % of these words, its neighbours (Dutch, Afrikaans, German) below 12 %. */
const LEAST_SHARE = 0.18

/** Whether a text reads as English: the share of its function words in the first 4,000 characters. */
export function looksEnglish(text: string): boolean {
  const words =
    text
      .slice(0, SAMPLE_LENGTH)
      .toLowerCase()
      .match(/\p{L}+/gu) ?? []
  if (words.length === 0) return false
  return words.filter((word) => FUNCTION_WORDS.has(word)).length / words.length >= LEAST_SHARE
}
