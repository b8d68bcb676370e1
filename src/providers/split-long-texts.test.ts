import fc from 'fast-check'
import { expect, test } from 'vitest'
import { embedWithinWindow, splitToFit } from './split-long-texts.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const letters = (text: string): number => text.length

test('a text that fits stays whole', () => {
  expect(splitToFit('one two three', { countTokens: words, maxTokens: 3 })).toEqual(['one two three'])
})

test('a longer one is cut between words, as few times as it takes', () => {
  const parts = splitToFit('one two three four five', { countTokens: words, maxTokens: 2 })
  expect(parts.map((part) => part.trim())).toEqual(['one two', 'three four', 'five'])
})

test('a run without white space is cut between words, a word that is too long between characters', () => {
  expect(
    splitToFit('今天天气很好', { countTokens: letters, maxTokens: 2 }).every((part) => part.length <= 2),
  ).toBe(true)
  expect(splitToFit('abcdefgh', { countTokens: letters, maxTokens: 3 }).join('')).toBe('abcdefgh')
  expect(splitToFit('😀😀😀', { countTokens: letters, maxTokens: 2 })).toEqual(['😀', '😀', '😀'])
})

test('parts of any text fit and hold all of it', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 80 })
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 20 }), (whole, maxTokens) => {
      const parts = splitToFit(whole, { countTokens: letters, maxTokens })
      expect(parts.join('')).toBe(whole)
      for (const part of parts) expect(part.length <= maxTokens || [...part].length === 1).toBe(true)
    }),
  )
})

test('the parts are averaged by their tokens', async () => {
  const splits: number[][] = []
  const [vector] = await embedWithinWindow(
    ['a b c'],
    { countTokens: words, maxTokens: 2, onSplit: (...told) => splits.push(told) },
    async (parts) => parts.map((_, i) => Float32Array.of(i === 0 ? 1 : 0, i === 0 ? 0 : 1)),
  )
  expect(Array.from(vector!)).toEqual([2, 1].map((x) => Math.fround(x / Math.sqrt(5))))
  expect(splits).toEqual([[0, 2]])
})

test('opposite parts leave the first', async () => {
  const [vector] = await embedWithinWindow(['a b'], { countTokens: words, maxTokens: 1 }, async () => [
    Float32Array.of(1, 0),
    Float32Array.of(-1, 0),
  ])
  expect(Array.from(vector!)).toEqual([1, 0])
})
