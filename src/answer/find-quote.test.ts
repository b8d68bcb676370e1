import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findQuote } from './find-quote.ts'
import { foldText } from './fold-text.ts'

const TEXT = `Kelly was born on **March 4th 1990** — in “Leeds”.
She does not eat peanuts; she  does
eat ﬁsh… and also al dente pasta. 東京に住んでいます。`

function found(quote: string, text: string = TEXT): string | null {
  const place = findQuote(quote, text)
  return place === null ? null : `${place.match}: ${text.slice(place.start, place.end)}`
}

describe('a quote is found in spite of', () => {
  test.each([
    ['case', 'kelly WAS born', 'exact: Kelly was born'],
    ['emphasis', 'born on March 4th 1990', 'exact: born on **March 4th 1990'],
    ['typographic quotes and dashes', '1990 - in "Leeds"', 'exact: 1990** — in “Leeds'],
    ['white space and line breaks', 'she does eat', 'exact: she  does\neat'],
    ['the marks of quoted lines', 'she does\n> eat fish', 'exact: she  does\neat ﬁsh'],
    ['ligatures', 'eat fish', 'exact: eat ﬁsh'],
    ['quotation marks and dots around it', '"…she does not eat peanuts…"', 'exact: She does not eat peanuts'],
    ['a script without spaces', '東京に住んで', 'exact: 東京に住んで'],
  ])('%s', (_name, quote, expected) => {
    expect(found(quote)).toBe(expected)
  })
})

describe('a quote is not found', () => {
  test.each([
    ['when it is only a part of a word', 'els', null],
    ['when it ends within a word', 'She does not eat pea', null],
    ['when it has no letter', '" … "', null],
    ['when it is empty', '', null],
    ['when most words are others', 'Kelly was hardly ever seen in the town of Leeds', null],
    ['when a short one differs in one word', 'she does never eat', null],
  ])('%s', (_name, quote, expected) => {
    expect(found(quote)).toBe(expected)
  })

  test('"al" is met as a word, not within "also"', () => {
    const place = findQuote('al', TEXT)
    expect(TEXT.slice(place!.start - 5, place!.end + 6)).toBe('also al dente')
  })
})

describe('a near quote', () => {
  test('with a word wrong in ten is located, and the text is what stands there', () => {
    expect(found('Kelly was born upon March 4th 1990 in Leeds', TEXT)).toBe(
      'near: Kelly was born on **March 4th 1990** — in “Leeds',
    )
  })

  test('with a piece left out spans from the first piece to the last', () => {
    expect(found('Kelly was born … in “Leeds”')).toBe(
      'near: Kelly was born on **March 4th 1990** — in “Leeds',
    )
    expect(found('Kelly was born [...] in Leeds')).toBe(null)
  })

  test('whose pieces come in another order is none', () => {
    expect(found('She does not eat … Kelly was born')).toBe(null)
  })
})

const word = fc.string({ unit: fc.constantFrom(...'abcdeé東ßĳ'), minLength: 1, maxLength: 6 })
const words = fc.array(word, { minLength: 1, maxLength: 30 })

test('any run of whole words of a text is found in it, and the place holds it', () => {
  fc.assert(
    fc.property(words, fc.nat(), fc.nat(), (all, from, length) => {
      const start = from % all.length
      const run = all.slice(start, start + 1 + (length % all.length))
      const text = all.join('  ')
      const place = findQuote(run.join(' '), text)
      expect(place?.match).toBe('exact')
      expect(foldText(text.slice(place!.start, place!.end)).text).toBe(foldText(run.join(' ')).text)
    }),
  )
})

test('whatever is asked, a place lies within the text and is not empty', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (quote, text) => {
      const place = findQuote(quote, text)
      if (place === null) return
      expect(place.start).toBeGreaterThanOrEqual(0)
      expect(place.end).toBeGreaterThan(place.start)
      expect(place.end).toBeLessThanOrEqual(text.length)
    }),
  )
})

test('a quote with a word changed in a long run is near, never exact', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 10, maxLength: 30 }), fc.nat(), (all, at) => {
      const changed = all.with(at % all.length, 'zzz')
      expect(findQuote(changed.join(' '), all.join(' '))?.match ?? 'near').toBe('near')
    }),
  )
})

test('folding keeps places in order, within the original', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { text: folded, starts, ends } = foldText(text)
      expect(starts.length).toBe(folded.length + 1)
      for (let i = 0; i < folded.length; i++) {
        expect(starts[i]).toBeLessThanOrEqual(starts[i + 1]!)
        expect(ends[i]).toBeLessThanOrEqual(text.length)
        expect(ends[i]).toBeGreaterThan(starts[i]!)
      }
    }),
  )
})
