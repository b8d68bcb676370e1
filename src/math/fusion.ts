import { assertFinite, assertSameLength, type Vector } from './vector.ts'

/**
 * Reciprocal rank 1/(k + rank).
 *
 * `rank` counts from 1; `k` ≥ 0 damps the head of the list (60 in the reference). Range: (0, 1/(k+1)]. O(1).
 * @throws RangeError when rank < 1 or k < 0, or either is not finite.
 */
export function reciprocalRank(rank: number, k = 60): number {
  if (!(rank >= 1) || !Number.isFinite(rank)) throw new RangeError(`rank is ${rank}: it counts from 1`)
  if (!(k >= 0) || !Number.isFinite(k)) throw new RangeError(`k is ${k}: it must be 0 or more`)
  return 1 / (k + rank)
}

/**
 * Reciprocal rank fusion of one candidate: Σ_c w_c / (k + rank_c) over the lists that contain it.
 *
 * Shapes: one rank a list (from 1; null where the list does not contain the candidate), one weight ≥ 0 a list. Range:
 * [0, Σw/(k+1)]. In no list: 0. O(lists).
 * Reference: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual rank learning
 * methods", SIGIR 2009.
 * @throws RangeError when the lengths differ, a weight is negative or not finite, or a rank is below 1.
 */
export function fuseByRank(ranks: readonly (number | null)[], weights: Vector, k = 60): number {
  if (ranks.length !== weights.length)
    throw new RangeError(`${ranks.length} ranks but ${weights.length} weights`)
  assertFinite(weights, 'weights')
  let sum = 0
  for (let i = 0; i < ranks.length; i++) {
    const weight = weights[i]!
    if (weight < 0) throw new RangeError(`weights[${i}] is ${weight}: it must not be negative`)
    const rank = ranks[i]
    if (rank !== null && rank !== undefined) sum += weight * reciprocalRank(rank, k)
  }
  return sum
}

/**
 * Weighted sum Σ wᵢ·xᵢ of one candidate's standardised scores (linear fusion).
 *
 * Shapes: n scores, n weights. No scale of its own: comparable only within one call. Empty: 0. O(n).
 * @throws RangeError when the lengths differ or a value is not finite.
 */
export function fuseByScore(scores: Vector, weights: Vector): number {
  assertSameLength(scores, weights)
  assertFinite(scores, 'scores')
  assertFinite(weights, 'weights')
  let sum = 0
  for (let i = 0; i < scores.length; i++) sum += weights[i]! * scores[i]!
  return sum
}
