import type { RecallOptions, RecallQuery } from '../domain/recall.ts'
import type { RecallRequest } from './request.ts'
import type { RerankedChunk } from './rerank.ts'

/**
 * A request as a receipt keeps it: plain JSON, enough to ask the same again without a model.
 *
 * @param request with the questions that went out
 * @param order what the reranking model made of it
 */
export function storeRequest(
  request: RecallRequest,
  order: readonly RerankedChunk[] = [],
): Readonly<Record<string, unknown>> {
  const { message, history, queries, filter, tokenBudget, mode, fusion, weights, limit, expand, receipt } =
    request
  const options = { mode, fusion, weights, limit, expand, receipt }
  return {
    query: { message, history, queries },
    options: { ...filter, ...options, ...(tokenBudget === null ? {} : { tokenBudget }) },
    ...(order.length === 0 ? {} : { reranked: order.map(({ chunkId, score }) => [chunkId, score]) }),
  }
}

/** The question and options of a stored request, for `validateRecall` to check. */
export function readStoredRequest(stored: Readonly<Record<string, unknown>>): {
  readonly query: RecallQuery
  readonly options: RecallOptions
  readonly order: readonly RerankedChunk[]
} {
  // Written by storeRequest; validateRecall checks every field again.
  const { query, options } = stored as { query: RecallQuery; options: RecallOptions }
  const order = Array.isArray(stored.reranked) ? stored.reranked.map(rerankedChunk) : []
  return { query, options, order }
}

function rerankedChunk(pair: unknown): RerankedChunk {
  const [chunkId, score] = Array.isArray(pair) ? pair.map(Number) : []
  return { chunkId: chunkId ?? 0, score: score ?? 0 }
}
