import { isProlepsisError } from '../domain/errors.ts'
import type { JobKind } from '../domain/jobs.ts'
import type { BankStore } from '../store/bank-store.ts'
import { claimJobs } from '../store/queries/job-leases.ts'
import { repeatable } from '../store/repeat.ts'
import type { JobHandlers } from './job-handler.ts'
import { type HeldJob, type JobOutcome, type RunDeps, reportEnded, runJob } from './run-job.ts'

/** Long enough for a slow machine to extend it in time, short enough that nobody waits long for the jobs of a worker that died. */
export const LEASE_MS = 60_000

export interface WorkerOptions extends Omit<RunDeps, 'leaseMs'> {
  /** Banks that it looks after, as they are now; asked anew for every look. */
  readonly banks: () => Promise<readonly BankStore[]>
  readonly handlers: JobHandlers
  /** Spaces of a bank whose model is at hand: jobs that embed are done for these alone. @default any */
  readonly spaces?: (store: BankStore) => Promise<readonly number[]>
  /** Names the process, for people; different for every worker. */
  readonly workerId: string
  /** Jobs that run at once. */
  readonly concurrency: number
  /** @default LEASE_MS */
  readonly leaseMs?: number
  /** Hears how each attempt ended. */
  readonly onEnd?: (held: HeldJob, outcome: JobOutcome) => void
}

/** Runs jobs of banks in this process. Any number of workers, here and elsewhere, share the line: each attempt is one worker's. */
export interface Worker {
  /** Looks for jobs that are due, and starts as many as may run. What it cannot read it leaves for the next look; see `onTrouble`. */
  look(): Promise<void>
  /** Runs what is due until nothing is, and nothing runs. @throws ProlepsisError STORE_… */
  untilIdle(signal?: AbortSignal): Promise<void>
  /** What it can do. */
  readonly kinds: readonly JobKind[]
  isStopped(): boolean
  /** Attempts under way. */
  running(): number
  /** Takes no more, tells those that run to stop, and waits until they have: what was not finished is put back in line. Idempotent. */
  stop(): Promise<void>
}

export function createWorker(options: WorkerOptions): Worker {
  const deps: RunDeps = { ...options, leaseMs: options.leaseMs ?? LEASE_MS }
  const { handlers, concurrency, clock } = options
  const kinds: readonly JobKind[] = (Object.keys(handlers) as JobKind[]).filter(
    (kind) => handlers[kind] !== undefined,
  ) // its keys are kinds
  const stopping = new AbortController()
  const attempts = new Set<Promise<void>>()
  let claims = 0
  let turn = 0
  let looking: Promise<void> | null = null
  let isAskedAgain = false

  const start = (held: HeldJob): void => {
    const handler = handlers[held.job.kind]
    if (held.job.state !== 'running' || handler === undefined) {
      reportEnded(deps, held)
      options.onEnd?.(held, held.job.state === 'dead' ? 'dead' : 'cancelled')
      return
    }
    const attempt = runJob(deps, held, handler, stopping.signal)
      // the store does not take the end: the lease runs out, and the job is run again
      .catch((error: unknown): JobOutcome => {
        warn(options, error)
        return 'lost'
      })
      .then((outcome) => {
        attempts.delete(attempt)
        options.onEnd?.(held, outcome)
        // the next job of the same document is free now
        look().catch((error: unknown) => warn(options, error))
      })
    attempts.add(attempt)
  }

  const claim = async (store: BankStore): Promise<boolean> => {
    const limit = concurrency - attempts.size
    if (limit <= 0 || stopping.signal.aborted) return false
    const spaces = kinds.includes('embed') ? await options.spaces?.(store) : undefined
    const now = clock.now()
    const name = `${options.workerId}#${++claims}`
    const asked = {
      ...{ kinds, spaces, claim: name, limit, now: new Date(now) },
      leaseUntil: new Date(now + deps.leaseMs),
    }
    const jobs = await repeatable(store.database, (db) => claimJobs(db, store.bankId, asked))
    for (const job of jobs) start({ store, job, claim: name })
    return jobs.length > 0
  }

  const fill = async (): Promise<void> => {
    do {
      isAskedAgain = false
      const stores = await options.banks()
      // each look begins with another bank: one with many jobs does not hold up the others
      const first = turn++
      for (let at = 0; at < stores.length; at++) {
        while (await claim(stores[(first + at) % stores.length]!)) {
          // as long as slots are free
        }
      }
    } while (isAskedAgain && !stopping.signal.aborted)
  }

  const look = (): Promise<void> => {
    if (stopping.signal.aborted || kinds.length === 0) return Promise.resolve()
    if (looking !== null) {
      isAskedAgain = true
      return looking
    }
    looking = fill().finally(() => {
      looking = null
    })
    return looking
  }

  return {
    look,
    kinds,
    isStopped: () => stopping.signal.aborted,
    running: () => attempts.size,
    async untilIdle(signal) {
      const interrupt = interruptOf(signal)
      try {
        while (signal?.aborted !== true && !stopping.signal.aborted) {
          await look()
          if (attempts.size === 0) return
          await Promise.race([...attempts, interrupt.fired])
        }
      } finally {
        interrupt.release()
      }
    },
    async stop() {
      stopping.abort()
      await looking?.catch(() => undefined)
      while (attempts.size > 0) await Promise.all(attempts)
    },
  }
}

/** One listener however often it is waited for. */
function interruptOf(signal: AbortSignal | undefined): { readonly fired: Promise<void>; release(): void } {
  let fire = (): void => undefined
  const fired = new Promise<void>((resolve) => {
    fire = resolve
  })
  signal?.addEventListener('abort', fire, { once: true })
  return { fired, release: () => signal?.removeEventListener('abort', fire) }
}

function warn({ events }: Pick<WorkerOptions, 'events'>, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error)
  const code = isProlepsisError(error) ? error.code : 'UNEXPECTED'
  events.emit({
    type: 'warning',
    code: 'JOBS',
    message: `Jobs are not looked after at the moment: ${reason} (${code})`,
  })
}
