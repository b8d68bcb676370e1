import { describe, expect, it } from 'vitest'
import { firstOccurrences, percentile, qualityRow } from './metrics.ts'

describe('qualityRow', () => {
  const cases = [
    // first at rank 1; one of two found at 5
    { ranked: [['a'], ['x'], ['y']], gold: ['a', 'b'], tookMs: 10 },
    // a passage that covers two items counts for both
    { ranked: [['x'], ['c', 'd'], ['y']], gold: ['c', 'd'], tookMs: 30 },
    // found only at rank 6
    { ranked: [['1'], ['2'], ['3'], ['4'], ['5'], ['e']], gold: ['e'], tookMs: 20 },
    { ranked: [], gold: ['f'], tookMs: 40 },
  ]

  it('counts cases with any relevant item in the first k', () => {
    const { any } = qualityRow(cases, [1, 5, 10])
    expect(any).toEqual({ 1: 25, 5: 50, 10: 75 })
  })

  it('averages the share of relevant items in the first k', () => {
    const { recall } = qualityRow(cases, [1, 5, 10])
    expect(recall).toEqual({ 1: 12.5, 5: 37.5, 10: 62.5 })
  })

  it('averages the reciprocal rank of the first relevant item, 0 where there is none', () => {
    expect(qualityRow(cases, [5]).mrr).toBeCloseTo((1 + 1 / 2 + 1 / 6) / 4, 3)
  })

  it('gives the median time', () => {
    expect(qualityRow(cases, [5]).p50Ms).toBe(20)
  })

  it('gives zeros for no cases', () => {
    expect(qualityRow([], [5])).toEqual({ any: { 5: 0 }, recall: { 5: 0 }, mrr: 0, p50Ms: 0 })
  })
})

describe('percentile', () => {
  it('is the smallest value that the share of values does not exceed', () => {
    const values = [5, 1, 4, 2, 3]
    expect([0, 0.2, 0.5, 0.95, 1].map((share) => percentile(values, share))).toEqual([1, 1, 3, 5, 5])
    expect(percentile([], 0.5)).toBe(0)
  })
})

describe('firstOccurrences', () => {
  it('keeps each id where it came first', () => {
    expect(firstOccurrences(['b', 'a', 'b', 'c', 'a'])).toEqual(['b', 'a', 'c'])
  })
})
