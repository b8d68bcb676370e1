import { moments, norm, solvePositiveDefinite } from '../../src/math/index.ts'
import { bestOfDocuments, columnOf, type TrainingCase } from './training-case.ts'

export type Weights = Readonly<Record<string, number>>

export interface RankingOptions {
  /** Features that may not count against a candidate. */
  readonly notNegative: ReadonlySet<string>
  /** Strength λ of the penalty ½λ|w|² on the weights of scaled features. @default 1 */
  readonly penalty?: number
}

/** Rounds of choosing the candidate that stands for its document; later ones change nothing. */
const DOCUMENT_ROUNDS = 4

/**
 * Conditional logit (listwise softmax): minimises Σ cases (logsumexp(s) − mean of s over the relevant candidates) + ½λ|w|², with
 * s = Σ w · feature / deviation, by Newton's method with step halving. Cases without a relevant candidate say nothing and are left out. Where
 * documents are labelled, a document stands by its best candidate under the weights of the round before, the first time by content.
 *
 * @returns a weight a feature, for the features as they are
 */
export function fitRanking(
  cases: readonly TrainingCase[],
  features: readonly string[],
  options: RankingOptions,
): Weights {
  let weights: Weights = { z_content: 1 }
  const rounds = cases.some((one) => one.documents !== null) ? DOCUMENT_ROUNDS : 1
  for (let round = 0; round < rounds; round++) {
    const reduced = cases.map((one) => bestOfDocuments(one, weights))
    weights = fitListwise(reduced, features, options)
  }
  return weights
}

interface Rows {
  readonly columns: readonly Float64Array[]
  /** Share of each candidate in the target: 1 / relevant candidates, or 0. */
  readonly target: Float64Array
}

function fitListwise(
  cases: readonly TrainingCase[],
  features: readonly string[],
  options: RankingOptions,
): Weights {
  const { notNegative, penalty = 1 } = options
  const telling = cases.filter(({ relevant }) => relevant.includes(1) && relevant.includes(0))
  if (telling.length === 0) throw new Error('no case has both relevant candidates and others')
  const scale = features.map((name) => {
    const { deviation } = moments(telling.flatMap((one) => [...columnOf(one, name)]))
    return deviation > 0 ? deviation : 1
  })
  const rows = telling.map((one): Rows => {
    const count = one.relevant.reduce((sum, flag) => sum + flag, 0)
    return {
      columns: features.map((name, f) => columnOf(one, name).map((value) => value / scale[f]!)),
      target: Float64Array.from(one.relevant, (flag) => flag / count),
    }
  })
  const fixed = new Set<number>()
  for (;;) {
    const weights = descend(rows, features.length, fixed, penalty)
    const wrong = features.flatMap((name, f) => (notNegative.has(name) && weights[f]! < 0 ? [f] : []))
    if (wrong.length === 0) {
      return Object.fromEntries(features.map((name, f) => [name, weights[f]! / scale[f]!]))
    }
    for (const f of wrong) fixed.add(f)
  }
}

function descend(
  rows: readonly Rows[],
  count: number,
  fixed: ReadonlySet<number>,
  penalty: number,
): Float64Array {
  const free = Array.from({ length: count }, (_, f) => f).filter((f) => !fixed.has(f))
  let weights = new Float64Array(count)
  let state = slopes(rows, weights, penalty)
  for (let iteration = 0; iteration < 50; iteration++) {
    const gradient = Float64Array.from(free, (f) => state.gradient[f]!)
    if (norm(gradient) < 1e-6) break
    const curvature = free.map((f) => Float64Array.from(free, (g) => state.curvature[f]![g]!))
    const step = solvePositiveDefinite(curvature, gradient)
    let scale = 1
    let next = state
    let candidate = weights
    do {
      candidate = weights.slice()
      free.forEach((f, i) => {
        candidate[f]! -= scale * step[i]!
      })
      next = slopes(rows, candidate, penalty)
      scale /= 2
    } while (next.loss >= state.loss && scale > 1e-9)
    if (next.loss >= state.loss) break
    weights = candidate
    state = next
  }
  return weights
}

interface Slopes {
  readonly loss: number
  readonly gradient: Float64Array
  readonly curvature: readonly Float64Array[]
}

function slopes(rows: readonly Rows[], weights: Float64Array, penalty: number): Slopes {
  const count = weights.length
  let loss = 0
  const gradient = new Float64Array(count)
  const curvature = weights.length === 0 ? [] : Array.from({ length: count }, () => new Float64Array(count))
  for (const { columns, target } of rows) {
    const shares = softmax(columns, weights)
    const expected = columns.map((column) => shares.reduce((sum, share, i) => sum + share * column[i]!, 0))
    target.forEach((wanted, i) => {
      if (wanted > 0) loss -= wanted * Math.log(Math.max(shares[i]!, Number.MIN_VALUE))
    })
    for (let f = 0; f < count; f++) {
      const column = columns[f]!
      const wanted = target.reduce((sum, part, i) => sum + part * column[i]!, 0)
      gradient[f]! += expected[f]! - wanted
    }
    for (let i = 0; i < shares.length; i++) {
      const share = shares[i]!
      if (share < 1e-9) continue
      for (let f = 0; f < count; f++) {
        const scaled = share * (columns[f]![i]! - expected[f]!)
        for (let g = 0; g <= f; g++) curvature[f]![g]! += scaled * (columns[g]![i]! - expected[g]!)
      }
    }
  }
  for (let f = 0; f < count; f++) {
    loss += 0.5 * penalty * weights[f]! ** 2
    gradient[f]! += penalty * weights[f]!
    curvature[f]![f]! += penalty
    for (let g = 0; g < f; g++) curvature[g]![f] = curvature[f]![g]!
  }
  return { loss, gradient, curvature }
}

function softmax(columns: readonly Float64Array[], weights: Float64Array): Float64Array {
  const scores = new Float64Array(columns[0]?.length ?? 0)
  columns.forEach((column, f) => {
    for (let i = 0; i < scores.length; i++) scores[i]! += weights[f]! * column[i]!
  })
  const highest = scores.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  let sum = 0
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp(scores[i]! - highest)
    sum += scores[i]!
  }
  return scores.map((value) => value / sum)
}
