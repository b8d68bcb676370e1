import type { FormulateFailure, Formulator } from '../domain/recall.ts'

/**
 * The durable trace: what happened, with ids that join a whole exchange. Unlike engine events it may hold content (what was asked, prompts,
 * replies); the store keeps it as the settings `trace`, `trace_text` and `trace_days` say, and a tracer of the caller's sees it all.
 */
export interface TraceSink {
  /** Takes a record; it is written behind the call that made it. Never throws. */
  record(bank: { readonly bankId: number; readonly bank: string }, record: TraceRecord): void
}

/** Hears every record of the trace, secrets masked; what it throws is reported once and changes nothing. */
export type Tracer = (record: TraceRecord, bank: string) => void | Promise<void>

interface TraceBase {
  /** Made at the start of one public call, one job or one pass: everything that came of it has it. UUID version 7. */
  readonly traceId: string
  /** When it began. */
  readonly at: Date
  readonly durationMs: number
  /** Code of the error that ended it, or null. */
  readonly errorCode: string | null
}

export type TraceRecord =
  | RetainTrace
  | RecallTrace
  | FormulateTrace
  | ModelCallTrace
  | AnswerTrace
  | JobTrace
  | SweepTrace

export interface RetainTrace extends TraceBase {
  readonly type: 'retain'
  readonly documentId: number | null
  readonly source: string | null
  readonly status: 'created' | 'updated' | 'unchanged' | 'failed'
  readonly chunks: number
  readonly cues: number
  readonly vectors: number
  readonly callerQuestions: boolean
}

export interface RecallTrace extends TraceBase {
  readonly type: 'recall'
  readonly receiptId: string | null
  readonly message: string
  readonly queries: readonly string[]
  readonly passages: number
  readonly degraded: readonly string[]
  readonly stages: Readonly<Record<string, number>>
}

export interface FormulateTrace extends TraceBase {
  readonly type: 'formulate'
  readonly message: string
  /** Who wrote the queries that were used. */
  readonly by: Formulator
  readonly queries: readonly string[]
  /** Why the rules stood in for the model, else null. */
  readonly errorKind: FormulateFailure | null
}

export interface ModelCallTrace extends TraceBase {
  readonly type: 'model-call'
  readonly callId: string
  readonly purpose: string
  readonly modelId: string
  /** From 1. */
  readonly attempt: number
  readonly system: string
  readonly prompt: string
  /** Null when none came. */
  readonly reply: string | null
  readonly finishReason: string | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  readonly costUsd: number | null
  /** What went wrong, for people; no secrets. */
  readonly error: string | null
  readonly documentIds: readonly number[]
  readonly jobId: number | null
}

export interface AnswerTrace extends TraceBase {
  readonly type: 'answer'
  readonly receiptIds: readonly string[]
  readonly question: string
  readonly status: 'answered' | 'not-in-memory' | 'failed'
  readonly answer: string | null
  readonly citations: number
  readonly hops: number
}

export interface JobTrace extends TraceBase {
  readonly type: 'job'
  readonly jobId: number
  readonly kind: string
  readonly documentId: number | null
  readonly event: 'done' | 'failed' | 'dead' | 'cancelled'
  readonly attempt: number
  readonly error: string | null
}

export interface SweepTrace extends TraceBase {
  readonly type: 'sweep'
  readonly root: string
  readonly seen: number
  readonly created: number
  readonly updated: number
  readonly moved: number
  readonly deleted: number
  readonly failed: readonly { readonly path: string; readonly code: string }[]
}

export const TRACE_TYPES = ['retain', 'recall', 'formulate', 'model-call', 'answer', 'job', 'sweep'] as const
export type TraceType = (typeof TRACE_TYPES)[number]

/** Members that hold what was said, asked or answered: null in the store under `trace_text` false, and once what they tell of was forgotten. */
export const TRACE_CONTENT = [
  'message',
  'queries',
  'system',
  'prompt',
  'reply',
  'question',
  'answer',
] as const
export type TraceContent = (typeof TRACE_CONTENT)[number]

type Stored<T> = T extends TraceRecord
  ? { readonly eventId: string } & {
      readonly [Name in keyof T]: Name extends TraceContent ? T[Name] | null : T[Name]
    }
  : never

/** A record as it is kept. Event ids are UUIDs of version 7: they sort by the time at which the event was noted. */
export type TraceEvent = Stored<TraceRecord>

/** One public call, job or pass with all that came of it, in the order of their beginnings. */
export interface TracedExchange {
  readonly traceId: string
  readonly events: readonly TraceEvent[]
}
