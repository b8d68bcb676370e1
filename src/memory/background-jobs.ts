import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { isProlepsisError } from '../domain/errors.ts'
import type { Enrichment, QueuedJob } from '../domain/jobs.ts'
import { type WaitOptions, waitForJobs } from '../jobs/wait.ts'
import { createWorker, type Worker, type WorkerOptions } from '../jobs/worker.ts'
import type { EnrichmentLine } from '../retain/retain-deps.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { BankOpener } from './bank-opener.ts'
import { spacesAtHand } from './embed-jobs.ts'
import type { Engine } from './engine.ts'
import { jobHandlers } from './job-handlers.ts'
import { createOwnJobs, type OwnJobs } from './own-jobs.ts'

/** Jobs of other processes, and those whose pause has passed, are found this long after. */
const POLL_MS = 5_000
/** While closing, jobs that another process runs are asked after this often. */
const ASK_MS = 500

/** The work that a memory puts off, and the worker that does it in this process. */
export interface BackgroundJobs {
  /** Where retain puts enrichment in line; null without a language model. */
  readonly enrichment: EnrichmentLine | null
  /** Looks after a bank's jobs from now on; nothing runs at once for it. */
  serve(bank: string): void
  /** The same for a bank that is being moved to another embedding model, also without a language model. */
  serveEmbedding(bank: string): void
  /** Looks for jobs at once. */
  wake(): void
  /** Jobs that were put in line and committed: they are looked after at once, and drained at the end. */
  queued(store: BankStore, jobs: readonly QueuedJob[]): void
  /** A worker of its own in this process; closing stops it. */
  worker(options: Pick<WorkerOptions, 'banks' | 'concurrency'> & Partial<WorkerOptions>): Worker
  /** Waits for jobs, whoever runs them; while the memory closes, no longer than it drains. @throws ProlepsisError CANCELLED, STORE_… */
  wait(store: BankStore, jobIds: readonly number[], options?: WaitOptions): Promise<Enrichment>
  /** Lets jobs of this memory that are due end, within the setting `drainMs`; puts back what runs still, and says what is left. */
  close(signal?: AbortSignal): Promise<void>
}

export function createBackgroundJobs(
  shared: () => { readonly engine: Engine; readonly opener: BankOpener },
): BackgroundJobs {
  const served = new Set<string>()
  const listeners = new Set<() => void>()
  const waits = new Set<Promise<unknown>>()
  const workers = new Set<Worker>()
  const own = createOwnJobs()
  let resident: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let closing = false
  let isInTrouble = false

  const newWorker: BackgroundJobs['worker'] = (options) => {
    const { engine, opener } = shared()
    const { clock, ids, events, trace } = engine
    const worker = createWorker({
      ...{ clock, ids, events, trace, random: Math.random, handlers: jobHandlers(engine, opener) },
      spaces: (store) => spacesAtHand(engine, store),
      workerId: `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`,
      ...options,
      onEnd: (held, outcome) => {
        own.ended(held.store.bankId, held.job.jobId, outcome)
        options.onEnd?.(held, outcome)
        for (const listener of listeners) listener()
      },
    })
    workers.add(worker)
    return {
      ...worker,
      async stop() {
        await worker.stop()
        workers.delete(worker)
      },
    }
  }

  /** Undefined where jobs are left to other processes. */
  const residentWorker = (): Worker | undefined => {
    const { settings } = shared().engine.resolved
    if (closing || settings.readOnly || !settings.worker) return undefined
    resident ??= newWorker({ banks: servedBanks, concurrency: settings.modelConcurrency })
    return resident
  }

  const servedBanks = async (): Promise<readonly BankStore[]> => {
    const stores: BankStore[] = []
    for (const name of served) {
      const store = await openForJobs(shared().opener, name)
      if (store === null) served.delete(name)
      else stores.push(store)
    }
    return stores
  }

  const look = async (): Promise<void> => {
    try {
      await residentWorker()?.look()
      isInTrouble = false
    } catch (error) {
      // told once, tried again and again
      if (!isInTrouble) warn(shared().engine, error)
      isInTrouble = true
    }
    arm()
  }

  const arm = (): void => {
    clearTimeout(timer)
    if (closing || residentWorker() === undefined) return
    timer = setTimeout(() => void look(), POLL_MS)
    timer.unref()
  }

  const queued: BackgroundJobs['queued'] = (store, jobs) => {
    own.add(store, jobs)
    served.add(store.bank)
    void look()
  }

  return {
    get enrichment() {
      const { model, resolved } = shared().engine
      return model.isConfigured ? { byDefault: resolved.settings.enrich, queued } : null
    },
    serve(bank) {
      if (closing || served.has(bank) || !shared().engine.model.isConfigured) return
      served.add(bank)
      arm()
    },
    serveEmbedding(bank) {
      if (closing || served.has(bank)) return
      served.add(bank)
      arm()
    },
    wake: () => void look(),
    queued,
    worker: newWorker,
    async wait(store, jobIds, options) {
      const { clock } = shared().engine
      const onEnd = (listener: () => void): (() => void) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      }
      const wait = waitForJobs({ store, clock, onEnd, isClosing: () => closing }, jobIds, options)
      waits.add(wait)
      try {
        return await wait
      } finally {
        waits.delete(wait)
      }
    },
    async close(signal) {
      const { engine } = shared()
      clearTimeout(timer)
      if (resident !== undefined) await drain(own, resident, engine, signal, listeners)
      closing = true
      await Promise.all([...workers].map((worker) => worker.stop()))
      for (const listener of listeners) listener()
      await Promise.allSettled(waits)
      if (resident !== undefined) await tellWhatIsLeft(own, engine)
    },
  }
}

