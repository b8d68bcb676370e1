import { createAnalyser } from '../../src/domain/analysis/create-analyser.ts'
import type { EngineEvent } from '../../src/domain/events.ts'
import type { RetainContent, RetainOptions, RetainResult } from '../../src/domain/retain.ts'
import type { EmbeddingModel } from '../../src/providers/embedding-model.ts'
import type { RecallDeps } from '../../src/recall/deps.ts'
import { createFormulationCache } from '../../src/recall/formulate/formulation-cache.ts'
import { createPeopleDirectory } from '../../src/recall/people-directory.ts'
import { createReceiptWriter } from '../../src/recall/receipt-writer.ts'
import { retain } from '../../src/retain/retain.ts'
import type { EnrichmentLine } from '../../src/retain/retain-deps.ts'
import type { BankStore } from '../../src/store/bank-store.ts'
import type { Database } from '../../src/store/database.ts'
import { openStore } from '../../src/store/open.ts'
import { insertBank } from '../../src/store/queries/banks.ts'
import { ensureSpace, setActiveSpace } from '../../src/store/queries/spaces.ts'
import { createHashingEmbedder } from './hashing-embedder.ts'

/** A bank on a real in-memory store, with all that recall needs. Its clock stands until it is set. */
export interface TestBank {
  readonly database: Database
  readonly store: BankStore
  readonly deps: RecallDeps
  readonly events: readonly EngineEvent[]
  retain(content: RetainContent, options?: RetainOptions): Promise<RetainResult>
  /** Milliseconds since the epoch. */
  setTime(now: number): void
  close(): Promise<void>
}

export async function openTestBank(
  options: {
    readonly embedder?: EmbeddingModel
    readonly database?: Database
    readonly name?: string
    readonly enrichment?: EnrichmentLine
  } = {},
): Promise<TestBank> {
  const database = options.database ?? (await openStore({ memory: true }))
  const embedder = options.embedder ?? createHashingEmbedder()
  let now = Date.UTC(2024, 0, 1)
  let nextId = 0
  const events: EngineEvent[] = []
  const clock = { now: () => now }
  const sink = { emit: (event: EngineEvent) => void events.push(event) }
  const { modelId, dimension } = embedder
  const space = await ensureSpace(database, { modelId, dimension, now: new Date(now) })
  const name = options.name ?? 'test'
  const bank = await insertBank(database, { name, language: 'english', settings: {}, now: new Date(now) })
  if (bank === null) throw new Error(`bank ${name} exists already`)
  await setActiveSpace(database, bank.bankId, space.spaceId)
  const store: BankStore = { database, bankId: bank.bankId, bank: name, language: 'english', space }
  const analyser = await createAnalyser('english')
  const people = createPeopleDirectory(clock)
  const receipts = createReceiptWriter(sink)
  const ids = { next: () => `receipt-${++nextId}` }
  const trace = { record: () => undefined }
  const lazyEmbedder = (): Promise<EmbeddingModel> => Promise.resolve(embedder)
  return {
    database,
    store,
    events,
    deps: {
      ...{ store, embedder: lazyEmbedder, analyser, clock, events: sink, receipts, people },
      ...{ ids, model: async () => null, reranker: async () => null, trace },
      formulation: { by: 'model', timeoutMs: 1_000, cache: createFormulationCache(clock) },
    },
    async retain(content, retainOptions = {}) {
      const result = await retain(
        {
          store,
          embedder: lazyEmbedder,
          analyser,
          clock,
          events: sink,
          maxTextBytes: 10_000_000,
          ids,
          trace,
          enrichment: options.enrichment ?? null,
        },
        content,
        retainOptions,
      )
      people.invalidate(store.bankId)
      return result
    },
    setTime(time) {
      now = time
    },
    async close() {
      await receipts.close()
      if (options.database === undefined) await database.close()
    },
  }
}
