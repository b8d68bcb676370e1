import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type KnapsackItem, knapsack } from './knapsack.ts'

const items = fc.array(
  fc.record({ value: fc.integer({ min: 0, max: 30 }), size: fc.integer({ min: 0, max: 15 }) }),
  { maxLength: 10 },
)

function totals(list: readonly KnapsackItem[], chosen: readonly number[]): KnapsackItem {
  return {
    value: chosen.reduce((sum, i) => sum + list[i]!.value, 0),
    size: chosen.reduce((sum, i) => sum + list[i]!.size, 0),
  }
}

function bestBySubsets(list: readonly KnapsackItem[], budget: number, maxItems: number): number {
  let best = 0
  for (let subset = 0; subset < 1 << list.length; subset++) {
    const chosen = list.flatMap((_, i) => (subset & (1 << i) ? [i] : []))
    const { value, size } = totals(list, chosen)
    if (size <= budget && chosen.length <= maxItems) best = Math.max(best, value)
  }
  return best
}

describe('knapsack', () => {
  it('gives the worked choice that greed by value and by rate both miss', () => {
    const list = [
      { value: 60, size: 10 },
      { value: 100, size: 20 },
      { value: 120, size: 30 },
    ]
    expect(knapsack(list, { budget: 50 })).toEqual([1, 2])
    expect(knapsack(list, { budget: 50, maxItems: 1 })).toEqual([2])
    expect(knapsack(list, { budget: 60 })).toEqual([0, 1, 2])
  })

  it('takes nothing when nothing fits or nothing is worth it', () => {
    expect(knapsack([], { budget: 5 })).toEqual([])
    expect(knapsack([{ value: 1, size: 6 }], { budget: 5 })).toEqual([])
    expect(knapsack([{ value: 0, size: 0 }], { budget: 5 })).toEqual([])
    expect(knapsack([{ value: 1, size: 1 }], { budget: 5, maxItems: 0 })).toEqual([])
    expect(knapsack([{ value: 1, size: 0 }], { budget: 0 })).toEqual([0])
  })

  it('refuses negative, fractional and unbounded input', () => {
    expect(() => knapsack([], { budget: -1 })).toThrow(RangeError)
    expect(() => knapsack([{ value: 1, size: 0.5 }], { budget: 1 })).toThrow(RangeError)
    expect(() => knapsack([{ value: -1, size: 1 }], { budget: 1 })).toThrow(RangeError)
    expect(() => knapsack([{ value: Number.NaN, size: 1 }], { budget: 1 })).toThrow(RangeError)
    expect(() => knapsack([{ value: 1, size: 1 }], { budget: 1, maxItems: -1 })).toThrow(RangeError)
  })

  it('equals trying every subset', () => {
    fc.assert(
      fc.property(items, fc.nat(60), fc.nat(10), (list, budget, maxItems) => {
        const chosen = knapsack(list, { budget, maxItems })
        const { value, size } = totals(list, chosen)
        expect(size).toBeLessThanOrEqual(budget)
        expect(chosen.length).toBeLessThanOrEqual(maxItems)
        expect(new Set(chosen).size).toBe(chosen.length)
        expect(value).toBe(bestBySubsets(list, budget, maxItems))
      }),
      { numRuns: 300 },
    )
  })

  it('fits large budgets by scaling, within one rounded unit an item of the optimum', () => {
    const large = fc.array(
      fc.record({
        value: fc.integer({ min: 1, max: 100 }),
        size: fc.integer({ min: 100_000, max: 3_000_000 }),
      }),
      { minLength: 4, maxLength: 9 },
    )
    fc.assert(
      fc.property(large, fc.integer({ min: 500_000, max: 9_000_000 }), (list, budget) => {
        const { value, size } = totals(list, knapsack(list, { budget }))
        expect(size).toBeLessThanOrEqual(budget)
        // 4 million cells over at most 9 × 10 rows: a unit is below 250; nine items lose at most 9 units of budget
        expect(value).toBeGreaterThanOrEqual(bestBySubsets(list, budget - 9 * 250, list.length))
      }),
      { numRuns: 30 },
    )
  })
})
