import { CHANNELS, type Channel, type Fusion } from '../domain/recall.ts'
import { fuseByRank } from '../math/fusion.ts'
import { sigmoid } from '../math/logistic.ts'
import { FEATURES, type FeatureColumn } from './features.ts'
import { type FusionWeights, LEARNED_WEIGHTS, RRF_WEIGHTS, STANDARD_WEIGHTS } from './fusion-weights.ts'

/** The multiplier of each channel that a call gives, ≥ 0. */
export type ChannelMultipliers = Readonly<Record<Channel, number>>

/** The weight of every feature that counts in one call: the table's, times the call's multipliers of its channels. */
export function effectiveWeights(
  fusion: Fusion,
  multipliers: ChannelMultipliers,
): Readonly<Record<string, number>> {
  if (fusion === 'rrf') {
    return Object.fromEntries(
      CHANNELS.map((channel) => [`rrf_${channel}`, RRF_WEIGHTS[channel] * multipliers[channel]]),
    )
  }
  const table = tableOf(fusion)
  return Object.fromEntries(
    FEATURES.flatMap(({ name, channels }) => {
      const weight = table.weights[name]
      if (weight === undefined) return []
      // Features of several channels stand as long as one of them does.
      const factor = channels.length === 0 ? 1 : Math.max(...channels.map((channel) => multipliers[channel]))
      return [[name, weight * factor]]
    }),
  )
}

/** What is added to the sum of weighted features. */
export function biasOf(fusion: Fusion): number {
  return fusion === 'rrf' ? 0 : tableOf(fusion).bias
}

/**
 * The fused score of every candidate: under `learned` a probability in [0, 1], under `standard` a sum of standard scores, under
 * `rrf` Σ w/(60 + rank) over the channels' own lists.
 *
 * @param columns features in the order of FEATURES, one number a candidate
 * @param ranks rank in each channel's own list, one record a candidate
 */
export function fuse(
  fusion: Fusion,
  multipliers: ChannelMultipliers,
  columns: readonly FeatureColumn[],
  ranks: readonly Partial<Readonly<Record<Channel, number>>>[],
): Float64Array {
  const weights = effectiveWeights(fusion, multipliers)
  if (fusion === 'rrf') {
    const perChannel = CHANNELS.map((channel) => weights[`rrf_${channel}`] ?? 0)
    return Float64Array.from(ranks, (ofCandidate) =>
      fuseByRank(
        CHANNELS.map((channel) => ofCandidate[channel] ?? null),
        perChannel,
      ),
    )
  }
  const sums = new Float64Array(ranks.length).fill(tableOf(fusion).bias)
  FEATURES.forEach(({ name }, f) => {
    const weight = weights[name] ?? 0
    const column = columns[f]
    if (weight === 0 || column === undefined) return
    for (let i = 0; i < sums.length; i++) sums[i]! += weight * column[i]!
  })
  return fusion === 'learned' ? sums.map(sigmoid) : sums
}

function tableOf(fusion: 'learned' | 'standard'): FusionWeights {
  return fusion === 'learned' ? LEARNED_WEIGHTS : STANDARD_WEIGHTS
}
