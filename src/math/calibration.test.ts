import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calibrate, fitPlatt } from './calibration.ts'

describe('calibration', () => {
  it('gives the smoothed base rate for scores without spread', () => {
    const scale = fitPlatt([0, 0, 0, 0], [true, false, false, false])
    // targets 2/3 once and 1/5 three times: mean (2/3 + 3/5)/4
    expect(calibrate(scale, 0)).toBeCloseTo((2 / 3 + 3 / 5) / 4, 6)
  })

  it('turns separable scores into probabilities short of certainty', () => {
    const scale = fitPlatt([-2, -1, 1, 2], [false, false, true, true])
    expect(calibrate(scale, 1.5)).toBeGreaterThan(0.7)
    expect(calibrate(scale, 2)).toBeLessThan(0.95)
    expect(calibrate(scale, 0)).toBeCloseTo(0.5, 6)
  })

  it('refuses empty, unlike and unbounded input', () => {
    expect(() => fitPlatt([], [])).toThrow(RangeError)
    expect(() => fitPlatt([1], [])).toThrow(RangeError)
    expect(() => fitPlatt([Number.NaN], [true])).toThrow(RangeError)
    expect(() => calibrate({ slope: 1, offset: 0 }, Number.NaN)).toThrow(RangeError)
  })

  const sample = fc.array(fc.tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.boolean()), {
    minLength: 3,
    maxLength: 30,
  })

  it('matches the mean of the smoothed targets, and the unit of the scores does not matter', () => {
    fc.assert(
      fc.property(sample, fc.constantFrom(0.01, 7, 1000), (pairs, unit) => {
        const scores = pairs.map(([score]) => score)
        const labels = pairs.map(([, label]) => label)
        const scale = fitPlatt(scores, labels)
        const positives = labels.filter(Boolean).length
        const negatives = labels.length - positives
        const mean =
          ((positives * (positives + 1)) / (positives + 2) + negatives / (negatives + 2)) / labels.length
        const predicted = scores.reduce((sum, score) => sum + calibrate(scale, score), 0) / scores.length
        expect(predicted).toBeCloseTo(mean, 4)
        const scaled = fitPlatt(
          scores.map((score) => score * unit),
          labels,
        )
        expect(calibrate(scaled, scores[0]! * unit)).toBeCloseTo(calibrate(scale, scores[0]!), 4)
      }),
    )
  })

  it('is no worse than any scale of a coarse grid, by the likelihood it maximises', () => {
    fc.assert(
      fc.property(sample, (pairs) => {
        const scores = pairs.map(([score]) => score)
        const labels = pairs.map(([, label]) => label)
        const positives = labels.filter(Boolean).length
        const high = (positives + 1) / (positives + 2)
        const low = 1 / (labels.length - positives + 2)
        const loss = (slope: number, offset: number): number =>
          pairs.reduce((sum, [score, label]) => {
            const p = 1 / (1 + Math.exp(-(slope * score + offset)))
            const target = label ? high : low
            return sum - target * Math.log(p) - (1 - target) * Math.log(1 - p)
          }, 0)
        const scale = fitPlatt(scores, labels)
        const reached = loss(scale.slope, scale.offset)
        for (let slope = -2; slope <= 2; slope += 0.5) {
          for (let offset = -2; offset <= 2; offset += 0.5) {
            expect(reached).toBeLessThanOrEqual(loss(slope, offset) + 1e-3)
          }
        }
      }),
      { numRuns: 40 },
    )
  })
})
