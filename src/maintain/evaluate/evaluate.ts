import { throwIfAborted } from '../../domain/errors.ts'
import type { CaseResult, EvaluationCase, EvaluationReport } from '../../domain/evaluation.ts'
import { CHANNELS, type Channel, type Formulator, type RecallOptions } from '../../domain/recall.ts'
import { percentile } from '../../math/retrieval-metrics.ts'
import type { BankStore } from '../../store/bank-store.ts'
import type { NamedCase } from './check-case.ts'
import { countingCost, type TraceListener } from './count-cost.ts'
import { readEvaluateOptions } from './evaluate-options.ts'
import { figuresOf, type Ranking, rankingOf } from './figures.ts'
import { type ExpectedChunks, findExpected } from './find-expected.ts'
import { checkCases } from './read-cases.ts'

export interface EvaluateOptions {
  /** The k of any@k and recall@k, 1 to 500; as many passages as the largest are asked for. @default 5, 10, 20 */
  readonly ks?: readonly number[]
  /** How to recall. @default as the bank recalls */
  readonly recall?: Omit<RecallOptions, 'asOf' | 'limit' | 'expand' | 'receipt' | 'signal'>
  /** Measure recall without each channel too, or without those that are named: so many recalls more a case. @default false */
  readonly ablate?: boolean | readonly Channel[]
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

/** What evaluating needs of recall. */
export interface Measured {
  readonly ranked: readonly number[]
  readonly tokens: number
  readonly lists: ReadonlyMap<Channel, readonly number[]>
  readonly on: readonly Channel[]
  readonly queries: readonly string[]
  readonly formulation: { readonly by: Formulator }
  readonly degraded: readonly string[]
  readonly tookMs: number
}

export interface EvaluateDeps {
  readonly traceId: string
  /** The bank, opened anew for each look: an evaluation may take long. */
  readonly look: <T>(work: (store: BankStore) => Promise<T>) => Promise<T>
  readonly measure: (
    query: Required<Pick<EvaluationCase, 'history' | 'queries'>> & { readonly message: string },
    options: RecallOptions,
  ) => Promise<Measured>
  readonly hear: (listener: TraceListener) => () => void
}

interface CaseRun {
  readonly result: CaseResult
  readonly tokens: number
  readonly whole: Ranking
  readonly channels: ReadonlyMap<Channel, Ranking>
  readonly without: ReadonlyMap<Channel, Ranking>
}

/**
 * Asks every question and looks where what it should bring back stands: in the recall as it is, in each channel's own list, and, when asked
 * for, in the recall without each channel. Nothing is written but the trace of model calls, which cost what they cost.
 *
 * @throws ProlepsisError EVAL_INVALID, UNKNOWN_OPTION, INVALID_ARGUMENT, CANCELLED; as `recall`
 */
export async function evaluate(
  deps: EvaluateDeps,
  cases: readonly EvaluationCase[],
  options: EvaluateOptions = {},
): Promise<EvaluationReport> {
  const checked = checkCases(cases)
  const request = readEvaluateOptions(options)
  const { ks, signal } = request
  const counting = countingCost(deps.hear, deps.traceId)
  try {
    const expected = await deps.look((store) => findExpected(store, checked))
    const runs: CaseRun[] = []
    const results: CaseResult[] = []
    for (const [at, one] of checked.entries()) {
      throwIfAborted(signal)
      const run = await runCase(deps, one, expected[at]!, request)
      results.push(run.result)
      if (run.result.expected > 0) runs.push(run)
      options.onProgress?.(at + 1, checked.length)
    }
    const took = results.map((result) => result.tookMs)
    const classes = [...new Set(runs.flatMap(({ result }) => result.class ?? []))].sort()
    return {
      ...{ traceId: deps.traceId, ks, cases: results, absent: results.length - runs.length },
      overall: figuresOf(
        runs.map(({ whole }) => whole),
        ks,
      ),
      byClass: Object.fromEntries(
        classes.map((name) => [
          name,
          figuresOf(
            runs.filter(({ result }) => result.class === name).map(({ whole }) => whole),
            ks,
          ),
        ]),
      ),
      byChannel: byChannel(runs, ({ channels }) => channels, ks),
      without: byChannel(runs, ({ without }) => without, ks),
      ...{ p50Ms: percentile(took, 0.5), p95Ms: percentile(took, 0.95) },
      tokens: runs.reduce((sum, { tokens }) => sum + tokens, 0) / Math.max(1, runs.length),
      cost: counting.cost(),
    }
  } finally {
    counting.stop()
  }
}

async function runCase(
  deps: EvaluateDeps,
  one: NamedCase,
  { groups, absent }: ExpectedChunks,
  request: ReturnType<typeof readEvaluateOptions>,
): Promise<CaseRun> {
  const query = { message: one.question, history: one.history ?? [], queries: one.queries ?? [] }
  const recallOptions: RecallOptions = {
    ...request.recall,
    limit: Math.max(...request.ks),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
  const measured = await deps.measure(query, recallOptions)
  const whole = rankingOf(measured.ranked, groups)
  const channels = new Map(
    [...measured.lists].map(([channel, list]) => [channel, rankingOf(list, groups)] as const),
  )
  const without = new Map<Channel, Ranking>()
  const off = groups.length === 0 ? [] : measured.on.filter((channel) => request.ablate.includes(channel))
  // the same questions as before: they are not paid for again
  const asked = { ...query, queries: measured.queries }
  for (const channel of measured.on.length < 2 ? [] : off) {
    const weights = { ...request.recall.weights, [channel]: 0 }
    const again = await deps.measure(asked, { ...recallOptions, weights, formulator: 'rules' })
    without.set(channel, rankingOf(again.ranked, groups))
  }
  return {
    ...{ tokens: measured.tokens, whole, channels, without },
    result: {
      ...{ id: one.id, question: one.question, class: one.class ?? null, rank: whole.rank },
      ...{ found: whole.found, expected: groups.length, absent },
      channels: Object.fromEntries([...channels].map(([channel, { rank }]) => [channel, rank])),
      ...{ formulatedBy: measured.formulation.by, degraded: measured.degraded, tookMs: measured.tookMs },
    },
  }
}

/** Figures of the channels that had a ranking in some case; where one had none, it misses. */
function byChannel(
  runs: readonly CaseRun[],
  of: (run: CaseRun) => ReadonlyMap<Channel, Ranking>,
  ks: readonly number[],
): EvaluationReport['byChannel'] {
  const some = CHANNELS.filter((channel) => runs.some((run) => of(run).has(channel)))
  return Object.fromEntries(
    some.map((channel) => [
      channel,
      figuresOf(
        runs.map((run) => of(run).get(channel) ?? missOf(run.whole)),
        ks,
      ),
    ]),
  )
}

const missOf = ({ gold }: Ranking): Ranking => ({ ranked: [], gold, rank: null, found: 0 })
