import type { Fusion } from '../domain/recall.ts'
import { effectiveStrength, strengthAtUse } from '../math/decay.ts'
import type { Activity } from '../store/queries/activity.ts'

/** Most that standing may add to relevance. */
export const MAX_LIFT = 0.35

/** Strength of a memory that nothing is known of: what earns no lift. */
const BASELINE = strengthAtUse(0, 0)

/**
 * Multiplier of each candidate's fused score, 1 to 1.35: 1 + 0.35 · gate · standing.
 *
 * Standing in [0, 1] is earned by use, significance or a pin, and decays from the last use; without a row of activity it is 0, so a
 * bank that was never told of use ranks by relevance alone. The gate in [0, 1] is the candidate's relevance relative to the best
 * one: what is not relevant is not lifted, whatever its standing.
 *
 * @param now milliseconds since the epoch
 */
export function lifts(
  fused: ArrayLike<number>,
  chunkIds: readonly number[],
  activity: ReadonlyMap<number, Activity>,
  now: number,
): Float64Array {
  let best = 0
  for (let i = 0; i < fused.length; i++) best = Math.max(best, fused[i]!)
  return Float64Array.from(chunkIds, (chunkId, i) => {
    const state = activity.get(chunkId)
    if (state === undefined || best <= 0) return 1
    const gate = Math.min(1, Math.max(0, fused[i]! / best))
    return 1 + MAX_LIFT * gate * standing(state, now)
  })
}

function standing(state: Activity, now: number): number {
  if (state.pinned) return 1
  if (state.lastUsedAt === null) return 0
  const strength = effectiveStrength(
    {
      significance: state.significance,
      valence: 0,
      uses: state.uses,
      lastUsedAt: state.lastUsedAt.getTime(),
    },
    now,
  )
  return Math.max(0, (strength - BASELINE) / (1 - BASELINE))
}

/**
 * The final score. Under `learned` the lift multiplies the odds, so that a probability stays one:
 * l·p / (1 − p + l·p). Elsewhere it multiplies a positive score.
 */
export function liftedScore(fusion: Fusion, fused: number, lift: number): number {
  if (fusion === 'learned') return (lift * fused) / (1 - fused + lift * fused)
  return fused > 0 ? fused * lift : fused
}
