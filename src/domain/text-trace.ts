/** Knows texts again where they are quoted, wholly or by a long passage. */
export interface TextTrace {
  add(text: string): void
  /** Characters added, as they are compared. */
  readonly length: number
  isIn(text: string): boolean
}

/** Blocks of so many letters and digits are compared: a passage of 31 holds a whole one, wherever it begins. */
const BLOCK = 16
/** A shorter text has to stand by itself between words: "yes" is not in "yesterday". */
const LONG_ENOUGH_INSIDE = 8

/**
 * Case, marks and white space do not count. A text added is found again when another holds all of it, or a passage of at least 31
 * of its letters and digits; a shorter passage may be found.
 */
export function createTextTrace(): TextTrace {
  const blocks = new Set<string>()
  const inside = new Set<string>()
  const byItself = new Set<string>()
  let length = 0
  return {
    get length() {
      return length
    },
    add(text) {
      const words = wordsOf(text)
      const letters = words.replaceAll(' ', '')
      length += letters.length
      if (letters === '') return
      if (letters.length < BLOCK) (letters.length < LONG_ENOUGH_INSIDE ? byItself : inside).add(words)
      for (let at = 0; at + BLOCK <= letters.length; at += BLOCK) blocks.add(letters.slice(at, at + BLOCK))
    },
    isIn(text) {
      const words = wordsOf(text)
      const letters = words.replaceAll(' ', '')
      if (blocks.size > 0) {
        for (let at = 0; at + BLOCK <= letters.length; at++) {
          if (blocks.has(letters.slice(at, at + BLOCK))) return true
        }
      }
      for (const short of inside) if (letters.includes(short.replaceAll(' ', ''))) return true
      const spaced = ` ${words} `
      for (const short of byItself) if (spaced.includes(` ${short} `)) return true
      return false
    },
  }
}

/** Letters and digits in lower case, runs of anything else one space; a text without any keeps its marks. */
function wordsOf(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase()
  const words = folded.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()
  return words === '' ? folded.replace(/\s+/gu, ' ').trim() : words
}
