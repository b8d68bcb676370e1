import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import { choosePrompt } from '../domain/prompt-files.ts'
import { plainLine } from '../domain/quoted-lines.ts'
import type { RerankingModel } from '../providers/reranking-model.ts'
import { chunksByIds, type StoredChunk } from '../store/queries/chunks.ts'
import type { CandidateSet } from './candidates.ts'
import { createDegradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { Candidate } from './rank.ts'
import type { RecallRequest } from './request.ts'

/** A chunk with what the reranking model gave it. */
export interface RerankedChunk {
  readonly chunkId: number
  readonly score: number
}

export interface Reranked {
  readonly candidates: readonly Candidate[]
  /** Best first; a receipt keeps it, so that explaining asks no model. */
  readonly order: readonly RerankedChunk[]
  readonly degraded: readonly string[]
}

/** Longest question that a reranking model is given, characters. */
const LONGEST_QUERY = 4_000

/**
 * Lets the reranking model order the best candidates anew by their whole text. Chunks to which the caller gave this very question stay first.
 * Where the model takes fewer documents at once, each batch is ordered in itself. What fails leaves the order as it was.
 *
 * @throws ProlepsisError CANCELLED, CLOSED
 */
export async function rerankCandidates(
  deps: RecallDeps,
  found: CandidateSet,
  request: RecallRequest,
  traceId: string,
): Promise<Reranked> {
  const { candidates } = found
  const pool = candidates.filter(({ parts }) => parts.features.asked === undefined).slice(0, request.rerank)
  if (request.rerank === 0 || pool.length < 2) return { candidates, order: [], degraded: [] }
  const degradation = createDegradation()
  const order: RerankedChunk[] = []
  await degradation.attempt('rerank', async () => {
    const model = await deps.reranker()
    if (model === null) throw noReranker()
    const { database, bankId } = deps.store
    const chunks = await chunksByIds(
      database,
      bankId,
      pool.map(({ chunk }) => chunk.chunkId),
    )
    const byId = new Map(chunks.map((chunk) => [chunk.chunkId, chunk]))
    // what was forgotten since it was found is shown to nobody
    const shown = pool.flatMap(({ chunk }) => byId.get(chunk.chunkId) ?? [])
    const asking = {
      ...{ query: await rerankQuery(found), signal: request.signal, traceId },
      onNote: (note: string) => degradation.note(`rerank: ${note}`),
      instructions: await instructionsOf(deps, request),
    }
    const size = Math.max(1, model.maxDocuments)
    for (let at = 0; at < shown.length; at += size) {
      throwIfAborted(request.signal)
      order.push(...(await orderBatch(model, asking, shown.slice(at, at + size))))
    }
  })
  return { candidates: inOrder(candidates, order), order, degraded: degradation.entries }
}

/**
 * The candidates with those of `order` in its order, in the places that they have among all; each place keeps its score. Pure.
 */
export function inOrder(
  candidates: readonly Candidate[],
  order: readonly RerankedChunk[],
): readonly Candidate[] {
  if (order.length === 0) return candidates
  const byId = new Map(candidates.map((candidate) => [candidate.chunk.chunkId, candidate]))
  const ordered = order.flatMap(({ chunkId, score }) => {
    const candidate = byId.get(chunkId)
    return candidate === undefined ? [] : [{ ...candidate, parts: { ...candidate.parts, rerank: score } }]
  })
  const moved = new Set(ordered.map(({ chunk }) => chunk.chunkId))
  let next = 0
  return candidates.map((candidate) => {
    if (!moved.has(candidate.chunk.chunkId)) return candidate
    const taking = ordered[next++]
    return taking === undefined ? candidate : { ...taking, score: candidate.score }
  })
}

async function orderBatch(
  model: RerankingModel,
  asking: Omit<Parameters<RerankingModel['rerank']>[0], 'documents'>,
  chunks: readonly StoredChunk[],
): Promise<RerankedChunk[]> {
  const documentIds = [...new Set(chunks.map((chunk) => chunk.documentId))]
  const asked = model.rerank({ ...asking, documentIds, documents: chunks.map(documentText) })
  const scores = await unlessCancelled(asked, asking.signal)
  const isWhole = scores.length === chunks.length && scores.every((score) => Number.isFinite(score))
  if (!isWhole) {
    throw new ProlepsisError(
      'MODEL_REPLY_INVALID',
      `The reranking model ${model.modelId} gave ${scores.length} scores for ${chunks.length} documents, or some that are no numbers.`,
      { hint: 'A reranking model must give one number a document, in their order.' },
    )
  }
  return chunks
    .map(({ chunkId }, i) => ({ chunkId, score: scores[i] ?? 0 }))
    .sort((a, b) => b.score - a.score)
}

/** A model that does not heed the signal is left alone with its answer. */
async function unlessCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  work.catch(() => undefined)
  let stop = (): void => undefined
  const cancelled = new Promise<never>((_, reject) => {
    stop = () => {
      try {
        throwIfAborted(signal)
      } catch (error) {
        reject(error)
      }
    }
    signal.addEventListener('abort', stop, { once: true })
    stop()
  })
  try {
    return await Promise.race([work, cancelled])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The message with the stand-alone questions; where there are none, behind the question before it, if it stays with the topic. */
async function rerankQuery({ probe, queries }: CandidateSet): Promise<string> {
  const share = queries.length > 1 ? 0 : ((await probe.vectors)?.exchange ?? 1)
  const before = share > 0 ? probe.exchange.slice(0, 1).map(({ text }) => text) : []
  const whole = [...before, ...queries].join('\n')
  return whole.length <= LONGEST_QUERY ? whole : whole.slice(0, LONGEST_QUERY).replace(/[\ud800-\udbff]$/, '')
}

/** The whole passage under its label and date. */
function documentText(chunk: StoredChunk): string {
  const happened = chunk.occurredAt ?? chunk.document.occurredAt
  const heading = [
    ...(chunk.label === null ? [] : [plainLine(chunk.label, 200)]),
    ...(happened === null ? [] : [happened.toISOString().slice(0, 10)]),
  ].join(' | ')
  return heading === '' ? chunk.text : `${heading}\n${chunk.text}`
}

/** Undefined where neither call nor bank replaces the model's own prompt. */
async function instructionsOf(
  { store }: RecallDeps,
  { prompts }: RecallRequest,
): Promise<string | undefined> {
  const { text, version } = await choosePrompt('rerank', prompts, store.settings)
  return version.startsWith('sha256:') ? text : undefined
}

function noReranker(): ProlepsisError {
  return new ProlepsisError('MODEL_NOT_CONFIGURED', 'The memory has no reranking model: set reranker.', {
    hint: 'Set reranker (cohere:…, local:FOLDER, grader:provider:model), or give createMemory a reranker.',
  })
}
