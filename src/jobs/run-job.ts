import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'
import type { Job, JobSpending } from '../domain/jobs.ts'
import type { Clock, IdGenerator } from '../domain/ports.ts'
import type { TraceSink } from '../observability/trace.ts'
import type { TokenUsage } from '../providers/language-model.ts'
import type { BankStore } from '../store/bank-store.ts'
import { type AttemptEnd, endAttempt, extendLease } from '../store/queries/job-leases.ts'
import { repeatable } from '../store/repeat.ts'
import type { JobHandler } from './job-handler.ts'
import { judgeFailure } from './pauses.ts'

export interface RunDeps {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly ids: IdGenerator
  readonly events: EventSink
  readonly trace: TraceSink
  readonly leaseMs: number
}

/** A job that this process has claimed. */
export interface HeldJob {
  readonly store: BankStore
  readonly job: Job
  /** Names the claim; every later statement holds only under it. */
  readonly claim: string
}

/** `lost`: the job is another worker's now, or gone; `released`: put back untouched, since the worker stops. */
export type JobOutcome = 'done' | 'waiting' | 'dead' | 'cancelled' | 'lost' | 'released'

/** Runs one attempt of a job under its lease, and writes how it ended. @throws ProlepsisError STORE_… when that cannot be written: then the lease runs out */
export async function runJob(
  deps: RunDeps,
  held: HeldJob,
  handler: JobHandler,
  stopping: AbortSignal,
): Promise<JobOutcome> {
  const { store, job } = held
  const began = deps.clock.now()
  const traceId = job.traceId ?? deps.ids.next()
  deps.events.emit({ type: 'job-start', bank: store.bank, attempt: job.attempts, ...named(job) })
  const lease = holdLease(deps, held, stopping)
  let end: AttemptEnd & { readonly released?: boolean }
  try {
    const { signal, extend, spend, progress } = lease
    const result = await handler(job, { store, signal, traceId, extend, spend, progress })
    end = {
      ...frame(held, lease),
      state: 'done',
      result,
      finishedAt: new Date(deps.clock.now()),
    }
  } catch (error) {
    end = endOfFailure(deps, held, lease, error, stopping)
  } finally {
    await lease.stop()
  }
  const isOurs =
    !lease.isLost() && (await repeatable(store.database, (db) => endAttempt(db, store.bankId, end)))
  const outcome: JobOutcome = !isOurs ? 'lost' : end.released === true ? 'released' : end.state
  report(deps, held, outcome, { end, began, traceId })
  return outcome
}

/** Tells of a job that ended by the claim itself: its document is not current, or its last worker was lost. */
export function reportEnded(deps: RunDeps, held: HeldJob): void {
  const { job } = held
  const outcome = job.state === 'dead' ? 'dead' : 'cancelled'
  const end: AttemptEnd = {
    ...frame(held, { spent: () => job.spent, counted: () => job.result }),
    state: outcome,
    errorCode: job.errorCode,
    error: job.error,
  }
  report(deps, held, outcome, { end, began: deps.clock.now(), traceId: job.traceId ?? deps.ids.next() })
}

function frame({ job, claim }: HeldJob, lease: Pick<Lease, 'spent' | 'counted'>): AttemptEnd {
  const { jobId, attempts, runAfter } = job
  return {
    ...{ jobId, claim, attempts, runAfter, spent: lease.spent(), result: lease.counted() },
    ...{ state: 'done', errorCode: null, error: null, finishedAt: null },
  }
}

function endOfFailure(
  deps: RunDeps,
  held: HeldJob,
  lease: Lease,
  error: unknown,
  stopping: AbortSignal,
): AttemptEnd & { readonly released?: boolean } {
  const { job } = held
  const now = deps.clock.now()
  if (stopping.aborted) {
    const { errorCode, error: before } = job
    const back = { state: 'waiting', attempts: job.attempts - 1, errorCode, error: before } as const
    return { ...frame(held, lease), ...back, runAfter: new Date(now), released: true }
  }
  const { attempts, maxAttempts } = job
  const verdict = judgeFailure({ error, attempts, maxAttempts, now, random: deps.random() })
  const why = { errorCode: codeOf(error), error: reasonOf(error) }
  if (verdict.state === 'dead')
    return { ...frame(held, lease), ...why, state: 'dead', finishedAt: new Date(now) }
  return {
    ...frame(held, lease),
    ...why,
    state: 'waiting',
    runAfter: new Date(verdict.runAfter),
    attempts: verdict.counts ? attempts : attempts - 1,
  }
}

