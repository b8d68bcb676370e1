/** Work that was put off, as rows of the store: it survives the process, is done in order for each document, and is tried again. */

export const JOB_KINDS = ['enrich', 'embed'] as const
/** `enrich`: a model writes questions, concepts and a statement of a document's chunks. `embed`: a document gets vectors in a shadow space. */
export type JobKind = (typeof JOB_KINDS)[number]

export const JOB_STATES = ['waiting', 'running', 'done', 'dead', 'cancelled'] as const
/** `dead`: out of attempts, or an error that no attempt can change; `jobs retry` puts it back. */
export type JobState = (typeof JOB_STATES)[number]

export interface Job {
  readonly jobId: number
  readonly kind: JobKind
  /** The document that it works on; jobs of one document run one after the other, the oldest first. */
  readonly documentId: number | null
  /** Its source, for people. */
  readonly source: string | null
  readonly state: JobState
  readonly payload: Readonly<Record<string, unknown>>
  /** Attempts that have begun. */
  readonly attempts: number
  readonly maxAttempts: number
  /** Not before. */
  readonly runAfter: Date
  /** A running job whose lease has passed is free again: its worker has died. */
  readonly leaseUntil: Date | null
  readonly worker: string | null
  /** Of the last attempt that failed. */
  readonly errorCode: string | null
  readonly error: string | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
  /** Of the retain that asked for it. */
  readonly traceId: string | null
  readonly spent: JobSpending
  /** What the handler counted: questions written, kept and dropped, and `dropped:` by reason where there is one. */
  readonly result: Readonly<Record<string, number>>
}

export interface JobSpending {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costUsd: number
}

/** What is asked for when a job is put in line. */
export interface NewJob {
  readonly kind: JobKind
  readonly documentId: number | null
  readonly payload?: Readonly<Record<string, unknown>>
  readonly maxAttempts?: number
  readonly traceId?: string
}

/** A job that was put in line, as those hear of it who run jobs or wait for them. */
export interface QueuedJob {
  readonly jobId: number
  readonly documentId: number | null
}

/** How far work on a text's questions is: what `await: 'enriched'` tells. */
export interface Enrichment {
  /**
   * `none`: nothing was in line. `waiting`: an attempt failed (`error`), and the next one comes by itself after a longer pause. `dead`: at least one
   * job is out of attempts; `cancelled`: at least one was cancelled, and none is dead or waiting.
   */
  readonly state: 'none' | 'done' | 'waiting' | 'dead' | 'cancelled'
  readonly jobs: number
  /** Chunks of the documents that were worked on. */
  readonly chunks: number
  /** Questions that the model wrote, and what became of them. */
  readonly written: number
  readonly kept: number
  readonly dropped: number
  /** Calls of the model, those that failed included. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars, where prices are known; else 0. */
  readonly costUsd: number
  /** Of the first job that is dead or in a longer pause. */
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface JobProgress {
  /** Jobs that have ended, of those that are waited for. */
  readonly done: number
  readonly total: number
  /** What was worked on last, or null. */
  readonly source: string | null
  readonly state: JobState
}
