import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitLogistic, predictLogistic, sigmoid } from './logistic.ts'

const problem = fc
  .integer({ min: 1, max: 3 })
  .chain((n) =>
    fc.array(
      fc.tuple(
        fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: n, maxLength: n }),
        fc.constantFrom(0, 1),
      ),
      { minLength: 2, maxLength: 20 },
    ),
  )

/** Plain gradient descent on the same loss, thousands of small steps. */
function slowFit(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  penalty: number,
): number[] {
  const n = rows[0]!.length
  const parameters = new Array<number>(n + 1).fill(0)
  const rate = 1 / (penalty + rows.length * (1 + 4 * n) * 0.25)
  for (let step = 0; step < 30_000; step++) {
    const gradient = parameters.map((value, i) => (i === n ? 1e-9 : penalty) * value)
    rows.forEach((row, k) => {
      const s = row.reduce((sum, value, i) => sum + value * parameters[i]!, parameters[n]!)
      const residual = 1 / (1 + Math.exp(-s)) - targets[k]!
      row.forEach((value, i) => {
        gradient[i]! += residual * value
      })
      gradient[n]! += residual
    })
    parameters.forEach((value, i) => {
      parameters[i] = value - rate * gradient[i]!
    })
  }
  return parameters
}

describe('logistic', () => {
  it('gives worked values', () => {
    expect(sigmoid(0)).toBe(0.5)
    expect(sigmoid(Math.log(3))).toBeCloseTo(0.75, 15)
    expect(sigmoid(-1000)).toBe(0)
    expect(sigmoid(Number.POSITIVE_INFINITY)).toBe(1)
    expect(predictLogistic({ bias: Math.log(3), weights: [2] }, [0])).toBeCloseTo(0.75, 15)
    // A flat feature: the bias is the log odds of 3 in 4, the weight 0
    const fit = fitLogistic([[0], [0], [0], [0]], [1, 1, 1, 0])
    expect(fit.bias).toBeCloseTo(Math.log(3), 6)
    expect(fit.weights[0]).toBe(0)
    expect(fit.converged).toBe(true)
  })

  it('stays finite for one-sided targets and for separable ones', () => {
    const oneSided = fitLogistic([[1], [2]], [1, 1])
    expect(Number.isFinite(oneSided.bias)).toBe(true)
    const separable = fitLogistic([[-1], [1]], [0, 1], { penalty: 0.01 })
    expect(separable.converged).toBe(true)
    expect(predictLogistic(separable, [1])).toBeGreaterThan(0.9)
  })

  it('refuses what does not fit', () => {
    expect(() => sigmoid(Number.NaN)).toThrow(RangeError)
    expect(() => fitLogistic([], [])).toThrow(RangeError)
    expect(() => fitLogistic([[1]], [2])).toThrow(RangeError)
    expect(() => fitLogistic([[1], [1, 2]], [0, 1])).toThrow(RangeError)
    expect(() => fitLogistic([[1]], [1], { penalty: 0 })).toThrow(RangeError)
    expect(() => fitLogistic([[1]], [1], { exampleWeights: [-1] })).toThrow(RangeError)
    expect(() => fitLogistic([[Number.NaN]], [1])).toThrow(RangeError)
    expect(() => predictLogistic({ bias: 0, weights: [1] }, [])).toThrow(RangeError)
  })

  it('keeps sigmoid in [0, 1], rising, and symmetric about ½', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
        expect(sigmoid(a) + sigmoid(-a)).toBeCloseTo(1, 12)
        if (a < b) expect(sigmoid(a)).toBeLessThanOrEqual(sigmoid(b))
      }),
    )
  })

  it('has no gradient left at the optimum, whatever the examples', () => {
    fc.assert(
      fc.property(problem, (examples) => {
        const rows = examples.map(([row]) => row)
        const targets = examples.map(([, target]) => target)
        const fit = fitLogistic(rows, targets, { penalty: 0.5 })
        const residuals = rows.map((row, i) => predictLogistic(fit, row) - targets[i]!)
        fit.weights.forEach((weight, j) => {
          const gradient = residuals.reduce((sum, r, i) => sum + r * rows[i]![j]!, 0.5 * weight)
          expect(gradient).toBeCloseTo(0, 4)
        })
      }),
    )
  })

  it('counts a weighted example as so many copies', () => {
    const rows = [[0.5], [-1], [2]]
    const weighted = fitLogistic(rows, [1, 0, 0], { exampleWeights: [2, 1, 0] })
    const copied = fitLogistic([[0.5], [0.5], [-1]], [1, 1, 0])
    expect(weighted.weights[0]).toBeCloseTo(copied.weights[0]!, 8)
    expect(weighted.bias).toBeCloseTo(copied.bias, 6)
  })

  it('finds what plain gradient descent finds', () => {
    fc.assert(
      fc.property(problem, (examples) => {
        const rows = examples.map(([row]) => row)
        const targets = examples.map(([, target]) => target)
        // One-sided targets have their optimum at a bias that descent reaches only after very long.
        fc.pre(targets.includes(0) && targets.includes(1))
        const fit = fitLogistic(rows, targets, { penalty: 1 })
        const slow = slowFit(rows, targets, 1)
        fit.weights.forEach((weight, i) => {
          expect(weight).toBeCloseTo(slow[i]!, 4)
        })
        expect(fit.bias).toBeCloseTo(slow.at(-1)!, 4)
      }),
      { numRuns: 15 },
    )
  })
})
