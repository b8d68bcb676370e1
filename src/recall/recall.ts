import type { RecallOptions, RecallQuery, RecallResult } from '../domain/recall.ts'
import { overBankSettings } from './bank-settings.ts'
import { findCandidates } from './candidates.ts'
import type { RecallDeps } from './deps.ts'
import { expandPassages } from './expand.ts'
import { packCandidates } from './pack.ts'
import { passagesOf } from './passages.ts'
import { promptBlock } from './prompt-block.ts'
import { startStopwatch } from './stopwatch.ts'
import { storeRequest } from './stored-request.ts'
import { validateRecall } from './validate.ts'

/**
 * Brings back what the bank holds on a message.
 *
 *     message (+ history) → formulate → channels → complete → fuse → lift      candidates.ts
 *                         → pack → expand → receipt                            here
 *
 * The bank's settings are the defaults of its recalls. An empty bank gives an empty result. A channel that fails leaves the others: `degraded` says which and why.
 *
 * @throws ProlepsisError EMPTY_TEXT, INVALID_TEXT, INVALID_ARGUMENT, UNKNOWN_OPTION, INVALID_TIME for the caller's input;
 * CANCELLED; the first failure when every channel failed
 */
export async function recall(
  deps: RecallDeps,
  query: RecallQuery,
  options: RecallOptions = {},
): Promise<RecallResult> {
  const stopwatch = startStopwatch(deps.clock)
  const createdAt = new Date(deps.clock.now())
  const request = validateRecall(query, overBankSettings(deps.store.settings ?? {}, options))

  const found = await findCandidates(deps, request)
  stopwatch.lap('candidates')
  const packed = await packCandidates(deps, found.candidates, request)
  stopwatch.lap('pack')
  const surroundings = await expandPassages(deps, packed, request)
  const passages = await passagesOf(deps, packed.chosen, surroundings)
  stopwatch.lap('passages')

  const tookMs = stopwatch.total()
  const receipt = request.receipt ? deps.ids.next() : null
  if (receipt !== null) {
    deps.receipts.add(deps.store, {
      ...{ receiptId: receipt, kind: 'recall', createdAt, tookMs },
      request: storeRequest(request),
      degraded: found.degraded,
      passages: passages.map(({ chunkId, score }, i) => ({ rank: i + 1, chunkId, score })),
    })
  }
  deps.events.emit({
    ...{ type: 'recall-end', bank: deps.store.bank, receipt: receipt ?? '' },
    ...{ passages: passages.length, degraded: found.degraded, durationMs: tookMs },
    stages: { ...found.stages, ...stopwatch.laps },
  })
  return {
    receipt,
    queries: found.queries,
    passages,
    tokens: passages.reduce((sum, passage) => sum + passage.tokens, 0),
    degraded: found.degraded,
    tookMs,
    toString: () => promptBlock(passages),
  }
}
