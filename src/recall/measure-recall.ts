import {
  CHANNELS,
  type Channel,
  type FormulationReport,
  type RecallOptions,
  type RecallQuery,
} from '../domain/recall.ts'
import { overBankSettings } from './bank-settings.ts'
import { findCandidates } from './candidates.ts'
import type { RecallDeps } from './deps.ts'
import { packCandidates } from './pack.ts'
import { rerankCandidates } from './rerank.ts'
import { startStopwatch } from './stopwatch.ts'
import { validateRecall } from './validate.ts'

/** A recall by its ranks alone. */
export interface MeasuredRecall {
  /** Chunks as the recall returns them, best first. */
  readonly ranked: readonly number[]
  readonly tokens: number
  /** Each channel's own list, best first. */
  readonly lists: ReadonlyMap<Channel, readonly number[]>
  /** Channels that took part. */
  readonly on: readonly Channel[]
  /** Stand-alone questions beside the message: given again, the same recall asks no formulator. */
  readonly queries: readonly string[]
  readonly formulation: FormulationReport
  readonly degraded: readonly string[]
  readonly tookMs: number
}

/**
 * What a recall does up to its passages, for who measures it: no receipt is written and no `recall-end` told.
 *
 * @throws ProlepsisError as `recall`
 */
export async function measureRecall(
  deps: RecallDeps,
  query: RecallQuery,
  options: RecallOptions,
  traceId: string,
): Promise<MeasuredRecall> {
  const stopwatch = startStopwatch(deps.clock)
  const request = validateRecall(query, overBankSettings(deps.store.settings ?? {}, options))
  const found = await findCandidates(deps, request, traceId)
  const reranked = await rerankCandidates(deps, found, request, traceId)
  const { chosen, tokens } = await packCandidates(deps, reranked.candidates, request)
  return {
    ranked: chosen.map(({ chunk }) => chunk.chunkId),
    tokens,
    lists: new Map([...found.lists].map(([channel, hits]) => [channel, hits.map((hit) => hit.chunkId)])),
    on: CHANNELS.filter((channel) => found.request.weights[channel] > 0),
    queries: found.request.queries,
    formulation: found.formulation,
    degraded: [...found.degraded, ...reranked.degraded],
    tookMs: stopwatch.total(),
  }
}
