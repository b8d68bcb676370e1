import type { Analyser } from '../domain/analysis/analyser.ts'
import type { EventSink } from '../domain/events.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { FormulatorChoice } from '../domain/recall.ts'
import type { TraceSink } from '../observability/trace.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { ModelCalls } from '../providers/model-calls.ts'
import type { RerankingModel } from '../providers/reranking-model.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { FormulationCache } from './formulate/formulation-cache.ts'
import type { PeopleDirectory } from './people-directory.ts'
import type { ReceiptWriter } from './receipt-writer.ts'

/** What recall works with: a bank opened for work, and the world. */
export interface RecallDeps {
  readonly store: BankStore
  /** Loads the model at the first call: lexical recall needs none. */
  readonly embedder: () => Promise<EmbeddingModel>
  readonly analyser: Analyser
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly events: EventSink
  /** Shared by all banks of a memory. */
  readonly receipts: ReceiptWriter
  /** Shared by all banks of a memory. */
  readonly people: PeopleDirectory
  /** Calls of the language model for this bank; null when the memory has none. */
  readonly model: () => Promise<ModelCalls | null>
  /** Null when the memory has no reranking model. */
  readonly reranker: () => Promise<RerankingModel | null>
  readonly trace: TraceSink
  readonly formulation: {
    /** For recalls that choose no formulator. */
    readonly by: FormulatorChoice
    /** How long the model is waited for. */
    readonly timeoutMs: number
    /** Shared by all banks of a memory. */
    readonly cache: FormulationCache
  }
}
