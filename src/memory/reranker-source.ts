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
