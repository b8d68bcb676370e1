import { isProlepsisError } from '../domain/errors.ts'
import type { RecallOptions, RecallQuery, RecallResult } from '../domain/recall.ts'
import type { RecallTrace } from '../observability/trace.ts'
import { overBankSettings } from './bank-settings.ts'
import { findCandidates } from './candidates.ts'
import type { RecallDeps } from './deps.ts'
import { expandPassages } from './expand.ts'
import { packCandidates } from './pack.ts'
import { passagesOf } from './passages.ts'
import { promptBlock } from './prompt-block.ts'
import { rerankCandidates } from './rerank.ts'
import { startStopwatch } from './stopwatch.ts'
import { storeRequest } from './stored-request.ts'
import { validateRecall } from './validate.ts'

/** What a recall gives, with how long each stage took. */
interface Recalled {
  readonly result: RecallResult
  readonly stages: Readonly<Record<string, number>>
}

/**
 * Brings back what the bank holds on a message.
 *
 *     message (+ history) → formulate → channels → complete → fuse → lift      candidates.ts
 *                         → rerank → pack → expand → receipt                   here
 *
 * The bank's settings are the defaults of its recalls. An empty bank gives an empty result. A channel that fails leaves the others: `degraded` says which and why.
 *
 * @throws ProlepsisError EMPTY_TEXT, INVALID_TEXT, INVALID_ARGUMENT, UNKNOWN_OPTION, INVALID_TIME for the caller's input;
 * CANCELLED; the first failure when every channel failed
 * @param traceId of the call that it is a part of. @default one of its own
 */
export async function recall(
  deps: RecallDeps,
  query: RecallQuery,
  options: RecallOptions = {},
  traceId: string = deps.ids.next(),
): Promise<RecallResult> {
  const startedAt = deps.clock.now()
  const frame = (): Pick<RecallTrace, 'type' | 'traceId' | 'at' | 'durationMs'> => ({
    ...{ type: 'recall', traceId, at: new Date(startedAt), durationMs: deps.clock.now() - startedAt },
  })
  try {
    const { result, stages } = await recalled(deps, query, options, traceId)
    const { receipt, queries, passages, degraded } = result
    const message = messageOf(query)
    const told = { receiptId: receipt, message, queries, passages: passages.length, degraded, stages }
    deps.trace.record(deps.store, { ...frame(), errorCode: null, ...told })
    return result
  } catch (error) {
    deps.trace.record(deps.store, {
      ...frame(),
      errorCode: isProlepsisError(error) ? error.code : 'UNEXPECTED',
      ...{ receiptId: null, message: messageOf(query), queries: [], passages: 0, degraded: [], stages: {} },
    })
    throw error
  }
}

/** What was asked, of a query that may not have been checked yet. */
function messageOf(query: unknown): string {
  const { message = query }: { message?: unknown } = Object(query)
  return typeof message === 'string' ? message : ''
}

async function recalled(
  deps: RecallDeps,
  query: RecallQuery,
  options: RecallOptions,
  traceId: string,
): Promise<Recalled> {
  const stopwatch = startStopwatch(deps.clock)
  const createdAt = new Date(deps.clock.now())
  const request = validateRecall(query, overBankSettings(deps.store.settings ?? {}, options))

  const found = await findCandidates(deps, request, traceId)
  stopwatch.lap('candidates')
  const reranked = await rerankCandidates(deps, found, request, traceId)
  if (request.rerank > 0) stopwatch.lap('rerank')
  const degraded = [...found.degraded, ...reranked.degraded]
  const packed = await packCandidates(deps, reranked.candidates, request)
  stopwatch.lap('pack')
  const surroundings = await expandPassages(deps, packed, request)
  const passages = await passagesOf(deps, packed.chosen, surroundings)
  stopwatch.lap('passages')

  const tookMs = stopwatch.total()
  const receipt = request.receipt ? deps.ids.next() : null
  if (receipt !== null) {
    deps.receipts.add(deps.store, {
      ...{ receiptId: receipt, kind: 'recall', createdAt, tookMs },
      request: storeRequest({ ...request, queries: found.request.queries }, reranked.order),
      degraded,
      passages: passages.map(({ chunkId, score }, i) => ({ rank: i + 1, chunkId, score })),
    })
  }
  const stages = { ...found.stages, ...stopwatch.laps }
  deps.events.emit({
    ...{ type: 'recall-end', bank: deps.store.bank, receipt: receipt ?? '' },
    ...{ passages: passages.length, degraded, durationMs: tookMs },
    stages,
  })
  const result = {
    receipt,
    queries: found.queries,
    formulation: found.formulation,
    passages,
    tokens: passages.reduce((sum, passage) => sum + passage.tokens, 0),
    degraded,
    traceId,
    tookMs,
    toString: () => promptBlock(passages),
  }
  return { result, stages }
}
