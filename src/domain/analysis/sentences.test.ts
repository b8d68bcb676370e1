import fc from 'fast-check'
import { expect, it } from 'vitest'
import { looksEnglish } from './english-text.ts'
import { isQuestion, sentences } from './sentences.ts'

it.each([
  ['Hi there! "Really?" she said. It is 3.5 m.', ['Hi there!', '"Really?"', 'she said.', 'It is 3.5 m.']],
  ['Dr. Smith met J. Doe. So did I. Then we left.', ['Dr. Smith met J. Doe.', 'So did I.', 'Then we left.']],
  ['你好。再见！“走吧。”他说。', ['你好。', '再见！', '“走吧。”', '他说。']],
  ['one line\n\ntwo lines\r\nthree', ['one line', 'two lines', 'three']],
  ['  \n ', []],
])('cuts %j', (text, expected) => {
  expect(sentences(text)).toEqual(expected)
})

it('loses no letter', () => {
  const letters = (text: string): string => text.replace(/\s+/gu, '')
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', '.', '?', '"', ' ', '\n', '。', '」', 'D', 'r') }),
      (text) => {
        expect(letters(sentences(text).join(''))).toBe(letters(text))
      },
    ),
    { seed: 5 },
  )
})

it('knows a question by its end', () => {
  expect(['Who?', '"Who?"', '谁？', 'Who.', 'Who? Me.'].map(isQuestion)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

it('tells English from its neighbours', () => {
  expect(looksEnglish('We went to the park and it was so much fun for all of us.')).toBe(true)
  expect(looksEnglish('Wir gingen in den Park und es war für uns alle ein großer Spaß.')).toBe(false)
  expect(looksEnglish('We gingen naar het park en het was heel leuk voor ons allemaal.')).toBe(false)
  expect(looksEnglish('')).toBe(false)
})