/** Waits for the memory's own jobs that are due: not for those in a pause after a failure, nor for anybody else's. */
async function drain(
  own: OwnJobs,
  worker: Worker,
  { clock, resolved, events }: Engine,
  signal: AbortSignal | undefined,
  listeners: Set<() => void>,
): Promise<void> {
  const { drainMs } = resolved.settings
  const end = performance.now() + drainMs
  try {
    let isTold = false
    const isOver = (): boolean => signal?.aborted === true || performance.now() >= end
    while (!isOver() && (await own.haveDue(clock.now()))) {
      if (!isTold) events.emit({ type: 'drain-start', mostMs: drainMs })
      isTold = true
      await worker.look()
      await nextChange(Math.min(ASK_MS, end - performance.now()), signal, listeners)
    }
  } catch (error) {
    // closing goes on: the jobs are rows, and stay
    events.emit({ type: 'warning', code: 'JOBS', message: `Jobs were not waited for: ${reasonOf(error)}` })
  }
}

async function nextChange(
  ms: number,
  signal: AbortSignal | undefined,
  listeners: Set<() => void>,
): Promise<void> {
  let fire = (): void => undefined
  const happened = new Promise<void>((resolve) => {
    fire = resolve
  })
  listeners.add(fire)
  signal?.addEventListener('abort', fire, { once: true })
  const timer = setTimeout(fire, Math.max(ms, 0))
  await happened
  clearTimeout(timer)
  signal?.removeEventListener('abort', fire)
  listeners.delete(fire)
}

async function tellWhatIsLeft(own: OwnJobs, { events }: Engine): Promise<void> {
  const { count, reason } = await own.left().catch(() => ({ count: 0, reason: null }))
  if (count === 0) return
  const what = count === 1 ? '1 job stays' : `${count} jobs stay`
  const why = reason === null ? '' : ` (${reason})`
  const message = `${what} in line${why}: prolepsis work, or the next memory that uses the bank, goes on with ${count === 1 ? 'it' : 'them'}.`
  events.emit({ type: 'warning', code: 'JOBS_LEFT', message })
}

/** Null when there is no such bank any more. What a handler needs beyond rows it asks of the bank itself. */
export async function openForJobs(opener: BankOpener, name: string): Promise<BankStore | null> {
  try {
    return await opener.open(name, { create: false, vectors: false, fresh: true })
  } catch (error) {
    if (isProlepsisError(error) && error.code === 'BANK_NOT_FOUND') return null
    throw error
  }
}

function warn({ events }: Engine, error: unknown): void {
  const message = `Jobs are not looked after at the moment: ${reasonOf(error)}`
  events.emit({ type: 'warning', code: 'JOBS', message })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
