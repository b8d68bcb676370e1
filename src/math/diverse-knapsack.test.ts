import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diverseKnapsack, diverseValue } from './diverse-knapsack.ts'
import { knapsack } from './knapsack.ts'

const item = fc.record({ value: fc.integer({ min: 0, max: 30 }), size: fc.integer({ min: 1, max: 12 }) })
const positions = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 24, maxLength: 24 })

/** Items at positions on a line: the nearer, the more alike. */
function alike(places: readonly number[]): (i: number, j: number) => number {
  return (i, j) => Math.max(0, 1 - 2 * Math.abs(places[i]! - places[j]!))
}

describe('diverseKnapsack', () => {
  it('prefers a weaker text to the repetition of a strong one', () => {
    const list = [
      { value: 10, size: 5 },
      { value: 9, size: 5 },
      { value: 6, size: 5 },
    ]
    const similarity = (i: number, j: number): number => (i + j === 1 ? 1 : 0)
    expect(knapsack(list, { budget: 10 })).toEqual([0, 1])
    expect(diverseKnapsack(list, { budget: 10 }, similarity, 0.5)).toEqual([0, 2])
    // 10 + 9·(1 − 0.5·1)
    expect(diverseValue(list, [0, 1], similarity, 0.5)).toBe(14.5)
  })

  it('is the plain knapsack without a penalty, and takes nothing from nothing', () => {
    const list = [
      { value: 3, size: 1 },
      { value: 2, size: 1 },
    ]
    expect(diverseKnapsack(list, { budget: 1 }, () => 1, 0)).toEqual([0])
    expect(diverseKnapsack([], { budget: 1 }, () => 1, 0.5)).toEqual([])
    expect(() => diverseKnapsack(list, { budget: 1 }, () => 1, 2)).toThrow(RangeError)
  })

  it('never passes the budget or the count, and is never worse than the plain choice', () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 24 }),
        positions,
        fc.nat(60),
        fc.integer({ min: 1, max: 8 }),
        (list, places, budget, maxItems) => {
          const similarity = alike(places)
          const chosen = diverseKnapsack(list, { budget, maxItems }, similarity, 0.6)
          expect(chosen.reduce((sum, i) => sum + list[i]!.size, 0)).toBeLessThanOrEqual(budget)
          expect(chosen.length).toBeLessThanOrEqual(maxItems)
          const plain = knapsack(list, { budget, maxItems })
          expect(diverseValue(list, chosen, similarity, 0.6)).toBeGreaterThanOrEqual(
            diverseValue(list, plain, similarity, 0.6) - 1e-9,
          )
        },
      ),
    )
  })

  it('equals trying every subset for up to 12 items', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), positions, fc.nat(40), (list, places, budget) => {
        const similarity = alike(places)
        let best = 0
        for (let subset = 0; subset < 1 << list.length; subset++) {
          const chosen = list.flatMap((_, i) => (subset & (1 << i) ? [i] : []))
          if (chosen.reduce((sum, i) => sum + list[i]!.size, 0) > budget) continue
          best = Math.max(best, diverseValue(list, chosen, similarity, 0.4))
        }
        const chosen = diverseKnapsack(list, { budget }, similarity, 0.4)
        expect(diverseValue(list, chosen, similarity, 0.4)).toBeCloseTo(best, 9)
      }),
    )
  })
})
