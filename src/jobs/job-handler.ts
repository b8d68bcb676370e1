import type { Job, JobKind } from '../domain/jobs.ts'
import type { TokenUsage } from '../providers/language-model.ts'
import type { BankStore } from '../store/bank-store.ts'

/** What a handler has while it works on a job. */
export interface JobContext {
  readonly store: BankStore
  /** Fires when the job was cancelled or taken by another worker, and when the worker stops: then nothing may be written any more. */
  readonly signal: AbortSignal
  readonly traceId: string
  /** Holds the job for another lease; the worker does so by itself while the handler runs. @throws ProlepsisError CANCELLED when it is lost */
  extend(): Promise<void>
  /** Notes what was counted so far, of earlier attempts too: the row keeps it when this one fails. */
  progress(counts: Readonly<Record<string, number>>): void
  /** Notes calls of a model, for the job's row: it outlives attempts that fail. */
  spend(usage: TokenUsage, calls?: number): void
}

/**
 * Does one job, and counts what it did. It may be run again at any point after a kill: what it writes must be the same when it is written twice.
 * What it throws decides about the next attempt (see pauses.ts).
 */
export type JobHandler = (job: Job, context: JobContext) => Promise<Readonly<Record<string, number>>>

/** Kinds without a handler stay in line. */
export type JobHandlers = Readonly<Partial<Record<JobKind, JobHandler>>>
