/**
 * Scripts written without spaces: Han, Kana, Hangul, Thai, Lao, Myanmar, Khmer. Their runs become bigrams: the same on
 * every runtime, unlike a dictionary segmenter, whose cuts change with the ICU version between retain and recall.
 */
const UNSPACED =
  '\\u0e00-\\u0e7f\\u0e80-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u1100-\\u11ff\\u3005-\\u3007\\u3040-\\u30ff\\u3131-\\u318e\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}'
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, 'gu')
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u')
const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu

/** A word: letters, marks, digits, inner underscores, and what apostrophes join to it. */
const ASCII_WORD = /[A-Za-z0-9_]+(?:'[A-Za-z]+)*/g
const UNICODE_WORD = /[\p{L}\p{M}\p{N}_]+(?:['’ʼ][\p{L}\p{M}]+)*/gu

/** Word-like runs of a text in order, case kept, apostrophes and underscores inside. */
export function wordRuns(text: string, ascii: boolean): IterableIterator<RegExpExecArray> {
  return text.matchAll(ascii ? ASCII_WORD : UNICODE_WORD)
}

/** Whether a word holds a script that is written without spaces. */
export function isUnspaced(word: string): boolean {
  return HAS_UNSPACED.test(word)
}

/**
 * Splits a word at the borders of unspaced scripts: `Python3で書く` → spaced `Python3`, unspaced `で書く`.
 */
export function scriptRuns(word: string): { readonly text: string; readonly unspaced: boolean }[] {
  const runs: { text: string; unspaced: boolean }[] = []
  let end = 0
  for (const match of word.matchAll(UNSPACED_RUN)) {
    if (match.index > end) runs.push({ text: word.slice(end, match.index), unspaced: false })
    runs.push({ text: match[0], unspaced: true })
    end = match.index + match[0].length
  }
  if (end < word.length) runs.push({ text: word.slice(end), unspaced: false })
  return runs
}

/** Bigrams of characters (a base with its marks counts as one); a single character stays alone. */
export function bigrams(run: string): string[] {
  const clusters = run.match(CLUSTER) ?? []
  if (clusters.length < 2) return [...clusters]
  const pairs: string[] = []
  for (let i = 0; i + 1 < clusters.length; i++) pairs.push(`${clusters[i]}${clusters[i + 1]}`)
  return pairs
}

/** Longer identifiers are data (base64, minified code): splitting them would only flood the index. */
const MAX_IDENTIFIER = 64
const MAX_PARTS = 8
/** `createMemory`, `HTTPServer`; not `PDFs`, `COVID19`. */
const CAMEL = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}(?!$|_|s$|s_)/u
const CAMEL_BORDER = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}\p{Ll})/u

/**
 * Parts of a snake_case or camelCase word, case kept: `createMemory` → `create`, `Memory`; `HTTP_port` → `HTTP`, `port`.
 * Empty when the word is not compound.
 */
export function identifierParts(word: string): readonly string[] {
  const snake = word.includes('_')
  if (word.length > MAX_IDENTIFIER || !(snake || CAMEL.test(word))) return []
  const parts = word
    .split('_')
    .flatMap((piece) => piece.split(CAMEL_BORDER))
    .filter((part) => part !== '')
  return parts.length < 2 || parts.length > MAX_PARTS ? [] : parts
}
