import type { JobState } from './jobs.ts'
import type { FormulateFailure, Formulator } from './recall.ts'

/** What to forget. One field of ref/document/source/sourcePrefix/tag/all. */
export type ForgetSelector =
  | { readonly ref: string }
  | { readonly source: string }
  | { readonly sourcePrefix: string }
  | { readonly tag: string }
  | { readonly all: true }

export interface ForgetResult {
  readonly documents: number
  readonly chunks: number
}

export interface BankInfo {
  readonly name: string
  readonly language: string
  readonly modelId: string
  readonly dimension: number
  readonly settings: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

/** What the trace counts of some time. Nothing where the setting `trace` is off. */
export interface TraceCounts {
  readonly recalls: number
  readonly retains: number
  readonly answers: number
  /** Retains, recalls and answers that ended in an error, attempts of jobs that failed. */
  readonly errors: number
  /** Attempts, failed ones included. */
  readonly modelCalls: number
  readonly modelErrors: number
  /** In and out, where the models told. */
  readonly modelTokens: number
  /** US dollars, where the price is known. */
  readonly costUsd: number
  /** Formulating replies that could not be read as questions, so that the rules stood in. */
  readonly fallbacks: number
  /** Share of them among all formulations that a model was asked for, 0 to 1; null when it was asked for none. */
  readonly fallbackRate: number | null
  /** Recalls by who wrote their questions; who wrote none is absent. */
  readonly formulated: Partial<Readonly<Record<Formulator, number>>>
  /** Recalls in which the rules stood in for the model, by why; what did not happen is absent. */
  readonly standIns: Partial<Readonly<Record<FormulateFailure, number>>>
}

/** What a model took for one purpose on one day. Tokens that the model does not tell are estimated. */
export interface ModelUsage {
  /** UTC, `YYYY-MM-DD`. */
  readonly day: string
  readonly modelId: string
  readonly purpose: string
  /** Attempts. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** 0 where nobody knows it. */
  readonly costUsd: number
}

export interface BankStats {
  readonly bank: BankInfo
  readonly documents: { readonly current: number; readonly superseded: number; readonly deleted: number }
  readonly chunks: number
  readonly cues: Readonly<Record<string, number>>
  readonly vectors: Readonly<Record<string, number>>
  readonly terms: number
  readonly postings: number
  readonly receipts: number
  readonly jobs: Readonly<Record<JobState, number>>
  readonly byFormat: Readonly<Record<string, number>>
  readonly textBytes: number
  /** Of the last 24 hours. */
  readonly lastDay: TraceCounts
  /** Of today (UTC), by model and purpose: what the budgets of the day are judged by. */
  readonly modelUsage: readonly ModelUsage[]
  readonly store: Readonly<Record<string, unknown>>
}

export interface DoctorFinding {
  /** Stable name of the check: `orphan-postings`, `missing-vectors`, `term-frequencies`… */
  readonly check: string
  readonly ok: boolean
  /** How many rows break it. */
  readonly count: number
  /** What is wrong, or, where nothing is, what was found to hold; one sentence. */
  readonly detail: string
  /** Documents concerned: source, with `@version` unless it is the current one; 20 at most, empty where it is of no document. */
  readonly documents: readonly string[]
  /** What to do, while it is not ok; else null. */
  readonly hint: string | null
  /** Whether doctor can mend it. */
  readonly mendable: boolean
  /** Whether this run mended it. */
  readonly mended: boolean
}

export interface DoctorReport {
  readonly clean: boolean
  readonly findings: readonly DoctorFinding[]
  readonly tookMs: number
}
