import type { ResolvedSettings } from '../config/resolve.ts'
import type { Analyser } from '../domain/analysis/analyser.ts'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { Sweeper } from '../domain/sweep.ts'
import type { TraceWriter } from '../maintain/trace/trace-writer.ts'
import type { FormulationCache } from '../recall/formulate/formulation-cache.ts'
import type { PeopleDirectory } from '../recall/people-directory.ts'
import type { ReceiptWriter } from '../recall/receipt-writer.ts'
import type { Database } from '../store/database.ts'
import type { BackgroundJobs } from './background-jobs.ts'
import type { EmbedderShelf } from './embedder-shelf.ts'
import type { EmbedderSource } from './embedder-source.ts'
import type { ModelSource } from './model-source.ts'
import type { RerankerSource } from './reranker-source.ts'
import type { Upkeep } from './upkeep.ts'

/** What all bank handles of one memory share. */
export interface Engine {
  readonly database: Database
  readonly resolved: ResolvedSettings
  /** The memory's own: what new banks embed with. */
  readonly embedder: EmbedderSource
  /** That one, and those that banks are moved to. */
  readonly embedders: EmbedderShelf
  readonly analysers: AnalyserCache
  readonly clock: Clock
  readonly ids: IdGenerator
  readonly events: EventSink
  readonly receipts: ReceiptWriter
  readonly people: PeopleDirectory
  readonly formulations: FormulationCache
  readonly calls: CallLine
  /** Those that run, to be stopped at closing. */
  readonly sweepers: Set<Sweeper>
  readonly upkeep: Upkeep
  readonly model: ModelSource
  readonly reranker: RerankerSource
  readonly trace: TraceWriter
  readonly jobs: BackgroundJobs
}

export interface AnalyserCache {
  /** @throws ProlepsisError INVALID_ARGUMENT for an unknown language */
  of(language: string): Promise<Analyser>
}

export function createAnalyserCache(): AnalyserCache {
  const made = new Map<string, Promise<Analyser>>()
  return {
    of(language) {
      const analyser = made.get(language) ?? createAnalyser(language)
      made.set(language, analyser)
      return analyser
    },
  }
}

/** Calls that run, so that closing waits for them, and no new one starts after. */
export interface CallLine {
  /** @throws ProlepsisError CLOSED */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Raises CLOSED when the memory was closed. */
  assertOpen(): void
  isBusy(): boolean
  hasEnded(): boolean
  /** Ends the line and waits for what runs. */
  end(): Promise<void>
}

export function createCallLine(): CallLine {
  const running = new Set<Promise<unknown>>()
  let ended = false
  const assertOpen = (): void => {
    if (!ended) return
    throw new ProlepsisError('CLOSED', 'The memory was closed.', {
      hint: 'Open another one with createMemory().',
    })
  }
  return {
    assertOpen,
    isBusy: () => running.size > 0,
    hasEnded: () => ended,
    async run(work) {
      assertOpen()
      const call = work()
      running.add(call)
      try {
        return await call
      } finally {
        running.delete(call)
      }
    },
    async end() {
      ended = true
      await Promise.allSettled([...running])
    },
  }
}
