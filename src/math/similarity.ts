import { assertFinite, assertSameLength, type Vector } from './vector.ts'

/**
 * Inner product Σ aᵢ·bᵢ.
 *
 * Shapes: two vectors of length d. Range: any number; the cosine when both have length 1. Empty vectors give 0.
 * O(d), no allocation; values are not checked, so that it can stand in inner loops.
 * @throws RangeError when the lengths differ.
 */
export function dot(a: Vector, b: Vector): number {
  assertSameLength(a, b)
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/**
 * Euclidean length √Σ aᵢ², scaled by the largest magnitude so that squares neither overflow nor vanish.
 *
 * Range: [0, ∞]; infinite only when the true length exceeds the largest double. O(d), no allocation.
 * @throws RangeError when a value is not finite.
 */
export function norm(a: Vector): number {
  const largest = largestMagnitude(a)
  if (largest === 0) return 0
  return largest * Math.sqrt(scaledSquares(a, largest))
}

/**
 * Cosine of the angle between two vectors: (a·b) / (|a|·|b|), each scaled by its own largest magnitude first.
 *
 * Shapes: length d each. Range: [-1, 1], clamped. A vector without direction (all zeros, or empty) gives 0.
 * Unlike the textbook form it holds for subnormal and for huge values. O(d), no allocation.
 * @throws RangeError when the lengths differ or a value is not finite.
 */
export function cosine(a: Vector, b: Vector): number {
  assertSameLength(a, b)
  const largestA = largestMagnitude(a)
  const largestB = largestMagnitude(b)
  if (largestA === 0 || largestB === 0) return 0
  let product = 0
  for (let i = 0; i < a.length; i++) product += (a[i]! / largestA) * (b[i]! / largestB)
  const lengths = Math.sqrt(scaledSquares(a, largestA)) * Math.sqrt(scaledSquares(b, largestB))
  return Math.min(1, Math.max(-1, product / lengths))
}

/**
 * The vector of length 1 in the same direction: a / |a|, as single precision.
 *
 * Shape: length d in, a new `Float32Array` of length d out, of length 1 within 1e-6. A vector of zeros gives zeros.
 * O(d), one allocation.
 * @throws RangeError when a value is not finite.
 */
export function normalise(a: Vector): Float32Array {
  const result = new Float32Array(a.length)
  const largest = largestMagnitude(a)
  if (largest === 0) return result
  const length = Math.sqrt(scaledSquares(a, largest))
  for (let i = 0; i < a.length; i++) result[i] = a[i]! / largest / length
  return result
}

/**
 * A direction between others: normalise(Σ wⱼ·vⱼ). Blends unit vectors of a message and of what came before it.
 *
 * Shapes: n ≥ 1 vectors of length d, n weights (any sign, without a unit). Result: unit `Float32Array` of length d, or
 * zeros when the weighted vectors cancel out. O(n·d), two allocations.
 * @throws RangeError when there is no vector, shapes differ, or a value is not finite.
 */
export function blend(vectors: readonly Vector[], weights: Vector): Float32Array {
  const first = vectors[0]
  if (first === undefined) throw new RangeError('blend needs at least one vector')
  if (vectors.length !== weights.length) {
    throw new RangeError(`${vectors.length} vectors but ${weights.length} weights`)
  }
  assertFinite(weights, 'weights')
  const sum = new Float64Array(first.length)
  vectors.forEach((vector, j) => {
    assertSameLength(first, vector)
    const weight = weights[j]!
    for (let i = 0; i < sum.length; i++) sum[i]! += weight * vector[i]!
  })
  return normalise(sum)
}

function largestMagnitude(a: Vector): number {
  let largest = 0
  for (let i = 0; i < a.length; i++) {
    const magnitude = Math.abs(a[i]!)
    if (!Number.isFinite(magnitude)) throw new RangeError(`value ${i} is ${a[i]}: it must be finite`)
    if (magnitude > largest) largest = magnitude
  }
  return largest
}

/** Σ (aᵢ / scale)², between 1 and d when scale is the largest magnitude. */
function scaledSquares(a: Vector, scale: number): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) {
    const value = a[i]! / scale
    sum += value * value
  }
  return sum
}
