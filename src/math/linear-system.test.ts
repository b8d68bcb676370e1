import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { solvePositiveDefinite } from './linear-system.ts'

const entry = fc.double({ min: -3, max: 3, noNaN: true })
const system = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.record({
    root: fc.array(fc.array(entry, { minLength: n, maxLength: n }), { minLength: n, maxLength: n }),
    x: fc.array(entry, { minLength: n, maxLength: n }),
  }),
)

/** Gauss-Jordan with pivoting. */
function slowSolve(a: readonly (readonly number[])[], y: readonly number[]): number[] {
  const rows = a.map((row, i) => [...row, y[i]!])
  for (let column = 0; column < rows.length; column++) {
    const pivot = rows
      .slice(column)
      .reduce(
        (best, row, i) => (Math.abs(row[column]!) > Math.abs(rows[best]![column]!) ? column + i : best),
        column,
      )
    ;[rows[column], rows[pivot]] = [rows[pivot]!, rows[column]!]
    const lead = rows[column]!
    const factor = lead[column]!
    rows[column] = lead.map((value) => value / factor)
    rows.forEach((row, i) => {
      if (i === column) return
      const share = row[column]!
      rows[i] = row.map((value, j) => value - share * rows[column]![j]!)
    })
  }
  return rows.map((row) => row.at(-1)!)
}

describe('solvePositiveDefinite', () => {
  it('solves a worked system', () => {
    // 4x + 2y = 10, 2x + 3y = 11: x 1, y 3
    const x = solvePositiveDefinite(
      [
        [4, 2],
        [2, 3],
      ],
      [10, 11],
    )
    expect(x[0]).toBeCloseTo(1, 12)
    expect(x[1]).toBeCloseTo(3, 12)
    expect([...solvePositiveDefinite([], [])]).toEqual([])
  })

  it('refuses singular matrices and unlike shapes', () => {
    expect(() =>
      solvePositiveDefinite(
        [
          [1, 1],
          [1, 1],
        ],
        [1, 1],
      ),
    ).toThrow(RangeError)
    expect(() => solvePositiveDefinite([[-1]], [1])).toThrow(RangeError)
    expect(() => solvePositiveDefinite([[1]], [1, 2])).toThrow(RangeError)
    expect(() => solvePositiveDefinite([[1, 2]], [1])).toThrow(RangeError)
  })

  it('finds the x that it was made from, as elimination does', () => {
    fc.assert(
      fc.property(system, ({ root, x }) => {
        // RᵀR + I is positive definite and well conditioned
        const a = root.map((_, i) =>
          root.map((_, j) => root.reduce((sum, row) => sum + row[i]! * row[j]!, i === j ? 1 : 0)),
        )
        const y = a.map((row) => row.reduce((sum, value, j) => sum + value * x[j]!, 0))
        const solved = solvePositiveDefinite(a, y)
        const slow = slowSolve(a, y)
        x.forEach((value, i) => {
          expect(solved[i]!).toBeCloseTo(value, 6)
          expect(solved[i]!).toBeCloseTo(slow[i]!, 6)
        })
      }),
    )
  })
})
