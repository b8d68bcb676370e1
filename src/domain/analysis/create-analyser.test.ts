import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ProlepsisError } from '../errors.ts'
import { createAnalyser } from './create-analyser.ts'
import { LANGUAGES } from './languages.ts'

const english = await createAnalyser('english')
const none = await createAnalyser('none')
const LONE_SURROGATE = /\p{Cs}/u

const unicodeText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('a', 'B', '_', "'", '’', 'é', 'ß', 'İ', '書', 'ก', ' ', '\ud800', '1'),
    maxLength: 40,
  }),
)

describe('English', () => {
  it('drops function words and stems the rest', () => {
    expect(english.terms('What did the painters say about their paintings?')).toEqual([
      'painter',
      'say',
      'about',
      'paint',
    ])
  })

  // Snowball's published sample of the English (Porter2) algorithm
  it.each([
    ['consign', 'consign'],
    ['consigned', 'consign'],
    ['consigning', 'consign'],
    ['consignment', 'consign'],
    ['consist', 'consist'],
    ['consistency', 'consist'],
    ['consolation', 'consol'],
    ['conspicuously', 'conspicu'],
    ['knackeries', 'knackeri'],
    ['knavish', 'knavish'],
    ['knightly', 'knight'],
    ['knots', 'knot'],
    ['generously', 'generous'],
    ['skies', 'sky'],
    ['dying', 'die'],
    ['news', 'news'],
  ])('stems %s to %s', (word, stem) => {
    expect(english.terms(word)).toEqual([stem])
  })

  it('drops the tail after an apostrophe and the contractions of auxiliaries', () => {
    expect(english.terms("Melanie's kids don't swim, Caroline’s can't")).toEqual([
      'melani',
      'kid',
      'swim',
      'carolin',
    ])
  })

  it('keeps both halves of a name with an apostrophe', () => {
    expect(none.terms("O'Brien")).toEqual(['o', 'brien'])
  })

  it('leaves numbers and codes as they are', () => {
    expect(english.terms('2023 utf8 3rd COVID19')).toEqual(['2023', 'utf8', '3rd', 'covid19'])
  })

  it('gives no term for stop words alone', () => {
    expect(english.terms('What is it that they would have?')).toEqual([])
  })
})

describe('identifiers', () => {
  it('are found by themselves and by their parts, in every convention', () => {
    const terms = ['creatememori', 'creat', 'memori']
    expect(english.terms('createMemory')).toEqual(terms)
    expect(english.terms('create_memory')).toEqual(terms)
    expect(english.terms('CreateMemory')).toEqual(terms)
    expect(english.terms('CREATE_MEMORY')).toEqual(terms)
    expect(english.terms('creatememory')).toEqual(['creatememori'])
  })

  it('split acronyms from words, and leave plurals of acronyms whole', () => {
    expect(none.terms('HTTPServer parseJSONValue PDFs')).toEqual([
      'httpserver',
      'http',
      'server',
      'parsejsonvalue',
      'parse',
      'json',
      'value',
      'pdfs',
    ])
  })

  it('lose outer underscores', () => {
    expect(none.terms('__init__ _private')).toEqual(['init', 'private'])
  })

  it('that are data are not split', () => {
    expect(none.terms('aGVsbG8gd29ybGQgaG93IGFyZSB5b3UgdG9kYXkgbXkgZnJpZW5k')).toHaveLength(1)
  })
})

describe('scripts', () => {
  it('folds ornamental diacritics, ligatures and full width', () => {
    expect(none.terms('Café ＡＢＣ ﬁne Straße Łódź')).toEqual(['cafe', 'abc', 'fine', 'strasse', 'lodz'])
  })

  it('keeps letters that are letters of their own', async () => {
    expect(none.terms('й ї')).toEqual(['й', 'ї'])
    const swedish = await createAnalyser('swedish')
    expect(swedish.terms('åker')).not.toEqual(swedish.terms('aker'))
  })

  it('cuts unspaced scripts into bigrams and leaves what stands between them whole', () => {
    expect(none.terms('東京都 Python3で書く 猫')).toEqual(['東京', '京都', 'python3', 'で書', '書く', '猫'])
    expect(none.terms('한국어')).toEqual(['한국', '국어'])
    expect(none.terms('กินข้าว')).toEqual(['กิน', 'นข้', 'ข้า', 'าว'])
  })

  it('splits elisions in French, not in English', async () => {
    expect((await createAnalyser('french')).terms("l'eau qu’on boit")).toEqual(['eau', 'boit'])
  })

  it('lower-cases by the rules of Turkish', async () => {
    const turkish = await createAnalyser('turkish')
    expect(turkish.terms('ILIK')).toEqual(turkish.terms('ılık'))
  })
})

describe('every language', () => {
  it.each(LANGUAGES)('%s: never throws, gives storable terms, the same for NFC and NFD', async (language) => {
    const analyser = await createAnalyser(language)
    fc.assert(
      fc.property(unicodeText, (text) => {
        const terms = analyser.terms(text)
        for (const term of terms) {
          expect(term.length).toBeGreaterThan(0)
          expect(term.length).toBeLessThanOrEqual(128)
          expect(LONE_SURROGATE.test(term)).toBe(false)
          expect(term).not.toContain('\0')
        }
        expect(analyser.terms(text.normalize('NFC'))).toEqual(terms)
        expect(analyser.terms(text.normalize('NFD'))).toEqual(terms)
        expect(analyser.terms(text)).toEqual(terms)
      }),
      { numRuns: 60, seed: 7 },
    )
  })

  it('without stemming is idempotent on its own output', () => {
    fc.assert(
      fc.property(unicodeText, (text) => {
        const terms = none.terms(text)
        expect(none.terms(terms.join(' '))).toEqual(terms)
      }),
      { numRuns: 500, seed: 7 },
    )
  })

  it('does not depend on what was analysed before', async () => {
    const warm = await createAnalyser('english')
    for (let i = 0; i < 120_000; i++) warm.terms(`filler${i}x`)
    expect(warm.terms('createMemory paintings')).toEqual(english.terms('createMemory paintings'))
  })

  it('cuts endless words without breaking a surrogate pair', () => {
    const [term = ''] = none.terms(`a${'𝒳'.repeat(200)}`.normalize('NFC') + '𐐷'.repeat(200))
    expect(term.length).toBeLessThanOrEqual(128)
    expect(LONE_SURROGATE.test(term)).toBe(false)
  })

  it('refuses an unknown language by name', async () => {
    await expect(createAnalyser('klingon')).rejects.toThrow(ProlepsisError)
    await expect(createAnalyser('constructor')).rejects.toThrow(/klingon|constructor/)
  })
})
