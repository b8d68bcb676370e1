import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { RetainContent, RetainOptions, RetainResult, RetainStatus } from '../domain/retain.ts'
import { updateDocumentLabels } from '../store/queries/documents.ts'
import { callerQuestionsOf } from './caller-questions-stored.ts'
import { type Committed, commitPlans } from './commit.ts'
import { embedChunks } from './embed-chunks.ts'
import { planRetain, type RetainPlan, type WritePlan } from './plan.ts'
import { rederive } from './rederive.ts'
import { type RetainCall, startCall, traceFailure, traceRetain } from './retain-call.ts'
import type { RetainDeps } from './retain-deps.ts'
import { type RetainRequest, readRetainOptions } from './retain-options.ts'
import { createVectorSpool } from './vector-spool.ts'

/** Writers of one source that may overtake a call before it gives up. */
const MAX_RACES = 20

/**
 * Keeps a text: validate → plan (extract, chunk, derive cues; nothing when it is unchanged) → embed, outside of any
 * transaction → write the version in one transaction. It can be recalled when this resolves.
 *
 * @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT, INVALID_TIME, EMPTY_TEXT, INVALID_TEXT, TEXT_TOO_LARGE,
 * UNSUPPORTED_MEDIA, MODEL_FAILED, CANCELLED, STORE_…
 */
export async function retain(
  deps: RetainDeps,
  content: RetainContent,
  options: RetainOptions = {},
): Promise<RetainResult> {
  const call = startCall(deps, options)
  try {
    return await retainRequest(deps, content, readRetainOptions(options, ['await', 'onProgress']), call)
  } catch (error) {
    traceFailure(deps, call, error)
    throw error
  }
}

/** The same for options that are read already. Its failure is the caller's to trace. */
export async function retainRequest(
  deps: RetainDeps,
  content: RetainContent,
  request: RetainRequest,
  call: RetainCall,
): Promise<RetainResult> {
  for (let race = 0; race < MAX_RACES; race++) {
    throwIfAborted(request.signal)
    const plan = await planRetain(deps, content, request, call.traceId)
    const outcome =
      plan.kind === 'write' ? await write(deps, plan, request) : await change(deps, plan, request)
    // null: another writer of the same source was first, so that the plan does not hold any more
    if (outcome !== null) return report(deps, outcome, call)
  }
  throw new ProlepsisError('STORE_FAILED', 'Other writers of the same source were always first.', {
    hint: 'Retain one source from one place at a time.',
    retryable: true,
  })
}

/** What happened, before it is reported. */
export interface Outcome extends Committed {
  readonly status: RetainStatus
  readonly notes: readonly string[]
}

export function report(deps: RetainDeps, outcome: Outcome, call: RetainCall): RetainResult {
  const tookMs = performance.now() - call.startedAt
  const { status, document, chunks, cues, vectors } = outcome
  const { documentId, source } = document
  traceRetain(deps, call, { documentId, source, status, chunks, cues, vectors })
  deps.events.emit({
    type: 'retain-end',
    bank: deps.store.bank,
    source: outcome.document.source,
    status: outcome.status,
    chunks: outcome.chunks,
    vectors: outcome.vectors,
    durationMs: tookMs,
  })
  return { ...outcome, traceId: call.traceId, tookMs }
}

/** Carries out a plan that makes no new version; null when it was overtaken. */
export async function change(
  deps: RetainDeps,
  plan: Exclude<RetainPlan, WritePlan>,
  request: RetainRequest,
): Promise<Outcome | null> {
  const { document } = plan
  const { database, bankId } = deps.store
  const counts = { chunks: document.chunkCount, cues: 0, vectors: 0, jobs: 0, notes: document.notes }
  if (plan.kind === 'unchanged') return { status: 'unchanged', document, ...counts }
  if (plan.kind === 'relabel') {
    // its time is the same: another one makes other cues
    const labels = { ...plan.labels, validFrom: document.validFrom }
    const found = await updateDocumentLabels(database, bankId, document.documentId, labels)
    return found ? { status: 'updated', document: { ...document, ...labels }, ...counts } : null
  }
  const questions = plan.questions ?? {
    kind: 'by-chunk',
    questions: await callerQuestionsOf(deps.store, document.documentId),
  }
  const done = await rederive(deps, document.documentId, {
    labels: plan.labels,
    questions,
    endEnrichment: plan.questions !== undefined,
    signal: request.signal,
  })
  if (done === null) return null
  return { status: 'updated', jobs: 0, notes: document.notes, ...done }
}

async function write(deps: RetainDeps, plan: WritePlan, request: RetainRequest): Promise<Outcome | null> {
  const spool = createVectorSpool(deps.store.space.dimension)
  try {
    const embedder = await deps.embedder()
    const splits = await embedChunks(plan.derived.chunks, spool, {
      ...deps.store,
      embedder,
      signal: request.signal,
    })
    const whole = { ...plan, notes: [...plan.notes, ...splits] }
    const [committed] = await commitPlans(deps, [whole], spool)
    return committed ? outcomeOf(whole, committed) : null
  } finally {
    spool.dispose()
  }
}

export function outcomeOf(plan: WritePlan, committed: Committed): Outcome {
  return { status: plan.previous === null ? 'created' : 'updated', notes: plan.notes, ...committed }
}
