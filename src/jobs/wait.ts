import { throwIfAborted } from '../domain/errors.ts'
import type { Enrichment, Job, JobProgress } from '../domain/jobs.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import { jobsByIds } from '../store/queries/jobs.ts'
import { repeatable } from '../store/repeat.ts'

/** A pause after a failure that is longer than this is not sat out: who waits is told of the failure. */
const PATIENCE_MS = 60_000
/** Jobs that another process runs are asked after this often. */
const ASK_MS = 500
/** The oldest of many stand for the others: they end first. */
const ASKED_AT_ONCE = 500

export interface WaitDeps {
  readonly store: BankStore
  readonly clock: Clock
  /** Calls back whenever a job of this process ends; gives what ends that. */
  readonly onEnd: (listener: () => void) => () => void
  /** Nobody runs jobs in this process any more: it is closing. */
  readonly isClosing: () => boolean
}

export interface WaitOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: JobProgress) => void) | undefined
}

/**
 * Waits until jobs have ended, or are in a pause too long to be sat out, and sums up what they did.
 *
 * @throws ProlepsisError CANCELLED, STORE_…
 */
export async function waitForJobs(
  deps: WaitDeps,
  jobIds: readonly number[],
  { signal, onProgress }: WaitOptions = {},
): Promise<Enrichment> {
  const open = new Set(jobIds)
  const ended: Job[] = []
  /** Documents with a job in a long pause: those behind it come after it. */
  const held = new Set<number | null>()
  const note = (job: Job): void => {
    open.delete(job.jobId)
    ended.push(job)
    onProgress?.({
      done: jobIds.length - open.size,
      total: jobIds.length,
      source: job.source,
      state: job.state,
    })
  }
  while (open.size > 0) {
    throwIfAborted(signal)
    // heard before the rows are read: what ends in between is not missed
    const change = nextChange(deps, signal)
    try {
      const asked = [...open].slice(0, ASKED_AT_ONCE)
      const { database, bankId } = deps.store
      const jobs = await repeatable(database, (db) => jobsByIds(db, bankId, asked))
      const there = new Set(jobs.map((job) => job.jobId))
      // forgotten with its document
      for (const jobId of asked) if (!there.has(jobId)) open.delete(jobId)
      const before = open.size
      for (const job of jobs) {
        if (isPaused(job, deps.clock.now()) || (job.state === 'waiting' && held.has(job.documentId))) {
          if (job.documentId !== null) held.add(job.documentId)
          note(job)
        } else if (job.state !== 'waiting' && job.state !== 'running') note(job)
      }
      if (open.size === 0 || deps.isClosing()) break
      // of many, the next ones may have ended too
      if (open.size < before && open.size > ASKED_AT_ONCE) continue
      await change.happened
    } finally {
      change.release()
    }
  }
  return summaryOf(ended, jobIds.length, open.size)
}

function isPaused(job: Job, now: number): boolean {
  return job.state === 'waiting' && job.error !== null && job.runAfter.getTime() - now > PATIENCE_MS
}

/** A job of this process ended, some time passed, or the caller gave up. */
function nextChange(
  deps: WaitDeps,
  signal: AbortSignal | undefined,
): { readonly happened: Promise<void>; release(): void } {
  let fire = (): void => undefined
  const happened = new Promise<void>((resolve) => {
    fire = resolve
  })
  const forget = deps.onEnd(fire)
  // somebody waits: the process is to live until then
  const timer = setTimeout(fire, ASK_MS)
  signal?.addEventListener('abort', fire, { once: true })
  return {
    happened,
    release() {
      forget()
      clearTimeout(timer)
      signal?.removeEventListener('abort', fire)
    },
  }
}

function summaryOf(jobs: readonly Job[], total: number, left: number): Enrichment {
  const sum = (of: (job: Job) => number | undefined): number =>
    jobs.reduce((all, job) => all + (of(job) ?? 0), 0)
  const count = (name: string): number => sum((job) => job.result[name])
  const failed = jobs.find((job) => job.state === 'dead') ?? jobs.find((job) => job.state === 'waiting')
  return {
    state: stateOf(jobs, total, left),
    jobs: total,
    ...{ chunks: count('chunks'), written: count('written'), kept: count('kept'), dropped: count('dropped') },
    calls: sum((job) => job.spent.calls),
    inputTokens: sum((job) => job.spent.inputTokens),
    outputTokens: sum((job) => job.spent.outputTokens),
    costUsd: sum((job) => job.spent.costUsd),
    error:
      failed === undefined ? null : { code: failed.errorCode ?? 'UNEXPECTED', message: failed.error ?? '' },
  }
}

function stateOf(jobs: readonly Job[], total: number, left: number): Enrichment['state'] {
  if (total === 0) return 'none'
  const has = (state: Job['state']): boolean => jobs.some((job) => job.state === state)
  if (has('dead')) return 'dead'
  if (left > 0 || has('waiting')) return 'waiting'
  return has('cancelled') ? 'cancelled' : 'done'
}
