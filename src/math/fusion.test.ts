import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuseByRank, fuseByScore, reciprocalRank } from './fusion.ts'

describe('fusion', () => {
  it('gives worked values', () => {
    expect(reciprocalRank(1)).toBe(1 / 61)
    expect(reciprocalRank(5, 10)).toBe(1 / 15)
    expect(fuseByRank([1, null, 3], [1, 5, 2], 60)).toBeCloseTo(1 / 61 + 2 / 63, 15)
    expect(fuseByScore([1, -2, 0.5], [2, 1, 4])).toBe(2)
  })

  it('gives 0 for a candidate in no list and for no scores', () => {
    expect(fuseByRank([null, null], [1, 1])).toBe(0)
    expect(fuseByScore([], [])).toBe(0)
  })

  it('refuses ranks below 1, negative weights and unlike lengths', () => {
    expect(() => reciprocalRank(0)).toThrow(RangeError)
    expect(() => reciprocalRank(1, -1)).toThrow(RangeError)
    expect(() => fuseByRank([1], [-1])).toThrow(RangeError)
    expect(() => fuseByRank([1], [1, 2])).toThrow(RangeError)
    expect(() => fuseByScore([1], [1, 2])).toThrow(RangeError)
    expect(() => fuseByScore([Number.NaN], [1])).toThrow(RangeError)
  })

  it('never falls when a rank improves, and does not depend on the order of the lists', () => {
    const lists = fc.array(
      fc.tuple(fc.option(fc.integer({ min: 1, max: 500 })), fc.double({ min: 0, max: 10, noNaN: true })),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(lists, fc.nat(7), (entries, pick) => {
        const ranks = entries.map(([rank]) => rank)
        const weights = entries.map(([, weight]) => weight)
        const value = fuseByRank(ranks, weights)
        const better = ranks.map((rank, i) => (i === pick % ranks.length ? 1 : rank))
        expect(fuseByRank(better, weights)).toBeGreaterThanOrEqual(value - 1e-12)
        expect(fuseByRank([...ranks].reverse(), [...weights].reverse())).toBeCloseTo(value, 12)
      }),
    )
  })

  it('orders whole lists as building them one by one does', () => {
    const permutation = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(permutation, permutation, (first, second) => {
        const slow = new Map<number, number>()
        for (const list of [first, second]) {
          list.forEach((id, i) => {
            slow.set(id, (slow.get(id) ?? 0) + 1 / (60 + i + 1))
          })
        }
        for (const id of first) {
          const ranks = [first.indexOf(id) + 1, second.indexOf(id) + 1]
          expect(fuseByRank(ranks, [1, 1])).toBeCloseTo(slow.get(id)!, 12)
        }
      }),
    )
  })
})
