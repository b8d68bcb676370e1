import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import { modelErrorOf } from '../model-errors.ts'
import type { ModelName } from '../model-name.ts'
import type { ProviderAccess, RerankingProvider } from '../provider-access.ts'
import type { RerankingModel } from '../reranking-model.ts'
import { errorContext } from './error-context.ts'
import { rerankingVendor } from './vendors.ts'

/** Cohere takes 1,000 documents a call and counts 100 of them as one search unit (https://docs.cohere.com/reference/rerank). */
const MAX_DOCUMENTS = 100

/** A provider's reranking model through the AI SDK. @throws ProlepsisError MODEL_KEY_MISSING, PROVIDER_NOT_INSTALLED */
export async function createAiSdkReranker(
  name: ModelName<RerankingProvider>,
  access: ProviderAccess,
): Promise<RerankingModel> {
  const model = await rerankingVendor(name.provider, name.model, access)
  const context = errorContext(name, access)
  return {
    modelId: context.modelId,
    maxDocuments: MAX_DOCUMENTS,
    async rerank({ query, documents, signal }) {
      throwIfAborted(signal)
      if (documents.length === 0) return []
      const scores = new Array<number>(documents.length).fill(Number.NaN)
      try {
        const { ranking } = await model.doRerank({
          ...{ query, documents: { type: 'text', values: [...documents] }, topN: documents.length },
          ...(signal === undefined ? {} : { abortSignal: signal }),
        })
        for (const { index, relevanceScore } of ranking) if (index in scores) scores[index] = relevanceScore
      } catch (thrown) {
        throwIfAborted(signal)
        throw modelErrorOf(thrown, context)
      }
      if (scores.every(Number.isFinite)) return scores
      throw new ProlepsisError(
        'MODEL_REPLY_INVALID',
        `The reply of ${context.modelId} leaves documents out.`,
        {
          hint: 'Repeat the call.',
          retryable: true,
          details: { modelId: context.modelId, errorKind: 'schema' },
        },
      )
    },
    close: async () => undefined,
  }
}
