/**
 * Solves A·x = y for a symmetric positive definite A by Cholesky's decomposition A = L·Lᵀ.
 *
 * Shapes: A is n×n as n rows of length n (its lower triangle is read), y of length n; a new x of length n. O(n³/6), one
 * copy of A. An empty system gives an empty x.
 * Reference: Golub and Van Loan, "Matrix Computations", §4.2.
 * @throws RangeError when the shapes differ or A is not positive definite in double precision.
 */
export function solvePositiveDefinite(a: readonly ArrayLike<number>[], y: ArrayLike<number>): Float64Array {
  const n = a.length
  if (y.length !== n) throw new RangeError(`a system of ${n} rows and ${y.length} right-hand values`)
  const lower = a.map((row) => {
    if (row.length !== n) throw new RangeError(`a row of ${row.length} values in a system of ${n}`)
    return Float64Array.from(row)
  })
  for (let i = 0; i < n; i++) {
    const rowI = lower[i]!
    for (let j = 0; j <= i; j++) {
      const rowJ = lower[j]!
      let sum = rowI[j]!
      for (let k = 0; k < j; k++) sum -= rowI[k]! * rowJ[k]!
      if (i !== j) rowI[j] = sum / rowJ[j]!
      else if (sum > 0) rowI[i] = Math.sqrt(sum)
      else throw new RangeError(`the matrix is not positive definite at row ${i}`)
    }
  }
  const x = Float64Array.from(y)
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i]! -= lower[i]![k]! * x[k]!
    x[i]! /= lower[i]![i]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i]! -= lower[k]![i]! * x[k]!
    x[i]! /= lower[i]![i]!
  }
  return x
}
