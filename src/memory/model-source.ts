import type { ModelCalls } from '../providers/model-calls.ts'
import type { BankStore } from '../store/bank-store.ts'

/** The language model of a memory, made ready when a call first needs it. */
export interface ModelSource {
  /** Whether there is one; nothing is loaded for it. */
  readonly isConfigured: boolean
  /** Its calls for one bank, under the memory's policy; null when the memory has none. @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING */
  calls(store: BankStore): Promise<ModelCalls | null>
  /** Ends what waits and runs. Idempotent. */
  close(): Promise<void>
}

/** A memory without a language model: the rules alone. */
export const NO_MODEL: ModelSource = {
  isConfigured: false,
  calls: async () => null,
  close: async () => undefined,
}
