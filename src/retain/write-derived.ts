import type { Analyser } from '../domain/analysis/analyser.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore, VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { copyChunks, type MeasuredChunk } from '../store/queries/chunks.ts'
import { copyCues, type StoredCue } from '../store/queries/cues.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import { writeMentions } from '../store/queries/entities.ts'
import { type TermEntry, writeTerms } from '../store/queries/lexical-write.ts'
import { activeSpace } from '../store/queries/spaces.ts'
import { copyVectors, type NewVector } from '../store/queries/vectors-write.ts'
import { termsOfChunk } from './chunk-terms.ts'
import type { CutChunk, DerivedChunk } from './derived-chunks.ts'
import { vectorCount, vectorsOf } from './embed-chunks.ts'
import { queueForShadow } from './other-spaces.ts'
import type { VectorSpool } from './vector-spool.ts'

/** A chunk with the ids under which it is written. */
export interface Placed<Chunk> {
  readonly chunk: Chunk
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
}

export type PlacedChunk = Placed<DerivedChunk>

/** Gives chunks their ids, one by one as they are gone through, from the first again each time. */
export function place<Chunk>(
  chunks: Iterable<Chunk>,
  chunkIds: readonly number[],
  documentId: number,
): Iterable<Placed<Chunk>> {
  function* placed(): Generator<Placed<Chunk>, void, undefined> {
    let ordinal = 0
    for (const chunk of chunks) {
      yield { chunk, chunkId: chunkIds[ordinal]!, documentId, ordinal }
      ordinal++
    }
  }
  return { [Symbol.iterator]: placed }
}

/** One series after the other, each from its first again each time. */
export function joined<Item>(series: readonly Iterable<Item>[]): Iterable<Item> {
  function* items(): Generator<Item, void, undefined> {
    for (const one of series) yield* one
  }
  return { [Symbol.iterator]: items }
}

/** What was written of one document. */
export interface WrittenCounts {
  cues: number
  vectors: number
}

/** Chunks written at a time: bounds memory and the length of one COPY. */
const SLICE = 1000
/** Up to so many chunks the terms are found before the transaction begins, so that it is short. */
const CHUNKS_ANALYSED_AHEAD = 5000

/** The terms of chunks, found now, or chunk by chunk once the transaction runs when there are very many. */
export function analyseAhead(
  chunks: Iterable<Pick<PlacedChunk, 'chunk' | 'chunkId'>>,
  count: number,
  analyser: Analyser,
): () => Iterable<TermEntry> {
  const lazily = function* (): Iterable<TermEntry> {
    for (const { chunk, chunkId } of chunks) yield* termsOfChunk(chunk, chunkId, analyser)
  }
  if (count > CHUNKS_ANALYSED_AHEAD) return lazily
  const ready = [...lazily()]
  return () => ready
}

export async function writeChunks(
  tx: Queryable,
  bankId: number,
  placed: Iterable<Placed<CutChunk>>,
): Promise<void> {
  for (const slice of slicesOf(placed)) await copyChunks(tx, bankId, slice.map(chunkRow))
}

export interface WriteTarget {
  readonly bankId: number
  /** The bank's active one. */
  readonly space: VectorSpace
  readonly now: Date
}

export const writeTarget = ({
  store,
  clock,
}: {
  readonly store: Pick<BankStore, 'bankId' | 'space'>
  readonly clock: Clock
}): WriteTarget => ({ bankId: store.bankId, space: store.space, now: new Date(clock.now()) })

/**
 * Writes what is derived from chunks that are there: cues, mentions, vectors. Terms come after, with writeTermSlices,
 * since they hold the bank's statistics until the end of the transaction.
 *
 * @returns by document id; documents without chunks are absent
 */
export async function writeDerived(
  tx: Queryable,
  { bankId, space, now }: WriteTarget,
  placed: Iterable<PlacedChunk>,
  spool: VectorSpool,
  /** Leave out vectors that the spool does not have. */
  partial = false,
): Promise<ReadonlyMap<number, WrittenCounts>> {
  await requireSpace(tx, bankId, space)
  const counts = new Map<number, WrittenCounts>()
  for (const slice of slicesOf(placed)) {
    tally(counts, slice)
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
      slice.flatMap((one) => vectorRows(one, spool, partial)),
    )
  }
  await queueForShadow(tx, bankId, [...counts.keys()], now)
  return counts
}

function tally(counts: Map<number, WrittenCounts>, slice: readonly PlacedChunk[]): void {
  for (const { chunk, documentId } of slice) {
    const ofDocument = counts.get(documentId) ?? { cues: 0, vectors: 0 }
    ofDocument.cues += chunk.cues.length
    ofDocument.vectors += vectorCount(chunk)
    counts.set(documentId, ofDocument)
  }
}

/** Another process may have moved the bank to another model since it was opened: vectors of the old one would never be found. */
export async function requireSpace(tx: Queryable, bankId: number, space: VectorSpace): Promise<void> {
  // held to the end of the transaction: the bank cannot move meanwhile
  await lockDerived(tx, bankId)
  if ((await activeSpace(tx, bankId))?.spaceId === space.spaceId) return
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

function* slicesOf<Item>(items: Iterable<Item>): Generator<readonly Item[], void, undefined> {
  let slice: Item[] = []
  for (const item of items) {
    slice.push(item)
    if (slice.length < SLICE) continue
    yield slice
    slice = []
  }
  if (slice.length > 0) yield slice
}

function chunkRow({ chunk, chunkId, documentId, ordinal }: Placed<CutChunk>): MeasuredChunk {
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

function vectorRows(
  { chunk, chunkId }: PlacedChunk,
  spool: VectorSpool,
  partial: boolean,
): readonly NewVector[] {
  const planned = vectorsOf(chunk)
  const there = partial ? planned.filter(({ hash }) => spool.has(hash)) : planned
  return there.map(({ kind, ordinal, hash }) => ({
    chunkId,
    kind,
    ordinal,
    textHash: hash,
    vector: spool.get(hash),
  }))
}
