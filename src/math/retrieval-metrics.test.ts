import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstRank, percentile, recallAt, retrievalQuality } from './retrieval-metrics.ts'

const list = (ranked: readonly string[][], gold: readonly string[]) => ({ ranked, gold })

describe('retrieval metrics', () => {
  test('by hand', () => {
    const one = list([['a'], ['x'], ['y']], ['a', 'b'])
    const two = list([['x'], ['c', 'd'], ['y']], ['c', 'd'])
    expect([firstRank(one), firstRank(two), firstRank(list([['x']], ['a']))]).toEqual([1, 2, null])
    expect([recallAt(one, 1), recallAt(two, 1), recallAt(two, 2), recallAt(list([['x']], []), 1)]).toEqual([
      ...[0.5, 0, 1, 0],
    ])
    expect(retrievalQuality([one, two], [1, 2])).toEqual({
      any: { 1: 0.5, 2: 1 },
      recall: { 1: 0.25, 2: 0.75 },
      mrr: 0.75,
    })
    expect(retrievalQuality([], [5])).toEqual({ any: { 5: 0 }, recall: { 5: 0 }, mrr: 0 })
  })

  test('percentiles are values of the list', () => {
    expect([percentile([3, 1, 2], 0.5), percentile([1, 2, 3, 4], 0.95), percentile([], 0.5)]).toEqual([
      2, 4, 0,
    ])
  })

  test('recall grows with k, lies between any and nothing, and both end at what is ranked', () => {
    const items = fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 2 }), { maxLength: 15 })
    const gold = fc.uniqueArray(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(items, gold, fc.integer({ min: 1, max: 15 }), (ranked, wanted, k) => {
        const lists = [{ ranked, gold: wanted }]
        const { any, recall, mrr } = retrievalQuality(lists, [k, k + 1])
        expect(recall[k]).toBeLessThanOrEqual(recall[k + 1]!)
        expect(recall[k]).toBeLessThanOrEqual(any[k]!)
        // the slow, obvious way
        const first = ranked.findIndex((some) => some.some((item) => wanted.includes(item)))
        expect(mrr).toBe(first < 0 ? 0 : 1 / (first + 1))
        expect(any[k]).toBe(first >= 0 && first < k ? 1 : 0)
      }),
    )
  })
})
