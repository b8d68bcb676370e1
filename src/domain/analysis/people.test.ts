import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNameFinder, findPeople, isRoleName, withoutNames } from './people.ts'

describe('createNameFinder', () => {
  const find = createNameFinder([
    'Caroline',
    'Melanie',
    'Will',
    'Jane Doe',
    'John Smith',
    'John Jones',
    'José',
  ])

  it.each([
    ["What is caroline's plan?", ['Caroline']],
    ['MELANIE and Caroline’s kids', ['Caroline', 'Melanie']],
    ['Carolines are not people', []],
    ['will she come?', []],
    ['Did Will come?', ['Will']],
    ['when did Jane call', ['Jane Doe']],
    ['jane doe', ['Jane Doe']],
    ['John called', []],
    ['John Smith called', ['John Smith']],
    ['jose\u0301', ['José']],
    ['', []],
  ])('%s', (text, expected) => {
    expect(find(text)).toEqual(expected)
  })

  it('finds every known name that stands alone, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (names, text) => {
        createNameFinder(names)(text)
      }),
      { seed: 3 },
    )
  })
})

describe('findPeople', () => {
  it.each([
    ['Dr. Watson came. Prof. Ada Lovelace left.', ['Watson', 'Ada Lovelace']],
    ['Grace Hopper said that it works.', ['Grace Hopper']],
    ['My brother Tom and a girl named Anna', ['Tom', 'Anna']],
    ['Yesterday Morning was nice. New York is big. The Guide lists Machine Learning.', []],
    ['Today said nothing.', []],
  ])('%s', (text, expected) => {
    expect(findPeople(text)).toEqual(expected)
  })
})

it('tells roles from people', () => {
  expect(['User', 'assistant', 'AI', 'Caroline'].map(isRoleName)).toEqual([true, true, true, false])
})

describe('withoutNames', () => {
  it.each([
    ["What is Caroline's plan?", ['Caroline'], 'What is plan?'],
    ['Did caroline meet Melanie’s kids, Carolines?', ['Caroline', 'Melanie'], 'Did meet kids, Carolines?'],
    ['Caroline?', ['Caroline'], 'Caroline?'],
    ['a (b) c', ['(b)'], 'a c'],
    ['nobody', [], 'nobody'],
    ['Jo Ann and Jo', ['Jo', 'Jo Ann'], 'and'],
  ])('%s without %j', (text, names, expected) => {
    expect(withoutNames(text, names)).toBe(expected)
  })
})

it('a bank of very many speakers, or one with an endless name, is no pattern too large to compile', () => {
  const many = Array.from({ length: 100_000 }, (_, at) => `Speaker ${at} ${'of somewhere '.repeat(5)}`)
  expect(withoutNames("What is Ann's plan?", [...many, 'x'.repeat(100_000), 'Ann'])).toBe('What is plan?')
})
