import { isProlepsisError } from '../domain/errors.ts'
import type { RetainOptions } from '../domain/retain.ts'
import type { RetainTrace } from '../observability/trace.ts'
import type { RetainDeps } from './retain-deps.ts'

/** One text on its way into the bank, as the trace tells of it. */
export interface RetainCall {
  /** Joins the retain with the jobs and model calls that come of it. */
  readonly traceId: string
  readonly at: Date
  /** By `performance.now()`, milliseconds. */
  readonly startedAt: number
  /** As the caller named it; null when it is not named, or by something else than a text. */
  readonly source: string | null
  readonly callerQuestions: boolean
}

/** @param options not checked yet: a call that fails by its options is told of too */
export function startCall(deps: Pick<RetainDeps, 'clock' | 'ids'>, options: RetainOptions): RetainCall {
  const { source, questions }: { source?: unknown; questions?: unknown } = Object(options)
  return {
    traceId: deps.ids.next(),
    at: new Date(deps.clock.now()),
    startedAt: performance.now(),
    source: typeof source === 'string' ? source : null,
    callerQuestions: questions !== undefined,
  }
}

type Counts = Pick<RetainTrace, 'documentId' | 'source' | 'status' | 'chunks' | 'cues' | 'vectors'>

export function traceRetain(deps: Pick<RetainDeps, 'store' | 'trace'>, call: RetainCall, done: Counts): void {
  deps.trace.record(deps.store, { ...frameOf(call), errorCode: null, ...done })
}

export function traceFailure(
  deps: Pick<RetainDeps, 'store' | 'trace'>,
  call: RetainCall,
  error: unknown,
): void {
  deps.trace.record(deps.store, {
    ...frameOf(call),
    errorCode: isProlepsisError(error) ? error.code : 'UNEXPECTED',
    ...{ documentId: null, source: call.source, status: 'failed', chunks: 0, cues: 0, vectors: 0 },
  })
}

function frameOf(
  call: RetainCall,
): Pick<RetainTrace, 'type' | 'traceId' | 'at' | 'durationMs' | 'callerQuestions'> {
  const { traceId, at, callerQuestions } = call
  return { type: 'retain', traceId, at, durationMs: performance.now() - call.startedAt, callerQuestions }
}
