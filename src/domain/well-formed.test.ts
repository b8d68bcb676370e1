import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertWellFormed, assertWellFormedJson } from './well-formed.ts'

test('any well-formed text without NUL passes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const clean = text.replaceAll('\u0000', '')
      expect(() => assertWellFormed(clean, 'the text')).not.toThrow()
      expect(() => assertWellFormedJson({ [clean]: [clean, { a: clean }] }, 'metadata')).not.toThrow()
    }),
    { seed: 1 },
  )
})

test('NUL and lone surrogates are refused with their offset', () => {
  const at = (offset: number) =>
    expect.objectContaining({ code: 'INVALID_TEXT', details: { what: 'x', offset } })
  expect(() => assertWellFormed('ab\u0000c', 'x')).toThrowError(at(2))
  expect(() => assertWellFormed('😀\ud83d!', 'x')).toThrowError(at(2))
  expect(() => assertWellFormed('a\udc00', 'x')).toThrowError(at(1))
  expect(() => assertWellFormedJson({ deep: [{ 'k\u0000': 1 }] }, 'x')).toThrowError(at(1))
})
