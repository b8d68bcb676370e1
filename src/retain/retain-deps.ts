import type { Analyser } from '../domain/analysis/analyser.ts'
import type { EventSink } from '../domain/events.ts'
import type { QueuedJob } from '../domain/jobs.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { TraceSink } from '../observability/trace.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { BankStore } from '../store/bank-store.ts'

/** What every stage of retain works with. */
export interface RetainDeps {
  readonly store: BankStore
  /** Loads the model at the first call: a text that has not changed needs none. */
  readonly embedder: () => Promise<EmbeddingModel>
  readonly analyser: Analyser
  readonly clock: Clock
  readonly events: EventSink
  /** Largest text, UTF-8 bytes. */
  readonly maxTextBytes: number
  readonly ids: IdGenerator
  readonly trace: TraceSink
  /** Null where nothing is enriched: there is no language model. */
  readonly enrichment: EnrichmentLine | null
  /** The same for the bank as it stands now: for long calls, during which it may be moved to another model. Where it is absent, the call is repeated as a whole. */
  readonly renewed?: () => Promise<RetainDeps>
}

/** Where the enrichment of new texts is put in line. */
export interface EnrichmentLine {
  /** Whether a text is enriched whose caller does not say. */
  readonly byDefault: boolean
  /** Hears what was put in line, once it is committed. Never throws. */
  queued(store: BankStore, jobs: readonly QueuedJob[]): void
}
