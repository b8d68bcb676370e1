import { randomFillSync } from 'node:crypto'
import { systemClock } from './domain/ports.ts'
import { createUuidGenerator } from './domain/uuid.ts'
import { checkKeys } from './maintain/check-options.ts'
import { createTraceWriter } from './maintain/trace/trace-writer.ts'
import { answerCalls } from './memory/answer-calls.ts'
import { createBackgroundJobs } from './memory/background-jobs.ts'
import { storeCalls } from './memory/bank-calls.ts'
import { type BankOpener, createBankOpener } from './memory/bank-opener.ts'
import { careCalls } from './memory/care-calls.ts'
import {
  chooseModels,
  embedderSourceOf,
  embedderUnder,
  modelSourceOf,
  modelsOfCode,
  rerankerSourceOf,
  spaceSettingsOf,
} from './memory/choose-models.ts'
import { embedderCalls } from './memory/embedder-calls.ts'
import { createEmbedderShelf } from './memory/embedder-shelf.ts'
import { createAnalyserCache, createCallLine, type Engine } from './memory/engine.ts'
import { evaluateCalls } from './memory/evaluate-calls.ts'
import { eventCalls } from './memory/event-calls.ts'
import { jobCalls } from './memory/job-calls.ts'
import { checkMemoryOptions, type MemoryOptions } from './memory/options.ts'
import { reportPassedOver } from './memory/passed-over.ts'
import { portableCalls } from './memory/portable-calls.ts'
import { questionCalls } from './memory/question-calls.ts'
import { readCalls } from './memory/read-calls.ts'
import { rememberScope } from './memory/scopes.ts'
import { askingOwner, serveEmbedder } from './memory/shared-embedder.ts'
import { sweepCalls } from './memory/sweep-calls.ts'
import { createUpkeep } from './memory/upkeep.ts'
import { writeCalls } from './memory/write-calls.ts'
import type { Memory } from './memory-api.ts'
import { createEventBus } from './observability/event-bus.ts'
import { createFormulationCache } from './recall/formulate/formulation-cache.ts'
import { createPeopleDirectory } from './recall/people-directory.ts'
import { createReceiptWriter } from './recall/receipt-writer.ts'

/**
 * Opens a memory: an embedded store in a folder (the default, no key and no server), a PostgreSQL server by `databaseUrl`, or one in
 * memory. The embedding model is loaded when a call first needs vectors. Concurrent calls are safe. Close it when done, or use
 * `await using`.
 *
 * @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, INVALID_CONFIG, STORE_LOCKED, STORE_NEWER, STORE_READ_ONLY,
 * STORE_UNREACHABLE…
 */
