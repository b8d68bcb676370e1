import { ENGLISH_STOP_WORDS } from './english-stop-words.ts'
import { SHORT_STOP_WORDS } from './short-stop-words.ts'

/** What the analyser must know of a language. */
export interface LanguageRules {
  /** Stem of a lower-case NFC word, or null when words stay as they are. */
  readonly stem: ((word: string) => string) | null
  readonly stopWords: readonly string[]
  /** Lower-case letters that are letters of their own and keep their mark (`å` in Swedish). */
  readonly kept: string
  /** BCP 47 tag for lower-casing where it differs from the root rules. */
  readonly locale?: string
  /** An apostrophe joins two words (`l'eau`) and both stay; else the tail after it goes (`Melanie's`). */
  readonly elision?: boolean
}

async function rules(
  stemmer: Promise<{ readonly stemmer: (word: string) => string }>,
  words: Promise<{ readonly stopwords: readonly string[] }> | readonly string[],
  kept = '',
  extra: { readonly locale?: string; readonly elision?: boolean } = {},
): Promise<LanguageRules> {
  const [{ stemmer: stem }, stop] = await Promise.all([stemmer, words])
  return { stem, stopWords: 'stopwords' in stop ? stop.stopwords : stop, kept, ...extra }
}

/** Loaded when a language is first used: all of them take longer than everything else at start. */
const TABLE: Readonly<Record<string, () => Promise<LanguageRules>>> = {
  none: async () => ({ stem: null, stopWords: [], kept: '' }),
  arabic: () => rules(import('@orama/stemmers/arabic'), SHORT_STOP_WORDS.arabic),
  armenian: () => rules(import('@orama/stemmers/armenian'), import('@orama/stopwords/armenian')),
  bulgarian: () => rules(import('@orama/stemmers/bulgarian'), import('@orama/stopwords/bulgarian')),
  danish: () => rules(import('@orama/stemmers/danish'), import('@orama/stopwords/danish'), 'æøå'),
  dutch: () => rules(import('@orama/stemmers/dutch'), import('@orama/stopwords/dutch')),
  english: () =>
    rules(
      import('porter2').then(({ stem }) => ({ stemmer: stem })),
      ENGLISH_STOP_WORDS,
    ),
  finnish: () => rules(import('@orama/stemmers/finnish'), import('@orama/stopwords/finnish'), 'äöå'),
  french: () =>
    rules(import('@orama/stemmers/french'), import('@orama/stopwords/french'), '', { elision: true }),
  german: () => rules(import('@orama/stemmers/german'), import('@orama/stopwords/german')),
  greek: () => rules(import('@orama/stemmers/greek'), import('@orama/stopwords/greek')),
  hindi: () => rules(import('@orama/stemmers/indian'), import('@orama/stopwords/indian')),
  hungarian: () => rules(import('@orama/stemmers/hungarian'), SHORT_STOP_WORDS.hungarian, 'öüőű'),
  indonesian: () => rules(import('@orama/stemmers/indonesian'), SHORT_STOP_WORDS.indonesian),
  irish: () =>
    rules(import('@orama/stemmers/irish'), import('@orama/stopwords/irish'), '', { elision: true }),
  italian: () =>
    rules(import('@orama/stemmers/italian'), import('@orama/stopwords/italian'), '', { elision: true }),
  lithuanian: () => rules(import('@orama/stemmers/lithuanian'), SHORT_STOP_WORDS.lithuanian, 'čšž'),
  nepali: () => rules(import('@orama/stemmers/nepali'), import('@orama/stopwords/nepali')),
  norwegian: () => rules(import('@orama/stemmers/norwegian'), import('@orama/stopwords/norwegian'), 'æøå'),
  portuguese: () => rules(import('@orama/stemmers/portuguese'), import('@orama/stopwords/portuguese')),
  romanian: () => rules(import('@orama/stemmers/romanian'), import('@orama/stopwords/romanian')),
  russian: () => rules(import('@orama/stemmers/russian'), import('@orama/stopwords/russian')),
  sanskrit: () => rules(import('@orama/stemmers/sanskrit'), import('@orama/stopwords/sanskrit')),
  serbian: () => rules(import('@orama/stemmers/serbian'), SHORT_STOP_WORDS.serbian),
  spanish: () => rules(import('@orama/stemmers/spanish'), SHORT_STOP_WORDS.spanish, 'ñ'),
  swedish: () => rules(import('@orama/stemmers/swedish'), import('@orama/stopwords/swedish'), 'åäö'),
  tamil: () => rules(import('@orama/stemmers/tamil'), import('@orama/stopwords/tamil')),
  turkish: () =>
    rules(import('@orama/stemmers/turkish'), import('@orama/stopwords/turkish'), 'çğıöşü', { locale: 'tr' }),
  ukrainian: () => rules(import('@orama/stemmers/ukrainian'), import('@orama/stopwords/ukrainian')),
}

/** Languages that `createAnalyser` takes; `none` neither stems nor drops words. */
export const LANGUAGES: readonly string[] = Object.keys(TABLE)

/** The rules of a language, or null when it is not one of LANGUAGES. */
export async function languageRules(language: string): Promise<LanguageRules | null> {
  return Object.hasOwn(TABLE, language) ? ((await TABLE[language]?.()) ?? null) : null
}
