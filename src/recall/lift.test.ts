import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Activity } from '../store/queries/activity.ts'
import { liftedScore, lifts, MAX_LIFT } from './lift.ts'

const NOW = Date.UTC(2024, 0, 1)
const used = (change: Partial<Activity> = {}): Activity => ({
  ...{ chunkId: 1, significance: 0.3, uses: 5, lastUsedAt: new Date(NOW), pinned: false },
  ...change,
})

describe('lift', () => {
  it('is neutral without activity', () => {
    expect([...lifts([0.9, 0.1], [1, 2], new Map(), NOW)]).toEqual([1, 1])
    const marked = used({ uses: 0, lastUsedAt: null })
    expect([...lifts([0.9], [1], new Map([[1, marked]]), NOW)]).toEqual([1])
  })

  it('lifts what was used, less as time passes, and a pin most', () => {
    const lift = (activity: Activity, now: number): number =>
      lifts([0.5], [1], new Map([[1, activity]]), now)[0] ?? Number.NaN
    const fresh = lift(used(), NOW)
    const later = lift(used(), NOW + 30 * 86_400_000)
    expect(fresh).toBeGreaterThan(1)
    expect(later).toBeLessThan(fresh)
    expect(lift(used({ pinned: true }), NOW)).toBe(1 + MAX_LIFT)
  })

  it('is gated by relevance', () => {
    const pinned = new Map([[2, used({ pinned: true })]])
    expect(lifts([0.8, 0.08], [1, 2], pinned, NOW)[1]).toBeCloseTo(1 + 0.1 * MAX_LIFT, 12)
    expect(lifts([2, -1], [1, 2], pinned, NOW)[1]).toBe(1)
    expect(lifts([0, 0], [1, 2], pinned, NOW)[1]).toBe(1)
  })

  it('keeps probabilities, bounds and the order of scores', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(share, fc.double({ min: 1, max: 1 + MAX_LIFT, noNaN: true }), (p, lift) => {
        const score = liftedScore('learned', p, lift)
        expect(score).toBeGreaterThanOrEqual(p - 1e-12)
        expect(score).toBeLessThanOrEqual(Math.min(1, p * lift) + 1e-12)
      }),
    )
    expect(liftedScore('standard', -2, 1.3)).toBe(-2)
    expect(liftedScore('rrf', 0.02, 1.3)).toBeCloseTo(0.026, 12)
  })
})
