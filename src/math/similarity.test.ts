import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blend, cosine, dot, norm, normalise } from './similarity.ts'

const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e150, max: 1e150 })
const pair = fc
  .integer({ min: 1, max: 12 })
  .chain((d) =>
    fc.tuple(
      fc.array(number, { minLength: d, maxLength: d }),
      fc.array(number, { minLength: d, maxLength: d }),
    ),
  )

/** Textbook cosine in exact scaled arithmetic: each value divided by a power of two first. */
function slowCosine(a: readonly number[], b: readonly number[]): number {
  const scale = (v: readonly number[]): number[] => {
    const largest = Math.max(...v.map(Math.abs))
    return largest === 0 ? [...v] : v.map((x) => x / largest)
  }
  const [x, y] = [scale(a), scale(b)]
  const lengths = Math.hypot(...x) * Math.hypot(...y)
  return lengths === 0 ? 0 : x.reduce((sum, value, i) => sum + value * y[i]!, 0) / lengths
}

describe('similarity', () => {
  it('gives worked values', () => {
    expect(dot([1, 2, 3], [4, -5, 6])).toBe(12)
    expect(norm([3, 4])).toBe(5)
    expect(cosine([3, 4], [4, 3])).toBeCloseTo(24 / 25, 15)
    expect([...normalise([0, 3, 4])]).toEqual([0, Math.fround(0.6), Math.fround(0.8)])
    // 0.8·(1,0) + 0.6·(0,1) has length 1 already
    expect(
      blend(
        [
          [1, 0],
          [0, 1],
        ],
        [0.8, 0.6],
      )[0],
    ).toBeCloseTo(0.8, 6)
  })

  it('holds where squares vanish or overflow', () => {
    expect(cosine([5e-324], [5e-324])).toBe(1)
    expect(cosine([1e-160, 0], [1e-160, 0])).toBe(1)
    expect(cosine([1e200, 0], [1e200, 1e200])).toBeCloseTo(Math.SQRT1_2, 12)
    expect(norm([3e200, 4e200])).toBeCloseTo(5e200, -188)
  })

  it('gives vectors without direction a cosine of 0 and a norm of 0', () => {
    expect(cosine([0, 0], [1, 2])).toBe(0)
    expect(cosine([], [])).toBe(0)
    expect([...normalise([0, 0])]).toEqual([0, 0])
    expect([
      ...blend(
        [
          [1, 0],
          [-1, 0],
        ],
        [1, 1],
      ),
    ]).toEqual([0, 0])
  })

  it('refuses unlike lengths, values that are not finite, and an empty blend', () => {
    expect(() => dot([1], [1, 2])).toThrow(RangeError)
    expect(() => cosine([Number.NaN], [1])).toThrow(RangeError)
    expect(() => norm([Number.POSITIVE_INFINITY])).toThrow(RangeError)
    expect(() => blend([], [])).toThrow(RangeError)
    expect(() => blend([[1]], [1, 2])).toThrow(RangeError)
    expect(() => blend([[1], [1, 2]], [1, 2])).toThrow(RangeError)
  })

  it('keeps cosine in [-1, 1], symmetric, free of scale, and equal to the slow form', () => {
    fc.assert(
      fc.property(pair, fc.double({ min: 0.001, max: 1000, noNaN: true }), ([a, b], scale) => {
        const value = cosine(a, b)
        expect(value).toBeGreaterThanOrEqual(-1)
        expect(value).toBeLessThanOrEqual(1)
        expect(cosine(b, a)).toBeCloseTo(value, 12)
        // Subnormal values lose bits when scaled: only ordinary ones are compared.
        if (a.every((x) => x === 0 || Math.abs(x) > 1e-290)) {
          expect(
            cosine(
              a.map((x) => x * scale),
              b,
            ),
          ).toBeCloseTo(value, 9)
        }
        expect(value).toBeCloseTo(slowCosine(a, b), 9)
      }),
    )
  })

  it('normalises every vector with a direction to length 1', () => {
    fc.assert(
      fc.property(pair, ([a]) => {
        const length = norm(normalise(a))
        expect(length === 0 ? norm(a) : Math.abs(length - 1)).toBeLessThan(1e-6)
      }),
    )
  })
})
