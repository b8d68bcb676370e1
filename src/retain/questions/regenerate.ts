import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { NewJob } from '../../domain/jobs.ts'
import { checkPrompts } from '../../domain/prompt-files.ts'
import type { RegenerateEstimate, RegenerateOptions, RegenerateSelector } from '../../domain/questions.ts'
import { findCurrentDocument } from '../../store/queries/documents.ts'
import { type WritableDocument, writableDocuments } from '../../store/queries/enrichments.ts'
import { enqueueJobs } from '../../store/queries/jobs.ts'
import { BATCH_CHUNKS, BATCH_TOKENS } from '../enrich/batches.ts'
import type { RetainDeps } from '../retain-deps.ts'

/** US dollars for a million tokens; null where nobody knows. */
export interface Prices {
  readonly input: number | null
  readonly output: number | null
}

/** Jobs written in one transaction. */
const JOBS_AT_ONCE = 500
/** Of what the model is told in each call, and of the marks and neighbours around each chunk. */
const TOKENS_A_CALL = 900
const TOKENS_AROUND_CHUNK = 40
/** What a model writes for a chunk, about: three or four questions, a statement, concepts. */
const REPLY_TOKENS_A_CHUNK = 150

/** What writing anew is likely to take. Nothing is asked of the model for it. @throws ProlepsisError INVALID_ARGUMENT, NOT_FOUND */
export async function estimateRegenerate(
  deps: Pick<RetainDeps, 'store'>,
  selector: RegenerateSelector,
  prices: Prices,
): Promise<RegenerateEstimate> {
  return estimateOf(await documentsOf(deps, selector), prices)
}

/**
 * Puts jobs in line for documents whose questions a model is to write, anew or for the first time.
 *
 * @returns what it is likely to take, and the ids of the jobs
 * @throws ProlepsisError MODEL_NOT_CONFIGURED, INVALID_ARGUMENT, NOT_FOUND, CANCELLED
 */
export async function regenerate(
  deps: RetainDeps,
  options: RegenerateOptions,
  prices: Prices,
  /** What was written before is written anew; the same for all attempts of one call, so that nothing is paid for twice. */
  since: Date,
): Promise<{ readonly estimate: RegenerateEstimate; readonly jobs: number }> {
  const { enrichment, store, clock } = deps
  if (enrichment === null) {
    throw new ProlepsisError(
      'MODEL_NOT_CONFIGURED',
      'This memory has no language model to write questions.',
      {
        hint: 'Name one with the setting model (PROLEPSIS_MODEL).',
      },
    )
  }
  const prompts =
    options.prompts === undefined ? undefined : checkPrompts(options.prompts, 'prompts', ['questions'])
  const documents = await documentsOf(deps, options)
  const now = new Date(clock.now())
  const payload = {
    ...(options.missing === true ? {} : { anewSince: since.toISOString() }),
    ...(prompts === undefined ? {} : { prompts }),
  }
  const traceId = deps.ids.next()
  for (let at = 0; at < documents.length; at += JOBS_AT_ONCE) {
    throwIfAborted(options.signal)
    const jobs = documents
      .slice(at, at + JOBS_AT_ONCE)
      .map(({ documentId }): NewJob => ({ kind: 'enrich', documentId, payload, traceId }))
    const ids = await store.database.transaction((tx) => enqueueJobs(tx, store.bankId, jobs, now))
    enrichment.queued(
      store,
      ids.map((jobId, place) => ({ jobId, documentId: jobs[place]!.documentId })),
    )
  }
  return { estimate: estimateOf(documents, prices), jobs: documents.length }
}

async function documentsOf(
  { store }: Pick<RetainDeps, 'store'>,
  { source, all, missing = false }: RegenerateSelector,
): Promise<readonly WritableDocument[]> {
  if ((source === undefined) === (all !== true) || typeof missing !== 'boolean') {
    throw new ProlepsisError('INVALID_ARGUMENT', 'Either a source or all is written anew.', {
      hint: "Give { source: 'notes.md' } or { all: true }, with missing: true for what has none yet.",
      details: { option: source === undefined ? 'all' : 'source' },
    })
  }
  const { database, bankId } = store
  if (source !== undefined && (await findCurrentDocument(database, bankId, source)) === null) {
    throw new ProlepsisError('NOT_FOUND', `There is no current document at "${source.slice(0, 200)}".`, {
      hint: 'prolepsis documents list (documents()) shows the sources.',
      details: { source: source.slice(0, 200) },
    })
  }
  return writableDocuments(database, bankId, { source, missing })
}

function estimateOf(documents: readonly WritableDocument[], prices: Prices): RegenerateEstimate {
  const sum = (of: (document: WritableDocument) => number): number =>
    documents.reduce((total, document) => total + of(document), 0)
  const chunks = sum((document) => document.chunks)
  // jobs are by document: none shares a call with another
  const calls = sum((document) =>
    Math.ceil(Math.max(document.chunks / BATCH_CHUNKS, document.tokens / BATCH_TOKENS)),
  )
  const inputTokens = sum(({ tokens }) => tokens) + chunks * TOKENS_AROUND_CHUNK + calls * TOKENS_A_CALL
  const outputTokens = chunks * REPLY_TOKENS_A_CHUNK
  const { input, output } = prices
  const costUsd =
    input === null || output === null ? null : (inputTokens * input + outputTokens * output) / 1_000_000
  return { documents: documents.length, chunks, calls, inputTokens, outputTokens, costUsd }
}
