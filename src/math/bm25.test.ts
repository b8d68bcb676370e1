import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bm25, inverseDocumentFrequency, termWeight } from './bm25.ts'

const words = fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'), { maxLength: 12 })

function count(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

describe('bm25', () => {
  it('gives worked values', () => {
    // N 3, n 1: ln(1 + 2.5/1.5) = ln(8/3)
    expect(inverseDocumentFrequency(3, 1)).toBeCloseTo(Math.log(8 / 3), 15)
    // f 2, length = average: 2·2.2/(2 + 1.2) = 1.375
    expect(termWeight(2, 10, { count: 3, averageLength: 10 }, 1)).toBeCloseTo(1.375 * Math.log(8 / 3), 14)
  })

  it('is 0 without shared terms, in an empty collection, and never negative for common terms', () => {
    expect(termWeight(0, 10, { count: 3, averageLength: 10 }, 1)).toBe(0)
    expect(termWeight(1, 1, { count: 0, averageLength: 0 }, 0)).toBeCloseTo(Math.log(2), 12)
    expect(inverseDocumentFrequency(5, 5)).toBeGreaterThan(0)
    expect(inverseDocumentFrequency(5, 9)).toBe(inverseDocumentFrequency(5, 5))
  })

  it('refuses values out of range', () => {
    const statistics = { count: 3, averageLength: 10 }
    expect(() => inverseDocumentFrequency(-1, 0)).toThrow(RangeError)
    expect(() => inverseDocumentFrequency(1, Number.NaN)).toThrow(RangeError)
    expect(() => termWeight(-1, 1, statistics, 1)).toThrow(RangeError)
    expect(() => termWeight(1, -1, statistics, 1)).toThrow(RangeError)
    expect(() => termWeight(1, 1, statistics, 1, { k1: -1, b: 0 })).toThrow(RangeError)
    expect(() => termWeight(1, 1, statistics, 1, { k1: 1, b: 2 })).toThrow(RangeError)
  })

  it('grows with the frequency, falls with the length, and stays under idf·(k1+1)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 500 }), (f, length) => {
        const statistics = { count: 100, averageLength: 40 }
        const weight = termWeight(f, length, statistics, 7)
        expect(termWeight(f + 1, length, statistics, 7)).toBeGreaterThan(weight)
        expect(termWeight(f, length + 1, statistics, 7)).toBeLessThan(weight)
        expect(weight).toBeLessThan(inverseDocumentFrequency(100, 7) * 2.2)
      }),
    )
  })

  it('equals the formula written out over raw word lists', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), words, (chunks, question) => {
        const averageLength = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / chunks.length
        const frequencies = new Map(
          ['a', 'b', 'c', 'd', 'e'].map((term) => [term, chunks.filter((c) => c.includes(term)).length]),
        )
        for (const chunk of chunks) {
          let slow = 0
          for (const term of question) {
            const f = chunk.filter((word) => word === term).length
            if (f === 0) continue
            const n = chunks.filter((other) => other.includes(term)).length
            const idf = Math.log(1 + (chunks.length - n + 0.5) / (n + 0.5))
            slow += (idf * (f * 2.2)) / (f + 1.2 * (0.25 + (0.75 * chunk.length) / averageLength))
          }
          const score = bm25(
            question.map((term) => ({ term, weight: 1 })),
            { frequencies: count(chunk), length: chunk.length },
            { count: chunks.length, averageLength },
            frequencies,
          )
          expect(score).toBeCloseTo(slow, 10)
        }
      }),
    )
  })
})
