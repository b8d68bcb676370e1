import { ProlepsisError } from '../errors.ts'
import type { Analyser } from './analyser.ts'
import { foldDiacritics, hasNonAscii } from './fold.ts'
import { LANGUAGES, type LanguageRules, languageRules } from './languages.ts'
import { bigrams, identifierParts, isUnspaced, scriptRuns, wordRuns } from './words.ts'

/** Longest term in UTF-16 units: hashes and addresses fit, an index row stays far under its limit. */
const MAX_TERM_LENGTH = 128
/** Words remembered in each of two generations: about 10 MB at most. */
const CACHE_WORDS = 50_000
/** Words past this length are hardly ever met again. */
const MAX_CACHED_LENGTH = 40

const NONE: readonly string[] = []

/**
 * Text analysis for a language of LANGUAGES, the same at retain and at recall. Terms are NFKC, lower case, stemmed, without
 * ornamental diacritics, at most 128 UTF-16 units. A compound identifier gives itself without separators, then its parts:
 * `create_memory` and `createMemory` both give `creatememori`, `creat`, `memori` in English. Scripts without spaces give
 * character bigrams. Never throws on any string; lone surrogates give no term.
 * @throws ProlepsisError INVALID_ARGUMENT for an unknown language.
 */
export async function createAnalyser(language: string): Promise<Analyser> {
  const rules = await languageRules(language)
  if (rules === null) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      `There is no text analysis for the language "${language}".`,
      {
        hint: `Use one of: ${LANGUAGES.join(', ')}. "none" fits every text.`,
        details: { option: 'language' },
      },
    )
  }
  const termsOfWord = wordAnalysis(rules)
  let recent = new Map<string, readonly string[]>()
  let older = new Map<string, readonly string[]>()

  const cached = (word: string): readonly string[] => {
    const known = recent.get(word)
    if (known !== undefined) return known
    const terms = older.get(word) ?? termsOfWord(word)
    if (word.length <= MAX_CACHED_LENGTH) {
      if (recent.size >= CACHE_WORDS) {
        older = recent
        recent = new Map()
      }
      recent.set(word, terms)
    }
    return terms
  }

  return {
    language,
    terms(text) {
      const ascii = !hasNonAscii(text)
      const terms: string[] = []
      for (const [word] of wordRuns(ascii ? text : text.normalize('NFKC'), ascii)) {
        for (const term of cached(word)) terms.push(term)
      }
      return terms
    },
  }
}

/** The slow path: all terms of one NFKC word run. */
function wordAnalysis(rules: LanguageRules): (word: string) => readonly string[] {
  const lower = (word: string): string =>
    (rules.locale === undefined ? word.toLowerCase() : word.toLocaleLowerCase(rules.locale)).normalize('NFKC')
  const fold = (word: string): string => foldDiacritics(word, rules.kept)
  const stopWords = new Set(rules.stopWords.flatMap((word) => [lower(word), fold(lower(word))]))
  const isStopWord = (word: string): boolean => stopWords.has(word)

  /** Zero or one term. */
  const termOf = (word: string): readonly string[] => {
    const lowered = lower(word)
    if (isStopWord(lowered)) return NONE
    const term = cut(fold(stemmed(lowered, rules)))
    return term === '' ? NONE : [term]
  }
  const termsOfSpaced = (word: string): readonly string[] => {
    const parts = identifierParts(word)
    const whole = parts.length === 0 ? word.replace(/^_+|_+$/g, '') : word.replaceAll('_', '')
    return parts.length === 0 ? termOf(whole) : [...termOf(whole), ...parts.flatMap(termOf)]
  }
  const termsOfPlain = (word: string): readonly string[] => {
    if (!isUnspaced(word)) return termsOfSpaced(word)
    return scriptRuns(word).flatMap((run) =>
      run.unspaced ? bigrams(lower(run.text)) : termsOfSpaced(run.text),
    )
  }

  return (word) => {
    const pieces = word.split(/['’ʼ]/)
    if (pieces.length === 1) return termsOfPlain(word)
    const [head = '', ...tails] = pieces
    // n't belongs to a function word: do, is, have, could…
    if (rules.elision !== true && tails.length === 1 && tails[0]?.toLowerCase() === 't' && /n$/i.test(head)) {
      return rules.stem === null ? termsOfPlain(head) : NONE
    }
    const kept = rules.elision === true ? tails : tails.filter((tail) => tail.length > 2)
    return [head, ...kept].flatMap(termsOfPlain)
  }
}

/** Numbers and codes are no words: stemmers made for letters mangle them. */
function stemmed(word: string, rules: LanguageRules): string {
  if (rules.stem === null || word.length > MAX_CACHED_LENGTH || /\p{N}/u.test(word)) return word
  const stem = rules.stem(word)
  return stem === '' ? word : stem
}

/** At most MAX_TERM_LENGTH units, never half a surrogate pair. */
function cut(term: string): string {
  if (term.length <= MAX_TERM_LENGTH) return term
  const end = /[\ud800-\udbff]/.test(term[MAX_TERM_LENGTH - 1] ?? '') ? MAX_TERM_LENGTH - 1 : MAX_TERM_LENGTH
  return term.slice(0, end)
}
