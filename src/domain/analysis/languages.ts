import { stemmer as arabic } from '@orama/stemmers/arabic'
import { stemmer as armenian } from '@orama/stemmers/armenian'
import { stemmer as bulgarian } from '@orama/stemmers/bulgarian'
import { stemmer as danish } from '@orama/stemmers/danish'
import { stemmer as dutch } from '@orama/stemmers/dutch'
import { stemmer as finnish } from '@orama/stemmers/finnish'
import { stemmer as french } from '@orama/stemmers/french'
import { stemmer as german } from '@orama/stemmers/german'
import { stemmer as greek } from '@orama/stemmers/greek'
import { stemmer as hungarian } from '@orama/stemmers/hungarian'
import { stemmer as hindi } from '@orama/stemmers/indian'
import { stemmer as indonesian } from '@orama/stemmers/indonesian'
import { stemmer as irish } from '@orama/stemmers/irish'
import { stemmer as italian } from '@orama/stemmers/italian'
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian'
import { stemmer as nepali } from '@orama/stemmers/nepali'
import { stemmer as norwegian } from '@orama/stemmers/norwegian'
import { stemmer as portuguese } from '@orama/stemmers/portuguese'
import { stemmer as romanian } from '@orama/stemmers/romanian'
import { stemmer as russian } from '@orama/stemmers/russian'
import { stemmer as sanskrit } from '@orama/stemmers/sanskrit'
import { stemmer as serbian } from '@orama/stemmers/serbian'
import { stemmer as spanish } from '@orama/stemmers/spanish'
import { stemmer as swedish } from '@orama/stemmers/swedish'
import { stemmer as tamil } from '@orama/stemmers/tamil'
import { stemmer as turkish } from '@orama/stemmers/turkish'
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian'
import { stopwords as armenianStop } from '@orama/stopwords/armenian'
import { stopwords as bulgarianStop } from '@orama/stopwords/bulgarian'
import { stopwords as danishStop } from '@orama/stopwords/danish'
import { stopwords as dutchStop } from '@orama/stopwords/dutch'
import { stopwords as finnishStop } from '@orama/stopwords/finnish'
import { stopwords as frenchStop } from '@orama/stopwords/french'
import { stopwords as germanStop } from '@orama/stopwords/german'
import { stopwords as greekStop } from '@orama/stopwords/greek'
import { stopwords as hindiStop } from '@orama/stopwords/indian'
import { stopwords as irishStop } from '@orama/stopwords/irish'
import { stopwords as italianStop } from '@orama/stopwords/italian'
import { stopwords as nepaliStop } from '@orama/stopwords/nepali'
import { stopwords as norwegianStop } from '@orama/stopwords/norwegian'
import { stopwords as portugueseStop } from '@orama/stopwords/portuguese'
import { stopwords as romanianStop } from '@orama/stopwords/romanian'
import { stopwords as russianStop } from '@orama/stopwords/russian'
import { stopwords as sanskritStop } from '@orama/stopwords/sanskrit'
import { stopwords as swedishStop } from '@orama/stopwords/swedish'
import { stopwords as tamilStop } from '@orama/stopwords/tamil'
import { stopwords as turkishStop } from '@orama/stopwords/turkish'
import { stopwords as ukrainianStop } from '@orama/stopwords/ukrainian'
import { stem as english } from 'porter2'
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

const rules = (
  stem: (word: string) => string,
  stopWords: readonly string[],
  kept = '',
  extra: { readonly locale?: string; readonly elision?: boolean } = {},
): LanguageRules => ({ stem, stopWords, kept, ...extra })

const TABLE = {
  none: { stem: null, stopWords: [], kept: '' },
  arabic: rules(arabic, SHORT_STOP_WORDS.arabic),
  armenian: rules(armenian, armenianStop),
  bulgarian: rules(bulgarian, bulgarianStop),
  danish: rules(danish, danishStop, 'æøå'),
  dutch: rules(dutch, dutchStop),
  english: rules(english, ENGLISH_STOP_WORDS),
  finnish: rules(finnish, finnishStop, 'äöå'),
  french: rules(french, frenchStop, '', { elision: true }),
  german: rules(german, germanStop),
  greek: rules(greek, greekStop),
  hindi: rules(hindi, hindiStop),
  hungarian: rules(hungarian, SHORT_STOP_WORDS.hungarian, 'öüőű'),
  indonesian: rules(indonesian, SHORT_STOP_WORDS.indonesian),
  irish: rules(irish, irishStop, '', { elision: true }),
  italian: rules(italian, italianStop, '', { elision: true }),
  lithuanian: rules(lithuanian, SHORT_STOP_WORDS.lithuanian, 'čšž'),
  nepali: rules(nepali, nepaliStop),
  norwegian: rules(norwegian, norwegianStop, 'æøå'),
  portuguese: rules(portuguese, portugueseStop),
  romanian: rules(romanian, romanianStop),
  russian: rules(russian, russianStop),
  sanskrit: rules(sanskrit, sanskritStop),
  serbian: rules(serbian, SHORT_STOP_WORDS.serbian),
  spanish: rules(spanish, SHORT_STOP_WORDS.spanish, 'ñ'),
  swedish: rules(swedish, swedishStop, 'åäö'),
  tamil: rules(tamil, tamilStop),
  turkish: rules(turkish, turkishStop, 'çğıöşü', { locale: 'tr' }),
  ukrainian: rules(ukrainian, ukrainianStop),
} as const satisfies Readonly<Record<string, LanguageRules>>

/** Languages that `createAnalyser` takes; `none` neither stems nor drops words. */
export const LANGUAGES: readonly string[] = Object.keys(TABLE)

/** The rules of a language, or null when it is not one of LANGUAGES. */
export function languageRules(language: string): LanguageRules | null {
  const table: Readonly<Record<string, LanguageRules>> = TABLE
  return Object.hasOwn(table, language) ? (table[language] ?? null) : null
}
