import { fitLogistic, sigmoid } from './logistic.ts'
import { assertFinite, type Vector } from './vector.ts'

/** A calibrated probability: sigmoid(slope·score + offset). */
export interface PlattScale {
  readonly slope: number
  readonly offset: number
}

/**
 * Fits Platt's scaling: the sigmoid that turns raw scores into probabilities, with his smoothed targets
 * (n₊+1)/(n₊+2) and 1/(n₋+2) in place of 1 and 0, so that separable scores do not become certainties.
 *
 * Shapes: m ≥ 1 scores of any unit, m labels. Scores without spread give slope 0 and the smoothed base rate. O(m).
 * Reference: Platt, "Probabilistic outputs for support vector machines", 1999; Lin, Lin and Weng's note of 2007.
 * @throws RangeError when there is no score, lengths differ, or a score is not finite.
 */
export function fitPlatt(scores: Vector, labels: readonly boolean[]): PlattScale {
  if (scores.length !== labels.length)
    throw new RangeError(`${scores.length} scores but ${labels.length} labels`)
  if (scores.length === 0) throw new RangeError('no scores to calibrate')
  assertFinite(scores, 'scores')
  const positives = labels.filter(Boolean).length
  const high = (positives + 1) / (positives + 2)
  const low = 1 / (labels.length - positives + 2)
  // Standardised within so that the tiny ridge means the same for scores of any unit.
  const largest = Array.from(scores).reduce((most, score) => Math.max(most, Math.abs(score)), 0) || 1
  const rows = Array.from(scores, (score) => [score / largest])
  const targets = labels.map((label) => (label ? high : low))
  const fit = fitLogistic(rows, targets, { penalty: 1e-6 })
  return { slope: fit.weights[0]! / largest, offset: fit.bias }
}

/**
 * The probability of a raw score. Range: [0, 1]. O(1).
 * @throws RangeError when the score is NaN.
 */
export function calibrate(scale: PlattScale, score: number): number {
  return sigmoid(scale.slope * score + scale.offset)
}
