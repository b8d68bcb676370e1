import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GRADES, type Grades, scoresOf } from './read-grades.ts'

/** Indices of the documents, the best first. */
const orderOf = (reply: Grades, count: number): number[] | null => {
  const scores = scoresOf(reply, count)
  return scores?.map((_, index) => index).sort((a, b) => scores[b]! - scores[a]!) ?? null
}

test('grades order, the ranking parts equal grades', () => {
  expect(orderOf({ grades: { 1: 0, 2: 3, 3: 3, 4: 1 }, ranking: [3, 2, 4, 1] }, 4)).toEqual([2, 1, 3, 0])
  expect(orderOf({ grades: { 1: 1, 2: 1, 3: 2 } }, 3)).toEqual([2, 0, 1])
})

test('documents that the reply leaves out keep their places', () => {
  expect(orderOf({ grades: { 1: 0, 4: 3 } }, 5)).toEqual([3, 1, 2, 0, 4])
  expect(orderOf({ ranking: [5, 1] }, 5)).toEqual([4, 1, 2, 3, 0])
})

test('numbers of documents that do not exist are passed over', () => {
  expect(orderOf({ grades: { 0: 3, 2: 3, 99: 3, '-1': 3 }, ranking: [7, 2, 0] }, 2)).toEqual([0, 1])
  expect(orderOf({ grades: { 1: 0, 2: 3, 9: 3 } }, 2)).toEqual([1, 0])
  expect(orderOf({ grades: { 8: 3 }, ranking: [9] }, 2)).toBeNull()
  expect(orderOf({}, 2)).toBeNull()
})

test('reads what models make of the form', () => {
  expect(orderOf({ grades: { '[1]': '0', 'document 2': '3' } }, 2)).toEqual([1, 0])
  expect(orderOf({ grades: [0, 3, 1] }, 3)).toEqual([1, 2, 0])
  expect(orderOf({ grades: { 1: 100, 2: 3 }, ranking: [2, 1] }, 2)).toEqual([1, 0])
  expect(orderOf({ grades: { 1: 'high', 2: '' }, ranking: ['[2]', '1'] }, 2)).toEqual([1, 0])
})

test('any reply of the form gives one distinct whole number a document, or none at all', () => {
  const amount = fc.oneof(fc.integer({ min: -5, max: 12 }), fc.double(), fc.string({ maxLength: 4 }))
  const reply = fc.record(
    {
      grades: fc.oneof(
        fc.dictionary(fc.oneof(fc.string({ maxLength: 3 }), fc.nat(12).map(String)), amount),
        fc.array(amount),
      ),
      ranking: fc.array(amount),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(reply, fc.integer({ min: 1, max: 9 }), (given, count) => {
      const parsed = GRADES.safeParse(given)
      const scores = parsed.success ? scoresOf(parsed.data, count) : null
      if (scores === null) return
      expect([...scores].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i + 1))
    }),
  )
})