export async function createMemory(options: MemoryOptions = {}): Promise<Memory> {
  checkMemoryOptions(options)
  const { inMemory, onEvent, tracer, redactTrace, clock = systemClock } = options
  const { ids = createUuidGenerator(clock, (bytes) => randomFillSync(bytes)) } = options
  const { chosen, resolved, context } = chooseModels(options)
  const events = createEventBus()
  if (onEvent !== undefined) events.subscribe(onEvent)
  reportPassedOver(resolved.passedOver, events, [
    ...(inMemory === true ? ['database_url'] : []),
    ...(chosen.embedder === null ? [] : ['model_dir']),
    ...modelsOfCode(chosen),
  ])
  // database drivers are loaded when a store is opened, not when the package is imported
  const { openStore } = await import('./store/open.ts')
  const database = await openStore(inMemory === true ? { memory: true } : resolved.location, {
    deadlineMs: resolved.settings.deadlineMs,
    readOnly: resolved.settings.readOnly,
    onEvent: (event) => events.emit(event),
  })
  const calls = createCallLine()
  const { services } = database
  const { settings } = resolved
  const world = { settings, env: context.env, clock }
  const own = embedderSourceOf(chosen, world)
  if (services !== undefined) serveEmbedder(own, services, calls)
  const { readOnly, receiptDays, trace, traceText, traceDays, traceMegabytes } = settings
  const receipts = readOnly ? NO_RECEIPTS : createReceiptWriter(events)
  const upkeep = createUpkeep({ database, clock, events, calls, receiptDays, traceDays, traceMegabytes })
  const jobs = createBackgroundJobs(() => ({ engine, opener }))
  const traceWriter = createTraceWriter({
    ...{ database, ids, events, keep: trace && !readOnly, keepText: traceText, redact: redactTrace },
    tracers: [tracer ?? []].flat(),
    before: (banks) => {
      upkeep.noteTrace(banks)
      return receipts.flushBehind()
    },
  })
  const bankWorld = { ...world, ids, trace: traceWriter, events }
  const embedder =
    chosen.embedder === null && services !== undefined ? askingOwner(own, services, events) : own
  const engine: Engine = {
    database,
    resolved,
    embedder,
    embedders: createEmbedderShelf(
      { source: embedder, settings: spaceSettingsOf(chosen, settings) },
      (named) => embedderUnder(named, world),
    ),
    analysers: createAnalyserCache(),
    clock,
    ids,
    events,
    receipts,
    people: createPeopleDirectory(clock),
    formulations: createFormulationCache(clock),
    calls,
    sweepers: new Set(),
    upkeep,
    model: modelSourceOf(chosen, bankWorld),
    reranker: rerankerSourceOf(chosen, bankWorld),
    trace: traceWriter,
    jobs,
  }
  const opener = createBankOpener(engine)
  return bankHandle({ engine, opener, close: closing(engine) }, resolved.settings.bank, true)
}

/** A memory that may not write gives receipts that nobody can report on. */
const NO_RECEIPTS: Engine['receipts'] = {
  add: () => undefined,
  flush: async () => undefined,
  flushBehind: async () => undefined,
  close: async () => undefined,
}

interface Shared {
  readonly engine: Engine
  readonly opener: BankOpener
  readonly close: Memory['close']
}

/** A handle on one bank. Handles are cheap and share everything; closing one closes the memory. */
function bankHandle(shared: Shared, name: string, createIfMissing: boolean): Memory {
  const { engine, opener, close } = shared
  const scope = { engine, opener, name, createIfMissing }
  const memory: Memory = {
    name,
    ...writeCalls(scope),
    ...sweepCalls(scope),
    ...readCalls(scope),
    ...answerCalls(scope),
    ...careCalls(scope),
    ...embedderCalls(scope),
    ...portableCalls(scope),
    ...eventCalls(scope),
    ...evaluateCalls(scope),
    ...storeCalls(engine, opener),
    jobs: jobCalls(scope),
    questions: questionCalls(scope),
    bank: (other, options = {}) => {
      checkKeys(options, ['createIfMissing'], 'bank')
      const { createBanks, bank } = engine.resolved.settings
      return bankHandle(shared, other, options.createIfMissing ?? (createBanks || other === bank))
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
  rememberScope(memory, scope)
  return memory
}

/** Waits for calls that run, drains jobs, writes what waits, closes store and models. Idempotent: every call gives the same promise. */
function closing(engine: Engine): Memory['close'] {
  let closed: Promise<void> | undefined
  const hurry = new AbortController()
  const close = async (): Promise<void> => {
    const calls = engine.calls.end()
    // the calls that run are theirs too
    await Promise.all([...engine.sweepers].map((sweeper) => sweeper.stop()))
    await calls
    try {
      await engine.jobs.close(hurry.signal)
      await engine.receipts.close()
      await engine.model.close()
      await engine.reranker.close()
    } finally {
      // the store's lock is given up whatever else fails
      await engine.trace.close()
      await engine.upkeep.stop()
      await engine.embedders.close().finally(() => engine.database.close())
    }
  }
  return (options = {}) => {
    checkKeys(options, ['signal'], 'close')
    if (options.signal?.aborted === true) hurry.abort()
    else options.signal?.addEventListener('abort', () => hurry.abort(), { once: true })
    closed ??= close()
    return closed
  }
}
