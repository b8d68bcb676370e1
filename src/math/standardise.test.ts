import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { moments, standardise } from './standardise.ts'

const list = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), {
  maxLength: 40,
})

describe('standardise', () => {
  it('gives worked values', () => {
    // mean 5, population deviation 2
    expect(moments([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, deviation: 2 })
    expect([...standardise([2, 4, 4, 4, 5, 5, 7, 9])]).toEqual([-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2])
  })

  it('gives zeros for lists without spread', () => {
    expect([...standardise([])]).toEqual([])
    expect([...standardise([7])]).toEqual([0])
    expect([...standardise([0.1, 0.1, 0.1])]).toEqual([0, 0, 0])
    expect([...standardise([0, 0])]).toEqual([0, 0])
  })

  it('neither overflows nor vanishes', () => {
    expect([...standardise([1e308, -1e308])]).toEqual([1, -1])
    expect(standardise([1e-300, 3e-300])[1]).toBeCloseTo(1, 9)
  })

  it('refuses values that are not finite', () => {
    expect(() => standardise([1, Number.NaN])).toThrow(RangeError)
    expect(() => moments([Number.NEGATIVE_INFINITY])).toThrow(RangeError)
  })

  it('has mean 0 and deviation 1, keeps order, stays within √(n−1), and equals the one-line form', () => {
    fc.assert(
      fc.property(list, (values) => {
        const z = standardise(values)
        const { mean, deviation } = moments(values)
        if (deviation === 0) {
          expect([...z]).toEqual(values.map(() => 0))
          return
        }
        const again = moments(z)
        expect(again.mean).toBeCloseTo(0, 6)
        expect(again.deviation).toBeCloseTo(1, 6)
        values.forEach((value, i) => {
          expect(Math.abs(z[i]!)).toBeLessThanOrEqual(Math.sqrt(values.length - 1) + 1e-6)
          // Below the smallest normal number the one-line form itself loses its digits.
          if (deviation > 1e-290) expect(z[i]!).toBeCloseTo((value - mean) / deviation, 3)
          values.forEach((other, j) => {
            if (value < other) expect(z[i]!).toBeLessThanOrEqual(z[j]!)
          })
        })
      }),
    )
  })
})