interface Lease {
  readonly signal: AbortSignal
  extend(): Promise<void>
  spend(usage: TokenUsage, calls?: number): void
  progress(counts: Readonly<Record<string, number>>): void
  spent(): JobSpending
  counted(): Readonly<Record<string, number>>
  isLost(): boolean
  stop(): Promise<void>
}

/** Holds the job while the handler runs: extends the lease three times within it, and fires when it cannot be held. */
function holdLease(deps: RunDeps, { store, job, claim }: HeldJob, stopping: AbortSignal): Lease {
  const { clock, leaseMs } = deps
  const lost = new AbortController()
  let spent = job.spent
  let counted = job.result
  let saving: Promise<void> = Promise.resolve()
  let until = clock.now() + leaseMs
  const extend = async (): Promise<void> => {
    const next = clock.now() + leaseMs
    const held = { jobId: job.jobId, claim, leaseUntil: new Date(next), spent, result: counted }
    if (await repeatable(store.database, (db) => extendLease(db, store.bankId, held))) {
      until = next
      return
    }
    lost.abort(lostError())
    throw lostError()
  }
  const beat = setInterval(() => {
    extend().catch(() => {
      // a store that is away for a moment is asked again; past the lease, another worker may have the job
      if (clock.now() >= until) lost.abort(lostError())
    })
  }, leaseMs / 3)
  beat.unref()
  return {
    signal: AbortSignal.any([lost.signal, stopping]),
    extend,
    spend(usage, calls = 1) {
      spent = {
        calls: spent.calls + calls,
        inputTokens: spent.inputTokens + (usage.inputTokens ?? 0),
        outputTokens: spent.outputTokens + (usage.outputTokens ?? 0),
        costUsd: spent.costUsd + (usage.costUsd ?? 0),
      }
    },
    progress(counts) {
      counted = counts
      // lost: the handler hears of it by its signal; a store that is away: the next beat tries again
      saving = saving.then(extend).catch(() => undefined)
    },
    spent: () => spent,
    counted: () => counted,
    isLost: () => lost.signal.aborted,
    async stop() {
      clearInterval(beat)
      await saving
    },
  }
}

function lostError(): ProlepsisError {
  return new ProlepsisError('CANCELLED', 'The job was cancelled, or another worker has it.', {
    hint: 'Nothing is lost: see prolepsis jobs list.',
  })
}

interface Told {
  readonly end: AttemptEnd
  readonly began: number
  readonly traceId: string
}

function report(
  deps: RunDeps,
  { store, job }: HeldJob,
  outcome: JobOutcome,
  { end, began, traceId }: Told,
): void {
  const durationMs = deps.clock.now() - began
  const { errorCode, error } = end
  const attempt = job.attempts
  const { bank } = store
  deps.events.emit({
    ...{ type: 'job-end', bank, ...named(job), attempt, errorCode, durationMs },
    calls: end.spent.calls - job.spent.calls,
    state: outcome === 'released' ? 'waiting' : outcome,
  })
  if (outcome === 'dead') deps.events.emit({ type: 'job-dead', bank, ...named(job), errorCode })
  if (outcome === 'lost' || outcome === 'released') return
  const { jobId, kind, documentId } = job
  deps.trace.record(store, {
    ...{
      type: 'job',
      traceId,
      at: new Date(began),
      durationMs,
      errorCode,
      jobId,
      kind,
      documentId,
      attempt,
      error,
    },
    event: outcome === 'waiting' ? 'failed' : outcome,
  })
}

function named({ jobId, kind, source }: Job): Pick<Job, 'jobId' | 'kind' | 'source'> {
  return { jobId, kind, source }
}

function codeOf(error: unknown): string {
  return isProlepsisError(error) ? error.code : 'UNEXPECTED'
}

const MAX_REASON = 500

/** One the store can keep. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.slice(0, MAX_REASON).replaceAll(/\u0000|\p{Surrogate}/gu, '\ufffd')
}
