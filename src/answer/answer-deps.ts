import type { Analyser } from '../domain/analysis/analyser.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { RecallOptions, RecallQuery, RecallResult } from '../domain/recall.ts'
import type { TraceSink } from '../observability/trace.ts'
import type { ModelCalls } from '../providers/model-calls.ts'
import type { BankStore } from '../store/bank-store.ts'

/** What answering works with: a bank, the world, and what it needs of recall. */
export interface AnswerDeps {
  readonly store: BankStore
  readonly analyser: Analyser
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly trace: TraceSink
  /** Calls of the language model for this bank; null when the memory has none. */
  readonly model: () => Promise<ModelCalls | null>
  readonly recall: (query: RecallQuery, options: RecallOptions, traceId: string) => Promise<RecallResult>
  /** Raises CLOSED when the memory is closing. */
  readonly assertOpen: () => void
  /** Reports passages of a receipt as cited; null where nothing may be written. */
  readonly reportCited: ((receipt: string, refs: readonly string[]) => Promise<void>) | null
}
