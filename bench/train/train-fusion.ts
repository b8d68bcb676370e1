import {
  type FusionWeights,
  LEARNED_ENRICHED_WEIGHTS,
  LEARNED_WEIGHTS,
  STANDARD_ENRICHED_WEIGHTS,
  STANDARD_WEIGHTS,
} from '../../src/testing.ts'
import { type BenchStoreOptions, openBenchMemory } from '../bench-memory.ts'
import type { QualityRow } from '../quality/metrics.ts'
import { progressEnd } from '../report.ts'
import { collectCases, recordedModel } from './collect-cases.ts'
import {
  type Abstention,
  abstention,
  type ModelOf,
  qualityByLevel,
  type Reliability,
  reliability,
} from './evaluate.ts'
import { fitProbability } from './fit-probability.ts'
import { fitRanking } from './fit-ranking.ts'
import type { TrainingCase } from './training-case.ts'

/** What `learned` is made of: channels, and hints of the question. The rest of the features have no weight. */
export const RANKING_FEATURES: readonly string[] = [
  ...['z_content', 'z_statement', 'z_question', 'z_text', 'z_context', 'z_document'],
  ...['speaker', 'date', 'when'],
]
/**
 * Hints are worth more in the sets than they will be elsewhere: two people who speak of themselves, dates that are those of the session. So much
 * at most costs nothing there (LoCoMo any@5 / @10 87.6 / 91.3 without a bound, 87.9 / 91.2 with).
 */
const MOST: Readonly<Record<string, number>> = { speaker: 2.5, date: 2.5, when: 1.5 }

export interface TrainingReport {
  readonly set: 'train'
  readonly cases: number
  /** Quality by row and level. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, QualityRow>>>>
  readonly weights: FusionWeights
  /** On cases that the model had not seen, by set. */
  readonly reliability: Readonly<Record<string, Reliability>>
  readonly abstention: Readonly<Record<string, Abstention>>
}

/** Retains the sets, trains one model on all of them, and judges it on what it has not seen. */
export async function trainFusion(
  folder: string,
  sets: readonly string[],
  store: BenchStoreOptions,
  /** Banks with questions that a model wrote: the table for those. */
  recorded = false,
): Promise<TrainingReport> {
  const memory = await openBenchMemory(recorded ? { ...store, model: await recordedModel(folder) } : store)
  const cases = await collectCases(memory, folder, sets, recorded).finally(() => memory.close())
  progressEnd()
  return trainOn(cases, recorded)
}

export function trainOn(cases: readonly TrainingCase[], recorded = false): TrainingReport {
  const [shipped, standard] = recorded
    ? [LEARNED_ENRICHED_WEIGHTS, STANDARD_ENRICHED_WEIGHTS]
    : [LEARNED_WEIGHTS, STANDARD_WEIGHTS]
  const train = (some: readonly TrainingCase[]): FusionWeights => trainModel(some, recorded)
  const folds = [...new Set(cases.map((one) => one.fold))].sort((a, b) => a - b)
  const unseen = new Map(folds.map((fold) => [fold, train(cases.filter((one) => one.fold !== fold))]))
  const weights = train(cases)
  const modelOf: ModelOf = (one) => unseen.get(one.fold) ?? weights
  const sets = [...new Set(cases.map((one) => one.set))]
  const inBank = cases.filter((one) => one.origin !== 'small')
  const ofSet = (set: string): TrainingCase[] => inBank.filter((one) => one.set === set)
  const small = cases.filter((one) => one.origin === 'small')
  return {
    ...{ set: 'train', cases: inBank.length, weights },
    rows: {
      'learned, on what it has not seen': qualityByLevel(inBank, modelOf),
      'learned, as trained on all': qualityByLevel(inBank, () => weights),
      'learned, as shipped': qualityByLevel(inBank, () => inHybrid(shipped)),
      standard: qualityByLevel(inBank, () => inHybrid(standard)),
    },
    reliability: Object.fromEntries([
      ...sets.map((set) => [set, reliability(ofSet(set), modelOf)] as const),
      ['banks of 1 to 25', reliability(small, modelOf)],
    ]),
    abstention: Object.fromEntries(sets.map((set) => [set, abstention(ofSet(set), modelOf)])),
  }
}

function trainModel(cases: readonly TrainingCase[], recorded: boolean): FusionWeights {
  const asked = cases.filter((one) => one.origin === 'asked')
  // Weights by set, so that each counted alike, cost LoCoMo half a point and its probabilities their meaning, and gained the others nothing.
  const features = recorded ? [...RANKING_FEATURES, 'z_concept'] : RANKING_FEATURES
  const fitted = fitRanking(asked, features, { notNegative: new Set(features) })
  const ranking = Object.fromEntries(
    Object.entries(fitted).map(([name, weight]) => [name, Math.min(weight, MOST[name] ?? weight)]),
  )
  return fitProbability(cases, ranking)
}

/** Channels that a call in mode `hybrid` leaves off. */
const OFF: ReadonlySet<string> = new Set(['z_window', 'z_body', 'z_cue'])

function inHybrid({ bias, weights }: FusionWeights): FusionWeights {
  return { bias, weights: Object.fromEntries(Object.entries(weights).filter(([name]) => !OFF.has(name))) }
}
