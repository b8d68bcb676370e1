import { ProlepsisError } from '../domain/errors.ts'
import type { RerankingModel, RerankRequest } from './reranking-model.ts'

/** One score a document, in their order; greater is better. */
export type RerankFunction = (request: RerankRequest) => Promise<readonly number[]> | readonly number[]

/** A function of the caller's, with the name of its model. */
export interface InjectedReranker {
  readonly modelId: string
  /** Most documents of one call. @default 100 */
  readonly maxDocuments?: number
  readonly rerank: RerankFunction
}

/**
 * A caller's function as a reranking model.
 *
 * @param injected a function is named by its own `modelId`, else `injected:reranker`
 * @throws ProlepsisError INVALID_ARGUMENT; `rerank` MODEL_REPLY_INVALID when it does not return one number a document, and what the function throws
 */
export function createInjectedReranker(
  injected: InjectedReranker | (RerankFunction & { readonly modelId?: string }),
): RerankingModel {
  if (typeof injected === 'function') {
    return createInjectedReranker({ modelId: injected.modelId ?? 'injected:reranker', rerank: injected })
  }
  // callers without types may hand over anything
  const { modelId, maxDocuments = 100, rerank }: Partial<InjectedReranker> = injected ?? {}
  const isNamed = typeof modelId === 'string' && modelId !== ''
  if (!isNamed || typeof rerank !== 'function' || !Number.isSafeInteger(maxDocuments) || maxDocuments < 1) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'The reranker lacks something of a reranking model.', {
      hint: 'Give provider:model, a function that takes { query, documents } and gives scores, or { modelId, rerank }.',
      details: { option: 'reranker' },
    })
  }
  return {
    modelId,
    maxDocuments,
    async rerank(request) {
      const scores: unknown = await injected.rerank(request)
      const isWhole =
        Array.isArray(scores) &&
        scores.length === request.documents.length &&
        scores.every((score) => Number.isFinite(score))
      if (isWhole) return scores
      throw new ProlepsisError(
        'MODEL_REPLY_INVALID',
        `The reranking model ${modelId} did not give one number for each of ${request.documents.length} documents.`,
        { hint: 'Return one score a document, in their order.', details: { modelId, errorKind: 'schema' } },
      )
    },
    close: async () => undefined,
  }
}
