import { BERT_CHARACTER_CLASSES } from './bert-character-classes.ts'

export const REMOVED = 1
export const SPACE = 2
export const PUNCTUATION = 4
export const CJK = 8
export const MARK = 16

/** The classes of a code point, as bits. */
export type ClassOf = (codePoint: number) => number

const BITS = { removed: REMOVED, space: SPACE, punctuation: PUNCTUATION, cjk: CJK, mark: MARK } as const

/**
 * The reference's classes from its own Unicode version: the runtime's `\p{…}` knows newer characters, differs between versions of
 * Node, and would give other tokens.
 */
export function createCharacterClasses(): ClassOf {
  const plane = new Uint8Array(0x1_0000)
  const beyond: { readonly first: number; readonly last: number; readonly bit: number }[] = []
  for (const name of ['removed', 'space', 'punctuation', 'cjk', 'mark'] as const) {
    const bit = BITS[name]
    const numbers = BERT_CHARACTER_CLASSES[name].split(' ').map((digits) => Number.parseInt(digits, 36))
    let end = 0
    for (let i = 0; i < numbers.length; i += 2) {
      const first = end + numbers[i]!
      end = first + numbers[i + 1]!
      for (let c = first; c <= Math.min(end, 0xffff); c++) plane[c] = plane[c]! | bit
      if (end > 0xffff) beyond.push({ first, last: end, bit })
    }
  }
  return (codePoint) => {
    if (codePoint <= 0xffff) return plane[codePoint]!
    let bits = 0
    for (const { first, last, bit } of beyond) if (codePoint >= first && codePoint <= last) bits |= bit
    return bits
  }
}
