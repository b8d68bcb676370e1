import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overlapAt, rankBiasedOverlap } from './list-overlap.ts'

const list = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 })

describe('overlapAt', () => {
  test('by hand: two of three at depth 3', () => {
    expect(overlapAt(['a', 'b', 'c', 'd'], ['b', 'x', 'a', 'c'], 3)).toBeCloseTo(2 / 3, 12)
    expect(overlapAt([], [], 10)).toBe(1)
    expect(overlapAt(['a'], [], 10)).toBe(0)
    expect(overlapAt(['a', 'b'], ['b'], 10)).toBe(0.5)
  })
  test('is symmetric, between 0 and 1, and 1 of a list with itself', () => {
    fc.assert(
      fc.property(list, list, fc.integer({ min: 1, max: 25 }), (a, b, depth) => {
        const value = overlapAt(a, b, depth)
        expect(value).toBe(overlapAt(b, a, depth))
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThanOrEqual(1)
        expect(overlapAt(a, a, depth)).toBe(1)
      }),
    )
  })
})

/** The sum as the paper writes it, the intersection counted anew at each depth. */
function slow(a: readonly number[], b: readonly number[], p: number): number {
  const k = Math.max(a.length, b.length)
  if (k === 0) return 1
  const agreement = (d: number): number => a.slice(0, d).filter((x) => b.slice(0, d).includes(x)).length / d
  let sum = 0
  for (let d = 1; d <= k; d++) sum += agreement(d) * p ** d
  return agreement(k) * p ** k + ((1 - p) / p) * sum
}

describe('rankBiasedOverlap', () => {
  test('by hand: the same two items the other way round, p = 0.5', () => {
    // A_1 = 0, A_2 = 1: 1 · 0.25 + 1 · (0 + 0.25)
    expect(rankBiasedOverlap(['a', 'b'], ['b', 'a'], 0.5)).toBeCloseTo(0.5, 12)
  })
  test('is the sum of the paper, symmetric, 1 of a list with itself, 0 of lists with nothing in common', () => {
    fc.assert(
      fc.property(list, list, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (a, b, p) => {
        const value = rankBiasedOverlap(a, b, p)
        expect(value).toBeCloseTo(slow(a, b, p), 9)
        expect(value).toBeCloseTo(rankBiasedOverlap(b, a, p), 12)
        expect(rankBiasedOverlap(a, a, p)).toBeCloseTo(1, 9)
        const others = b.map((x) => x + 100)
        if (a.length > 0) expect(rankBiasedOverlap(a, others, p)).toBe(0)
      }),
    )
  })
  test('refuses a persistence that is no probability between', () => {
    for (const p of [0, 1, -1, Number.NaN]) expect(() => rankBiasedOverlap([], [], p)).toThrow(RangeError)
  })
})
