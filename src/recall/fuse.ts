import { CHANNELS, type Channel, type Fusion } from '../domain/recall.ts'
import { fuseByRank } from '../math/fusion.ts'
import { sigmoid } from '../math/logistic.ts'
import { FEATURES, type FeatureColumn } from './features.ts'
import {
  type FusionWeights,
  LEARNED_ENRICHED_WEIGHTS,
  LEARNED_WEIGHTS,
  RRF_WEIGHTS,
  STANDARD_ENRICHED_WEIGHTS,
  STANDARD_WEIGHTS,
} from './fusion-weights.ts'

/** The multiplier of each channel that a call gives, ≥ 0. */
export type ChannelMultipliers = Readonly<Record<Channel, number>>

/**
 * The weight of every feature that counts in one call: the table's (as far as the candidates are enriched, that for enriched ones), times the
 * call's multipliers of its channels.
 */
export function effectiveWeights(
  fusion: Fusion,
  multipliers: ChannelMultipliers,
  enriched = 0,
): Readonly<Record<string, number>> {
  if (fusion === 'rrf') {
    return Object.fromEntries(
      CHANNELS.map((channel) => [`rrf_${channel}`, RRF_WEIGHTS[channel] * multipliers[channel]]),
    )
  }
  const table = tableOf(fusion, enriched)
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
export function biasOf(fusion: Fusion, enriched = 0): number {
  return fusion === 'rrf' ? 0 : tableOf(fusion, enriched).bias
}

/**
 * The fused score of every candidate: under `learned` a probability in [0, 1], under `standard` a sum of standard scores, under
 * `rrf` Σ w/(60 + rank) over the channels' own lists.
 *
 * @param columns features in the order of FEATURES, one number a candidate
 * @param ranks rank in each channel's own list, one record a candidate
 * @param enriched share of the candidates with questions of the caller or of a model, 0 to 1
 */
export function fuse(
  fusion: Fusion,
  multipliers: ChannelMultipliers,
  columns: readonly FeatureColumn[],
  ranks: readonly Partial<Readonly<Record<Channel, number>>>[],
  enriched = 0,
): Float64Array {
  const weights = effectiveWeights(fusion, multipliers, enriched)
  if (fusion === 'rrf') {
    const perChannel = CHANNELS.map((channel) => weights[`rrf_${channel}`] ?? 0)
    return Float64Array.from(ranks, (ofCandidate) =>
      fuseByRank(
        CHANNELS.map((channel) => ofCandidate[channel] ?? null),
        perChannel,
      ),
    )
  }
  const sums = new Float64Array(ranks.length).fill(biasOf(fusion, enriched))
  FEATURES.forEach(({ name }, f) => {
    const weight = weights[name] ?? 0
    const column = columns[f]
    if (weight === 0 || column === undefined) return
    for (let i = 0; i < sums.length; i++) sums[i]! += weight * column[i]!
  })
  return fusion === 'learned' ? sums.map(sigmoid) : sums
}

function tableOf(fusion: 'learned' | 'standard', enriched: number): FusionWeights {
  return fusion === 'learned'
    ? between(LEARNED_WEIGHTS, LEARNED_ENRICHED_WEIGHTS, enriched)
    : between(STANDARD_WEIGHTS, STANDARD_ENRICHED_WEIGHTS, enriched)
}

/** (1 − share) · plain + share · enriched: a bank that is being enriched does not jump from one ranking to another. */
function between(plain: FusionWeights, enriched: FusionWeights, share: number): FusionWeights {
  if (share === 0) return plain
  const mix = (a: number, b: number): number => a + share * (b - a)
  const names = new Set([...Object.keys(plain.weights), ...Object.keys(enriched.weights)])
  return {
    bias: mix(plain.bias, enriched.bias),
    weights: Object.fromEntries(
      [...names].map((name) => [name, mix(plain.weights[name] ?? 0, enriched.weights[name] ?? 0)]),
    ),
  }
}
