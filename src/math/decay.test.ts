import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effectiveStrength, halfLifeDays, strengthAtUse } from './decay.ts'

const DAY = 86_400_000
const activity = fc.record({
  significance: fc.double({ min: 0, max: 1, noNaN: true }),
  valence: fc.double({ min: -1, max: 1, noNaN: true }),
  uses: fc.nat(40),
  lastUsedAt: fc.integer({ min: 0, max: 2e12 }),
})

describe('decay', () => {
  it('gives worked values', () => {
    expect(strengthAtUse(0, 0)).toBeCloseTo(0.3, 15)
    expect(strengthAtUse(1, 0)).toBe(1)
    expect(strengthAtUse(0, 2)).toBeCloseTo(1 - 0.7 * 0.81, 15)
    expect(halfLifeDays(0, 0, 0)).toBe(7)
    expect(halfLifeDays(1, -1, 1)).toBeCloseTo(14 / (0.3 * 0.5), 12)
    // one half-life later, half is left
    const fresh = { significance: 0, valence: 0, uses: 0, lastUsedAt: 0 }
    expect(effectiveStrength(fresh, 7 * DAY)).toBeCloseTo(0.15, 12)
  })

  it('takes a last use in the future as now', () => {
    const state = { significance: 0.5, valence: 0, uses: 1, lastUsedAt: 10 * DAY }
    expect(effectiveStrength(state, 0)).toBe(strengthAtUse(0.5, 1))
  })

  it('refuses values out of range', () => {
    expect(() => strengthAtUse(1.1, 0)).toThrow(RangeError)
    expect(() => strengthAtUse(0.5, 1.5)).toThrow(RangeError)
    expect(() => halfLifeDays(0.5, -2, 0)).toThrow(RangeError)
    const state = { significance: 0.5, valence: 0, uses: 1, lastUsedAt: Number.NaN }
    expect(() => effectiveStrength(state, 0)).toThrow(RangeError)
    expect(() => effectiveStrength({ ...state, lastUsedAt: 0 }, Number.POSITIVE_INFINITY)).toThrow(RangeError)
  })

  it('stays in [0, 1], never grows with time, and grows with use and significance', () => {
    fc.assert(
      fc.property(activity, fc.nat(4000), (state, days) => {
        const now = state.lastUsedAt + days * DAY
        const strength = effectiveStrength(state, now)
        expect(strength).toBeGreaterThanOrEqual(0)
        expect(strength).toBeLessThanOrEqual(1)
        expect(effectiveStrength(state, now + DAY)).toBeLessThanOrEqual(strength)
        expect(effectiveStrength({ ...state, uses: state.uses + 1 }, now)).toBeGreaterThanOrEqual(strength)
        expect(effectiveStrength({ ...state, significance: 1 }, now)).toBeGreaterThanOrEqual(strength - 1e-12)
      }),
    )
  })

  it('is the same in one step as in many: halving day by day', () => {
    fc.assert(
      fc.property(activity, fc.integer({ min: 1, max: 60 }), (state, days) => {
        const perDay = 2 ** (-1 / halfLifeDays(state.significance, state.valence, state.uses))
        let slow = 1
        let room = 0.7 * (1 - state.significance)
        for (let use = 0; use < state.uses; use++) room *= 0.9
        slow -= room
        for (let day = 0; day < days; day++) slow *= perDay
        expect(effectiveStrength(state, state.lastUsedAt + days * DAY)).toBeCloseTo(slow, 10)
      }),
    )
  })
})
