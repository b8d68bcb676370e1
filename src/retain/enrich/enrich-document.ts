import type { Document } from '../../domain/document.ts'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { PromptTexts } from '../../domain/prompt-files.ts'
import type { ModelCalls, Spending } from '../../providers/model-calls.ts'
import { chunksFrom, type StoredChunk } from '../../store/queries/chunks.ts'
import { cuesOfChunks } from '../../store/queries/cues.ts'
import { findDocument } from '../../store/queries/documents.ts'
import { enrichmentsOfChunks } from '../../store/queries/enrichments.ts'
import { repeatable } from '../../store/repeat.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { createVectorSpool, type VectorSpool } from '../vector-spool.ts'
import { type Accepted, acceptReply } from './accept-reply.ts'
import { afterSpending, askWriter, isOfReply, noPassages, spentOf, type WriterAnswer } from './ask-writer.ts'
import { batchesOf } from './batches.ts'
import { type Counts, count, type EnrichResult, newCounts, resultOf, sumOf } from './enrich-result.ts'
import { isSince, paidCues } from './paid-cues.ts'
import { shownWith, type WriterPrompt, writerPrompt } from './questions-prompt.ts'
import { SHOWN_AFTER, SHOWN_BEFORE, type ShownChunk, shownChunks } from './shown-chunk.ts'
import { type ModelCues, writeModelCues } from './write-cues.ts'

export interface EnrichDeps extends RetainDeps {
  readonly model: ModelCalls
}

export interface EnrichOptions {
  readonly signal?: AbortSignal | undefined
  readonly traceId: string
  readonly jobId?: number | undefined
  /** What may be spent on this document. @default no limit */
  readonly remaining?: Spending | undefined
  /** In place of the bank's and the package's prompt. */
  readonly prompts?: PromptTexts | undefined
  /** Write anew what was written before this time; with chunks that have questions of the caller. @default only what is missing */
  readonly anewSince?: Date | undefined
  /** How far down a list its own chunk may be for a question to stay, 1 to 100. @default 50 */
  readonly roundTripDepth?: number | undefined
  /** Told after every batch that was committed. */
  readonly onProgress?: ((result: EnrichResult) => void) | undefined
}

const ROUND_TRIP_DEPTH = 50
/** Chunks read at a time: bounds memory, however long the document is. */
const SLICE = 120
/** Chunks that failed by themselves before it is the model that fails, and no longer their text. */
const MOST_FAILURES = 4
/** Times that the chunks of a document may be cut anew or forgotten while it is worked on. */
const MOST_ROUNDS = 5

/**
 * Lets a model write questions, a statement and concepts for the chunks of a document that have none yet, in batches, each committed by
 * itself: what was paid for once stays, whatever becomes of the rest. A document that is not current any more is left alone, and so are chunks that
 * have questions of the caller. Whether a document that was given some is to have a model's at all is for those to judge who put it in line.
 *
 * @throws ProlepsisError MODEL_…, BUDGET_EXCEEDED, CANCELLED at once; MODEL_REPLY_INVALID after all other chunks are done
 */
export async function enrichDocument(
  deps: EnrichDeps,
  documentId: number,
  options: EnrichOptions,
): Promise<EnrichResult> {
  const { database, bankId, settings } = deps.store
  const document = await findDocument(database, bankId, documentId)
  const counts = newCounts(document?.chunkCount ?? 0)
  if (document === null || document.state !== 'current') return resultOf(counts)
  const prompt = await writerPrompt(options.prompts, settings)
  const run: Run = {
    ...{ deps, document, prompt, options, counts },
    remaining: options.remaining,
    failures: [],
    spool: createVectorSpool(deps.store.space.dimension),
  }
  try {
    // again when chunks were cut anew or forgotten meanwhile
    for (let round = 1; !(await enrichChunks(run)); round++) {
      const now = await findDocument(database, bankId, documentId)
      if (now?.state !== 'current') return resultOf(counts)
      if (round >= MOST_ROUNDS) throw changing()
    }
  } finally {
    run.spool.dispose()
  }
  const [failure] = run.failures
  if (failure !== undefined) throw failure
  return resultOf(counts)
}

function changing(): ProlepsisError {
  return new ProlepsisError(
    'STORE_FAILED',
    'The document was changed again and again while a model wrote for it.',
    {
      hint: 'Try again later.',
      retryable: true,
    },
  )
}

interface Run {
  readonly deps: EnrichDeps
  readonly document: Document
  readonly prompt: WriterPrompt
  readonly options: EnrichOptions
  readonly counts: Counts
  remaining: Spending | undefined
  /** Of chunks that were asked about alone. */
  readonly failures: ProlepsisError[]
  readonly spool: VectorSpool
}

/** False when its chunks were gone before all were done. */
async function enrichChunks(run: Run): Promise<boolean> {
  const { deps, document, prompt } = run
  const { database, bankId } = deps.store
  let before: readonly StoredChunk[] = []
  let next = 0
  for (;;) {
    const from = await chunksFrom(database, bankId, document.documentId, next, SLICE + SHOWN_AFTER)
    const own = from.slice(0, SLICE)
    const last = own.at(-1)
    if (last === undefined) return true
    const around = shownChunks(document, [...before, ...from], prompt.id, deps.analyser)
    const slice = { around, own: around.slice(before.length, before.length + own.length) }
    if (!(await enrichSlice(run, slice))) return false
    before = own.slice(-SHOWN_BEFORE)
    next = last.ordinal + 1
  }
}

interface Slice {
  readonly own: readonly ShownChunk[]
  /** The same with their neighbours. */
  readonly around: readonly ShownChunk[]
}

