import type { RecallOptions, RecallQuery } from '../domain/recall.ts'
import type { RecallRequest } from './request.ts'

/** A request as a receipt keeps it: plain JSON, enough to ask the same again without a model. */
export function storeRequest(request: RecallRequest): Readonly<Record<string, unknown>> {
  const { message, history, queries, filter, tokenBudget, mode, fusion, weights, limit, expand, receipt } =
    request
  const options = { mode, fusion, weights, limit, expand, receipt }
  return {
    query: { message, history, queries },
    options: { ...filter, ...options, ...(tokenBudget === null ? {} : { tokenBudget }) },
  }
}

/** The question and options of a stored request, for `validateRecall` to check. */
export function readStoredRequest(stored: Readonly<Record<string, unknown>>): {
  readonly query: RecallQuery
  readonly options: RecallOptions
} {
  // Written by storeRequest; validateRecall checks every field again.
  return { query: stored.query as RecallQuery, options: stored.options as RecallOptions }
}
