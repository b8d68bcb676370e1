import { sigmoid } from '../../src/math/index.ts'
import type { FusionWeights } from '../../src/testing.ts'
import { type QualityRow, qualityRow, type RankedCase, round } from '../quality/metrics.ts'
import { bestOfDocuments, orderOf, scoresOf, type TrainingCase } from './training-case.ts'

/** The model that a case is judged by: one that has not seen its fold, or one table for all. */
export type ModelOf = (one: TrainingCase) => FusionWeights

const KS: readonly number[] = [5, 10, 20]
/** As many candidates are looked at as the benchmark asks for passages. */
const RANKED = 100

/** Quality by level over the set's own questions. */
export function qualityByLevel(cases: readonly TrainingCase[], modelOf: ModelOf): Record<string, QualityRow> {
  const ranked: Record<string, RankedCase[]> = {}
  for (const one of cases) {
    if (one.origin !== 'asked') continue
    ranked[one.level] ??= []
    ranked[one.level]!.push(rankedCase(one, modelOf(one)))
  }
  return Object.fromEntries(Object.entries(ranked).map(([level, list]) => [level, qualityRow(list, KS)]))
}

function rankedCase(one: TrainingCase, model: FusionWeights): RankedCase {
  const order = orderOf(scoresOf(one, model.weights)).slice(0, RANKED)
  const gold = Array.from({ length: one.relevantCount }, (_, i) => `relevant ${i}`)
  const numbers = new Map<string, number>()
  const ranked: string[][] = []
  for (const i of order) {
    const item = one.documents?.[i] ?? `candidate ${i}`
    if (numbers.has(item)) continue
    const found = one.relevant[i] === 1
    // Which of the relevant items it is plays no part.
    const number = found ? [...numbers.values()].filter((n) => n >= 0).length : -1
    numbers.set(item, number)
    ranked.push([found ? `relevant ${number}` : item])
  }
  return { ranked, gold, tookMs: 0 }
}

export interface Reliability {
  /** From, to, candidates, mean probability, share that is relevant. */
  readonly bands: readonly (readonly [number, number, number, number, number])[]
  /** Mean squared difference of probability and truth. */
  readonly brier: number
  /** Share of the Brier score of always saying the mean that is gone. */
  readonly skill: number
}

const BANDS: readonly number[] = [0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1]

/** How well probabilities agree with what is relevant. */
export function reliability(cases: readonly TrainingCase[], modelOf: ModelOf): Reliability {
  const pairs = cases.flatMap((one) => {
    const model = modelOf(one)
    const best = bestOfDocuments(one, model.weights)
    const scores = scoresOf(best, model.weights)
    return Array.from(best.relevant, (flag, i) => [sigmoid(model.bias + scores[i]!), flag] as const)
  })
  const mean = (values: readonly number[]): number =>
    values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
  const brier = mean(pairs.map(([p, flag]) => (p - flag) ** 2))
  const base = mean(pairs.map(([, flag]) => flag))
  const bands = BANDS.slice(1).map((to, i) => {
    const from = BANDS[i]!
    const inside = pairs.filter(([p]) => p >= from && (p < to || to === 1))
    return [
      ...[from, to, inside.length],
      round(mean(inside.map(([p]) => p)), 3),
      round(mean(inside.map(([, flag]) => flag)), 3),
    ] as const as readonly [number, number, number, number, number] // five entries
  })
  return { bands, brier: round(brier, 5), skill: round(1 - brier / Math.max(1e-12, base * (1 - base)), 3) }
}

export interface Abstention {
  /** Probability of the best candidate: quarter, median, three quarters and 95 % of the questions; empty where the set has none. */
  readonly answered: readonly number[]
  readonly adversarial: readonly number[]
  readonly foreign: readonly number[]
  /** Chance that a question with an answer has a better best candidate than one without. */
  readonly againstAdversarial: number
  readonly againstForeign: number
}

/** Whether the best candidate's probability tells questions that memory answers from those that it does not. */
export function abstention(cases: readonly TrainingCase[], modelOf: ModelOf): Abstention {
  const best = (origin: TrainingCase['origin']): number[] =>
    cases
      .filter((one) => one.origin === origin)
      .map((one) => {
        const model = modelOf(one)
        return sigmoid(model.bias + scoresOf(one, model.weights).reduce((a, b) => Math.max(a, b), -1e9))
      })
      .sort((a, b) => a - b)
  const [answered, adversarial, foreign] = [best('asked'), best('adversarial'), best('foreign')]
  const quartiles = (sorted: readonly number[]): number[] =>
    sorted.length === 0
      ? []
      : [0.25, 0.5, 0.75, 0.95].map((share) => round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0, 3))
  return {
    ...{ answered: quartiles(answered), adversarial: quartiles(adversarial), foreign: quartiles(foreign) },
    againstAdversarial: round(pairsWon(answered, adversarial), 3),
    againstForeign: round(pairsWon(answered, foreign), 3),
  }
}

/** Area under the ROC curve: share of pairs in which the first is greater; ties count half. */
export function pairsWon(first: readonly number[], second: readonly number[]): number {
  let won = 0
  for (const a of first) for (const b of second) won += a > b ? 1 : a === b ? 0.5 : 0
  return won / Math.max(1, first.length * second.length)
}
