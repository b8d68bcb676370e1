import { assertFinite, type Vector } from './vector.ts'

/** Spread below this share of the largest magnitude is rounding, not difference. */
const FLAT = 1e-12

/** Mean and population deviation of a list, in the list's own unit. */
export interface Moments {
  readonly mean: number
  readonly deviation: number
}

/**
 * Mean μ = Σx/n and population deviation σ = √(Σ(x−μ)²/n), in two passes.
 *
 * Shape: length n. An empty list gives 0 and 0. A list whose spread is only rounding gives a deviation of exactly 0. O(n), no
 * allocation. Two passes because the one-pass form Σx²−nμ² loses every digit when μ is large against σ.
 * @throws RangeError when a value is not finite.
 */
export function moments(values: Vector): Moments {
  const { scale, mean, deviation } = scaledMoments(values)
  return { mean: mean * scale, deviation: deviation * scale }
}

/**
 * Standard scores zᵢ = (xᵢ − μ)/σ: what makes the scores of unlike channels comparable before they are added.
 *
 * Shape: length n in, a new array of length n out. Mean 0, deviation 1. Range: |z| ≤ √(n−1). A list without spread
 * (deviation 0, one value, empty) gives zeros: such a channel does not tell the candidates apart. O(n), one allocation.
 * @throws RangeError when a value is not finite.
 */
export function standardise(values: Vector): Float64Array {
  const { scale, mean, deviation } = scaledMoments(values)
  const result = new Float64Array(values.length)
  if (deviation === 0) return result
  for (let i = 0; i < values.length; i++) result[i] = (values[i]! / scale - mean) / deviation
  return result
}

/** Moments of values / scale, scale being near the largest magnitude (no overflow) and a power of two (no rounding). */
function scaledMoments(values: Vector): Moments & { readonly scale: number } {
  assertFinite(values, 'values')
  const n = values.length
  let scale = 0
  for (let i = 0; i < n; i++) scale = Math.max(scale, Math.abs(values[i]!))
  if (scale === 0) return { scale: 1, mean: 0, deviation: 0 }
  scale = 2 ** Math.floor(Math.log2(scale))
  let mean = 0
  for (let i = 0; i < n; i++) mean += values[i]! / scale / n
  let squares = 0
  for (let i = 0; i < n; i++) squares += (values[i]! / scale - mean) ** 2
  const deviation = Math.sqrt(squares / n)
  return { scale, mean, deviation: deviation <= FLAT ? 0 : deviation }
}
