import type { AttemptWorld } from '../providers/calls/attempts.ts'
import { limitedReranker } from '../providers/calls/limited-reranker.ts'
import { createReranker, type RerankerCalls } from '../providers/models.ts'
import type { RerankingModel } from '../providers/reranking-model.ts'
import type { BankStore } from '../store/bank-store.ts'

/** The reranking model of a memory, made ready when a recall first asks for it. */
export interface RerankerSource {
  /** For one bank: a grading model's calls are the bank's. Null when the memory has none. @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING, MODEL_NOT_FOUND */
  model(store: BankStore): Promise<RerankingModel | null>
  /** Frees what is the memory's own. Idempotent. */
  close(): Promise<void>
}

/** A memory without a reranking model: the fused order stands. */
export const NO_RERANKER: RerankerSource = {
  model: async () => null,
  close: async () => undefined,
}

/** A model of the caller's, under the policy of all models; it stays the caller's to close. */
export function injectedReranker(
  model: RerankingModel,
  world: AttemptWorld,
  policy: RerankerCalls['policy'],
): RerankerSource {
  const limited = limitedReranker(model, world, policy)
  return { model: async () => limited, close: async () => undefined }
}

/** A model by its name, loaded when a recall first asks for it. A grading model's calls are the bank's own, so it is made for each bank. */
export function namedReranker(name: string, callsFor: (store: BankStore) => RerankerCalls): RerankerSource {
  const made = new Map<number | 'all', Promise<RerankingModel>>()
  return {
    model(store) {
      const key = name.startsWith('grader:') ? store.bankId : 'all'
      const known = made.get(key)
      if (known !== undefined) return known
      const making = createReranker(name, callsFor(store))
      made.set(key, making)
      // what could not be made is tried again by the next recall
      making.catch(() => made.delete(key))
      return making
    },
    async close() {
      const models = await Promise.allSettled(made.values())
      made.clear()
      for (const model of models) if (model.status === 'fulfilled') await model.value.close()
    },
  }
}
