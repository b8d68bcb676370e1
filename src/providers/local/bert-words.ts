import { CJK, type ClassOf, MARK, PUNCTUATION, REMOVED, SPACE } from './character-classes.ts'

export interface BertNormalisation {
  /** Drop control characters, make every kind of white space a space. */
  readonly cleanText: boolean
  /** Each ideograph is a word of its own. */
  readonly spaceCjk: boolean
  readonly stripAccents: boolean
  readonly lowercase: boolean
}

const PLAIN = /^[\x20-\x7e]*$/

/** BERT's normalisation, as the reference orders its steps. */
export function normaliseForBert(text: string, how: BertNormalisation, classOf: ClassOf): string {
  if (PLAIN.test(text)) return how.lowercase ? text.toLowerCase() : text
  let clean = ''
  for (const char of text) {
    const bits = classOf(char.codePointAt(0)!)
    if (how.cleanText && bits & REMOVED) continue
    else if (how.cleanText && bits & SPACE) clean += ' '
    else if (how.spaceCjk && bits & CJK) clean += ` ${char} `
    else clean += char
  }
  if (how.stripAccents) {
    let bare = ''
    for (const char of clean.normalize('NFD')) if (!(classOf(char.codePointAt(0)!) & MARK)) bare += char
    clean = bare
  }
  // letter by letter, as the reference does: a capital sigma at a word's end is no exception
  return how.lowercase ? clean.replaceAll('Σ', 'σ').toLowerCase() : clean
}

/** Words and single punctuation marks of a normalised text, in order. */
export function splitForBert(text: string, classOf: ClassOf): string[] {
  const words: string[] = []
  let start = 0
  const endWord = (end: number): void => {
    if (end > start) words.push(text.slice(start, end))
  }
  for (let i = 0; i < text.length; ) {
    const codePoint = text.codePointAt(i)!
    const size = codePoint > 0xffff ? 2 : 1
    const bits = classOf(codePoint)
    if (bits & (SPACE | PUNCTUATION) || isBareControlSpace(codePoint)) {
      endWord(i)
      if (bits & PUNCTUATION) words.push(text.slice(i, i + size))
      start = i + size
    }
    i += size
  }
  endWord(text.length)
  return words
}

/** White space that cleaning drops as control characters, but that parts words where nothing is cleaned. */
function isBareControlSpace(codePoint: number): boolean {
  return codePoint === 0x0b || codePoint === 0x0c || codePoint === 0x85
}
