import { fitLogistic } from '../../src/math/index.ts'
import { FUSION_BIAS_FEATURES, type FusionWeights } from '../../src/testing.ts'
import type { Weights } from './fit-ranking.ts'
import { bestOfDocuments, columnOf, scoresOf, type TrainingCase } from './training-case.ts'

/**
 * Turns ranking scores into probabilities (Platt): a logistic fit of relevance on the score and on what is the same for every candidate
 * of a question, so that the order stays: how many candidates there are, how near the nearest is, how many of the words are found at all.
 */
export function fitProbability(cases: readonly TrainingCase[], ranking: Weights): FusionWeights {
  const reduced = cases.map((one) => bestOfDocuments(one, ranking))
  const rows: Float64Array[] = []
  const targets: number[] = []
  for (const one of reduced) {
    const scores = scoresOf(one, ranking)
    const shared = FUSION_BIAS_FEATURES.map((name) => columnOf(one, name))
    one.relevant.forEach((flag, i) => {
      rows.push(Float64Array.from([scores[i]!, ...shared.map((column) => column[i]!)]))
      targets.push(flag)
    })
  }
  const fit = fitLogistic(rows, targets, { penalty: 0.01 })
  const [slope = 1, ...offsets] = fit.weights
  return {
    bias: fit.bias,
    weights: {
      ...Object.fromEntries(Object.entries(ranking).map(([name, weight]) => [name, weight * slope])),
      ...Object.fromEntries(FUSION_BIAS_FEATURES.map((name, i) => [name, offsets[i] ?? 0])),
    },
  }
}
