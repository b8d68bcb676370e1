import type { Analyser } from '../domain/analysis/analyser.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { copyChunks, type MeasuredChunk } from '../store/queries/chunks.ts'
import { copyCues, type StoredCue } from '../store/queries/cues.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import { writeMentions } from '../store/queries/entities.ts'
import { type TermEntry, writeTerms } from '../store/queries/lexical-write.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { copyVectors, type NewVector } from '../store/queries/vectors-write.ts'
import { termsOfChunk } from './chunk-terms.ts'
import type { DerivedChunk } from './derive.ts'
import { vectorsOf } from './embed-chunks.ts'
import type { VectorSpool } from './vector-spool.ts'

/** A derived chunk with the ids under which it is written. */
export interface PlacedChunk {
  readonly chunk: DerivedChunk
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
}

/** Chunks written at a time: bounds memory and the length of one COPY. */
const SLICE = 1000
/** Up to so many chunks the terms are found before the transaction begins, so that it is short. */
const CHUNKS_ANALYSED_AHEAD = 5000

/** The terms of chunks, found now, or chunk by chunk once the transaction runs when there are very many. */
export function analyseAhead(placed: readonly PlacedChunk[], analyser: Analyser): () => Iterable<TermEntry> {
  const lazily = function* (): Iterable<TermEntry> {
    for (const { chunk, chunkId } of placed) yield* termsOfChunk(chunk, chunkId, analyser)
  }
  if (placed.length > CHUNKS_ANALYSED_AHEAD) return lazily
  const ready = [...lazily()]
  return () => ready
}

export async function writeChunks(
  tx: Queryable,
  bankId: number,
  placed: readonly PlacedChunk[],
): Promise<void> {
  for (const slice of slicesOf(placed)) await copyChunks(tx, bankId, slice.map(chunkRow))
}

/**
 * Writes what is derived from chunks that are there: cues, mentions, vectors. Terms come after, with writeTermSlices,
 * since they hold the bank's statistics until the end of the transaction.
 */
export async function writeDerived(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  placed: readonly PlacedChunk[],
  spool: VectorSpool,
): Promise<void> {
  await requireSpace(tx, bankId, space)
  for (const slice of slicesOf(placed)) {
    await copyCues(tx, bankId, slice.flatMap(cueRows))
    await writeMentions(
      tx,
      bankId,
      slice.flatMap(({ chunk, chunkId }) => chunk.mentions.map((mention) => ({ chunkId, mention }))),
    )
    await copyVectors(
      tx,
      bankId,
      space,
      slice.flatMap((one) => vectorRows(one, spool)),
    )
  }
}

/** Another process may have moved the bank to another model since it was opened: vectors of the old one would never be found. */
async function requireSpace(tx: Queryable, bankId: number, space: VectorSpace): Promise<void> {
  // held to the end of the transaction: the bank cannot move meanwhile
  await lockDerived(tx, bankId)
  if ((await spacesOfBank(tx, bankId)).some(({ spaceId }) => spaceId === space.spaceId)) return
  throw new ProlepsisError('MODEL_MISMATCH', 'The bank was moved to another embedding model meanwhile.', {
    hint: `Repeat the call with that model; ${space.modelId} is no longer the bank's.`,
    retryable: true,
  })
}

/** Writes terms in slices: the last thing of a transaction. */
export async function writeTermSlices(
  tx: Queryable,
  bankId: number,
  terms: readonly (() => Iterable<TermEntry>)[],
): Promise<void> {
  let slice: TermEntry[] = []
  for (const entries of terms) {
    for (const entry of entries()) {
      slice.push(entry)
      if (slice.length < 2 * SLICE) continue
      await writeTerms(tx, bankId, slice)
      slice = []
    }
  }
  await writeTerms(tx, bankId, slice)
}

function* slicesOf(placed: readonly PlacedChunk[]): Iterable<readonly PlacedChunk[]> {
  for (let at = 0; at < placed.length; at += SLICE) yield placed.slice(at, at + SLICE)
}

function chunkRow({ chunk, chunkId, documentId, ordinal }: PlacedChunk): MeasuredChunk {
  return { ...chunk.draft, chunkId, documentId, ordinal, span: chunk.span, tokens: chunk.tokens }
}

function cueRows({ chunk, chunkId }: PlacedChunk): readonly StoredCue[] {
  const next = new Map<string, number>()
  return chunk.cues.map((cue) => {
    const ordinal = next.get(cue.kind) ?? 0
    next.set(cue.kind, ordinal + 1)
    return { chunkId, kind: cue.kind, ordinal, origin: cue.origin, embedded: cue.embed, text: cue.text }
  })
}

function vectorRows({ chunk, chunkId }: PlacedChunk, spool: VectorSpool): readonly NewVector[] {
  return vectorsOf(chunk).map(({ kind, ordinal, hash }) => ({
    chunkId,
    kind,
    ordinal,
    textHash: hash,
    vector: spool.get(hash),
  }))
}