/** False when the document was overtaken, so that the rest is not worth a call. */
async function enrichSlice(run: Run, slice: Slice): Promise<boolean> {
  const lacking = await withoutCues(run, slice.own)
  const fresh = await reuse(run, lacking, slice.around)
  if (fresh === null) return false
  const first = new Map(fresh.toReversed().map((chunk) => [chunk.inputHash, chunk]))
  const asked = fresh.filter((chunk) => first.get(chunk.inputHash) === chunk)
  for (const batch of batchesOf(asked)) if (!(await enrichBatch(run, batch, slice.around))) return false
  const again = fresh.filter((chunk) => !asked.includes(chunk))
  return again.length === 0 || (await reuse(run, again, slice.around)) !== null
}

async function withoutCues(
  { deps, options }: Run,
  chunks: readonly ShownChunk[],
): Promise<readonly ShownChunk[]> {
  const { database, bankId } = deps.store
  const ids = chunks.map(({ chunkId }) => chunkId)
  const done = new Map(
    (await enrichmentsOfChunks(database, bankId, ids))
      .filter((one) => isSince(one, options.anewSince))
      .map((one) => [one.chunkId, one.inputHash]),
  )
  const lacking = chunks.filter(({ chunkId, inputHash }) => done.get(chunkId) !== inputHash)
  if (options.anewSince !== undefined) return lacking
  const cues = await cuesOfChunks(
    database,
    bankId,
    lacking.map(({ chunkId }) => chunkId),
  )
  const ofCaller = new Set(cues.filter(({ origin }) => origin === 'caller').map(({ chunkId }) => chunkId))
  return lacking.filter(({ chunkId }) => !ofCaller.has(chunkId))
}

/** Takes over what the bank has paid for already. @returns the others; null when the chunks are gone */
async function reuse(
  run: Run,
  chunks: readonly ShownChunk[],
  around: readonly ShownChunk[],
): Promise<readonly ShownChunk[] | null> {
  const { deps, document, options, counts, spool } = run
  const paid = await paidCues(deps, chunks, spool, { document, around }, options)
  if (paid.length === 0) return chunks
  const written = await write(run, paid, [])
  if (written === 0) return null
  counts.reused += written
  options.onProgress?.(resultOf(counts))
  const taken = new Set(paid.map(({ enrichment }) => enrichment.chunkId))
  return chunks.filter(({ chunkId }) => !taken.has(chunkId))
}

/**
 * Asks about a batch; about its halves when the reply is of no use, down to single chunks, so that a text that leads a model astray costs
 * no other its questions.
 */
async function enrichBatch(
  run: Run,
  asked: readonly ShownChunk[],
  around: readonly ShownChunk[],
): Promise<boolean> {
  const { deps, document, prompt, options, counts } = run
  throwIfAborted(options.signal)
  let answer: WriterAnswer
  try {
    answer = await askWriter(
      deps.model,
      document,
      { asked, around },
      {
        system: prompt.system,
        signal: options.signal,
        traceId: options.traceId,
        documentIds: [document.documentId],
        ...(options.jobId === undefined ? {} : { jobId: options.jobId }),
        ...(run.remaining === undefined ? {} : { remaining: run.remaining }),
      },
    )
  } catch (error) {
    if (!isOfReply(error)) throw error
    spend(run, spentOf(error))
    return askLess(run, asked, around, error)
  }
  spend(run, answer)
  const { answered, missing } = answer
  if (answered.length === 0) return askLess(run, asked, around, noPassages())
  const accepted = await acceptReply(deps, answered, run.spool, {
    system: prompt.system,
    depth: options.roundTripDepth ?? ROUND_TRIP_DEPTH,
    signal: options.signal,
  })
  const cues = accepted.map((one) => enrichmentOf(run, one))
  if ((await write(run, cues, shownWith(asked, around))) === 0) return false
  count(counts, accepted)
  options.onProgress?.(resultOf(counts))
  return missing.length === 0 || enrichBatch(run, missing, around)
}

function spend(run: Run, { calls, usage }: Pick<WriterAnswer, 'calls' | 'usage'>): void {
  run.counts.calls += calls
  run.counts.usage = sumOf(run.counts.usage, usage)
  run.remaining = afterSpending(run.remaining, usage)
}

async function askLess(
  run: Run,
  asked: readonly ShownChunk[],
  around: readonly ShownChunk[],
  error: ProlepsisError,
): Promise<boolean> {
  if (asked.length === 1) {
    run.failures.push(error)
    // most chunks fail: it is not their text
    if (run.failures.length >= MOST_FAILURES && run.failures.length > run.counts.asked) throw error
    return true
  }
  const middle = Math.ceil(asked.length / 2)
  for (const half of [asked.slice(0, middle), asked.slice(middle)]) {
    if (!(await enrichBatch(run, half, around))) return false
  }
  return true
}

function enrichmentOf({ deps, prompt }: Run, { chunk, cues, written, kept }: Accepted): ModelCues {
  return {
    cues,
    enrichment: {
      chunkId: chunk.chunkId,
      inputHash: chunk.inputHash,
      modelId: deps.model.modelId,
      prompt: prompt.id,
      madeAt: new Date(deps.clock.now()),
      ...{ written, kept },
    },
  }
}

/** @returns how many chunks were written: those that are there still */
async function write(
  { deps, document, spool }: Run,
  cues: readonly ModelCues[],
  shown: readonly ShownChunk[],
): Promise<number> {
  const ids = shown.map(({ chunkId }) => chunkId)
  // what was paid for is not lost because the store's owner has just ended
  const written = await repeatable(deps.store.database, () =>
    writeModelCues(deps, document, cues, ids, spool),
  )
  return written.size
}
