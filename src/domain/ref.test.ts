import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatRef, parseRef } from './ref.ts'

describe('ref', () => {
  it('counts chunks from 1 and names the version only when it is not the current one', () => {
    expect(formatRef({ source: 'kelly.md', version: 2, ordinal: 2, current: true })).toBe('kelly.md#3')
    expect(formatRef({ source: 'kelly.md', version: 2, ordinal: 2, current: false })).toBe('kelly.md@2#3')
  })

  it('reads what it writes', () => {
    expect(parseRef('kelly.md#3')).toEqual({ source: 'kelly.md', version: null, ordinal: 2 })
    expect(parseRef('kelly.md@2#3')).toEqual({ source: 'kelly.md', version: 2, ordinal: 2 })
    expect(parseRef('a#b#7')).toEqual({ source: 'a#b', version: null, ordinal: 6 })
    expect(parseRef('me@home#1')).toEqual({ source: 'me@home', version: null, ordinal: 0 })
  })

  it('takes anything else for no ref', () => {
    for (const text of [
      '',
      '#',
      '#1',
      'a',
      'a#',
      'a#0',
      'a#01',
      'a#-1',
      'a#1.5',
      'a#3000000000',
      'a@9999999999#1',
    ]) {
      expect(parseRef(text), text).toBeNull()
    }
  })

  it('reads back every source, version and ordinal', () => {
    const source = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc
        .tuple(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('@2', '#3', '@2#3', '@', '#', '\n', '@0', '@01'),
        )
        .map(([head, tail]) => head + tail),
    )
    const number = fc.integer({ min: 1, max: 2_147_483_647 })
    fc.assert(
      fc.property(source, number, number, fc.boolean(), (name, version, place, current) => {
        const parsed = parseRef(formatRef({ source: name, version, ordinal: place - 1, current }))
        expect(parsed?.source).toBe(name)
        expect(parsed?.ordinal).toBe(place - 1)
        expect(parsed?.version === null ? current : parsed?.version === version).toBe(true)
      }),
    )
  })
})
