import type { VectorKind } from '../domain/cue.ts'
import { isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { vectorsByHash } from '../store/queries/vectors-write.ts'
import type { DerivedChunk } from './derived-chunks.ts'
import { embeddingHash } from './text-hash.ts'
import type { VectorSpool } from './vector-spool.ts'

/** A vector that a chunk is to have. */
export interface PlannedVector {
  readonly kind: VectorKind
  readonly ordinal: number
  readonly text: string
  readonly hash: string
}

/** Texts looked up and embedded at a time. */
const SLICE = 512

/** Every vector of a chunk: its content, its window, and each cue that has one, numbered within its kind. */
export function vectorsOf(chunk: DerivedChunk): readonly PlannedVector[] {
  const planned: PlannedVector[] = [planVector('content', 0, chunk.contentText)]
  if (chunk.windowText !== null) planned.push(planVector('window', 0, chunk.windowText))
  const next = new Map<string, number>()
  for (const cue of chunk.cues) {
    const ordinal = next.get(cue.kind) ?? 0
    next.set(cue.kind, ordinal + 1)
    if (cue.embed) planned.push(planVector(cue.kind, ordinal, cue.text))
  }
  return planned
}

/** How many vectors `vectorsOf` plans. */
export function vectorCount(chunk: DerivedChunk): number {
  return 1 + (chunk.windowText === null ? 0 : 1) + chunk.cues.filter((cue) => cue.embed).length
}

/** The vector that a text gives. */
export const planVector = (kind: VectorKind, ordinal: number, text: string): PlannedVector => ({
  kind,
  ordinal,
  text,
  hash: embeddingHash(text),
})

export interface EmbedDeps {
  readonly database: Queryable
  readonly bankId: number
  readonly space: VectorSpace
  readonly embedder: EmbeddingModel
  /** Leave the vectors that the bank has aside. @default false */
  readonly anew?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Puts the vector of every text of the chunks into the spool. What the bank has embedded before, in whatever version or
 * kind, is read back instead (unless `anew`). In slices, outside of any transaction.
 *
 * @returns notes: texts longer than the model's window, which were split and averaged
 * @throws ProlepsisError MODEL_FAILED, CANCELLED
 */
export async function embedChunks(
  chunks: Iterable<DerivedChunk>,
  spool: VectorSpool,
  deps: EmbedDeps,
): Promise<readonly string[]> {
  function* texts(): Generator<readonly PlannedVector[], void, undefined> {
    for (const chunk of chunks) yield vectorsOf(chunk)
  }
  const split = await embedPlanned(texts(), spool, deps)
  return split === 0 ? [] : [`${split} texts were longer than the model's window: split and averaged`]
}

/** The same for planned vectors, a chunk's at a time; how many texts were split. */
export async function embedPlanned(
  chunks: Iterable<readonly Pick<PlannedVector, 'hash' | 'text'>[]>,
  spool: VectorSpool,
  deps: EmbedDeps,
): Promise<number> {
  let split = 0
  let slice = new Map<string, string>()
  const flush = async (): Promise<void> => {
    split += await embedTexts(slice, spool, deps)
    slice = new Map()
  }
  for (const planned of chunks) {
    for (const { hash, text } of planned) if (!spool.has(hash)) slice.set(hash, text)
    if (slice.size >= SLICE) await flush()
  }
  await flush()
  return split
}

/** The same for texts by their `embeddingHash`. @returns how many were split */
export async function embedTexts(
  slice: ReadonlyMap<string, string>,
  spool: VectorSpool,
  deps: EmbedDeps,
): Promise<number> {
  if (slice.size === 0) return 0
  throwIfAborted(deps.signal)
  const hashes = deps.anew === true ? [] : [...slice.keys()]
  const known = await vectorsByHash(deps.database, deps.bankId, deps.space, hashes)
  for (const [hash, vector] of known) spool.put(hash, vector)
  const missing = [...slice].filter(([hash]) => !known.has(hash))
  if (missing.length === 0) return 0
  let split = 0
  const texts = missing.map(([, text]) => text)
  const vectors = await deps.embedder
    .embed(texts, { purpose: 'symmetric', signal: deps.signal, onSplit: () => split++ })
    .catch((error: unknown) => {
      throwIfAborted(deps.signal)
      throw asModelError(error)
    })
  if (vectors.length !== missing.length || vectors.some((vector) => vector.length !== deps.space.dimension)) {
    throw new ProlepsisError(
      'MODEL_FAILED',
      'The embedder returned vectors of another number or dimension.',
      {
        hint: `It must give one vector of ${deps.space.dimension} numbers for each text.`,
        details: { texts: missing.length, vectors: vectors.length },
      },
    )
  }
  for (const [at, [hash]] of missing.entries()) spool.put(hash, vectors[at]!)
  return split
}

/** A model of the caller's may throw anything. */
function asModelError(error: unknown): ProlepsisError {
  if (isProlepsisError(error)) return error
  const reason = error instanceof Error ? error.message : String(error)
  return new ProlepsisError('MODEL_FAILED', `The embedder failed: ${reason}`, {
    hint: 'Nothing was written. Try again when it works.',
    cause: error,
  })
}
