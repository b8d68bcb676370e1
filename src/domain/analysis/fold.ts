/** Letters whose plain form no Unicode decomposition gives. */
const PLAIN: Readonly<Record<string, string>> = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ß: 'ss',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ё: 'е',
  ς: 'σ',
}

const NON_ASCII = /[^\x00-\x7f]/
/** Only where the mark is ornament: in Cyrillic (й), Devanagari or Thai it makes another letter. */
const ORNAMENTED = /[\p{Script=Latin}\p{Script=Greek}]/u
/** Combining diacritics; Arabic tatweel, vowel signs; Hebrew points. */
const MARK = /[\u0300-\u036f\u0640\u064b-\u0652\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7]/

/** True when a text needs more than ASCII treatment. */
export function hasNonAscii(text: string): boolean {
  return NON_ASCII.test(text)
}

/**
 * A lower-case NFC word without ornamental diacritics: `café` → `cafe`, `straße` → `strasse`; letters in `kept` and
 * scripts in which marks make letters stay. Idempotent.
 */
export function foldDiacritics(word: string, kept: string): string {
  if (!NON_ASCII.test(word)) return word
  let folded = ''
  for (const letter of word) {
    if (letter < '\x80' || kept.includes(letter)) folded += letter
    else if (!MARK.test(letter)) folded += PLAIN[letter] ?? plain(letter)
  }
  return folded
}

function plain(letter: string): string {
  if (!ORNAMENTED.test(letter)) return letter
  const base = letter.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  return PLAIN[base] ?? base
}
