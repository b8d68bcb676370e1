import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTextTrace } from './text-trace.ts'

const traced = (...texts: string[]) => {
  const trace = createTextTrace()
  for (const text of texts) trace.add(text)
  return trace
}

test('a text is known again whatever its case, marks and spaces; a passage of 31 letters too', () => {
  const trace = traced('My secret is a tattoo of a quokka, which Zelda drew in 2019.')
  expect(trace.isIn('my SECRET is\n a tattoo of a quokka which zelda drew in 2019')).toBe(true)
  expect(trace.isIn('Did you say that "a tattoo of a quokka, which Zelda drew" exists?')).toBe(true)
  expect(trace.isIn('Where did Zelda draw?')).toBe(false)
})

test('a short text is looked for whole, a very short one by itself', () => {
  expect(traced('Just this.').isIn('I said: just this!')).toBe(true)
  expect(traced('Yes.').isIn('yesterday')).toBe(false)
  expect(traced('Yes.').isIn('well, yes.')).toBe(true)
  expect(traced('私はねこが好きです。').isIn('昨日「私はねこが好きです」と言いました')).toBe(true)
  expect(traced('!?').isIn('what')).toBe(false)
  expect(traced('  ').isIn('what')).toBe(false)
})

test('every passage of 31 letters of any text is found', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 31, maxLength: 200, unit: fc.constantFrom(...'abcdefghij') }),
      fc.nat(),
      fc.string({ unit: fc.constantFrom(...'xyz ') }),
      (text, from, around) => {
        const at = from % (text.length - 30)
        return traced(text).isIn(`${around} ${text.slice(at, at + 31)} ${around}`)
      },
    ),
  )
})
