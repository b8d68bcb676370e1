import { isDeepStrictEqual } from 'node:util'
import type { Document } from '../domain/document.ts'
import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { chunksByIds, chunksOfDocument, type StoredChunk } from '../store/queries/chunks.ts'
import { cuesOfChunks, type StoredCue } from '../store/queries/cues.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import { findDocument, lockSource } from '../store/queries/documents.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { copyVectors, deleteVectorsAt, vectorKeys } from '../store/queries/vectors-write.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { deriveCues } from './derive.ts'
import { embedPlanned, type PlannedVector, planVector } from './embed-chunks.ts'
import { keyOf } from './other-spaces.ts'
import { draftOf } from './remains.ts'
import type { RetainDeps } from './retain-deps.ts'
import { createVectorSpool } from './vector-spool.ts'

export interface IntoSpace {
  readonly space: VectorSpace
  /** The model of that space. */
  readonly embedder: EmbeddingModel
  readonly signal?: AbortSignal | undefined
}

/** Chunks embedded and written together: a kill loses no more, and no writer waits long. */
const SLICE = 128
/** Writers of the document that may come between before a call gives up. */
const MAX_RACES = 20

/**
 * Gives a document, as it is stored, the vectors that it lacks in a space beside the active one: its chunks and cues stay what they are, so that recalls
 * in the active space see nothing of it. Vectors of what it said before are removed there. What was written stays when it is cut short.
 *
 * @returns vectors written; 0 too when the document is gone, or the bank has left the space
 * @throws ProlepsisError MODEL_FAILED, CANCELLED
 */
export async function embedIntoSpace(
  deps: Pick<RetainDeps, 'store' | 'analyser'>,
  documentId: number,
  into: IntoSpace,
): Promise<number> {
  let written = 0
  for (let race = 0; race < MAX_RACES; race++) {
    const { isWhole, vectors } = await fill(deps, documentId, into)
    written += vectors
    if (isWhole) return written
  }
  throw new ProlepsisError('STORE_FAILED', 'Other writers of the same document were always first.', {
    hint: 'Repeat it when fewer write.',
    retryable: true,
  })
}

interface Filled {
  /** False when the document was changed meanwhile. */
  readonly isWhole: boolean
  readonly vectors: number
}

async function fill(
  deps: Pick<RetainDeps, 'store' | 'analyser'>,
  documentId: number,
  into: IntoSpace,
): Promise<Filled> {
  const { database, bankId } = deps.store
  const document = await findDocument(database, bankId, documentId)
  if (document === null) return { isWhole: true, vectors: 0 }
  const stored = await chunksOfDocument(database, bankId, documentId)
  const chunkIds = stored.map(({ chunkId }) => chunkId)
  const texts = ownTexts(deps, document, stored, into.embedder)
  let vectors = 0
  for (let at = 0; at < stored.length; at += SLICE) {
    throwIfAborted(into.signal)
    const chunks = stored.slice(at, at + SLICE)
    const own = chunks.flatMap(({ chunkId }) => {
      const { content, window } = texts.next()
      const planned = [planVector('content', 0, content)]
      if (window !== null) planned.push(planVector('window', 0, window))
      return planned.map((one) => ({ ...one, chunkId }))
    })
    const written = await fillSlice(deps, { document, chunkIds, chunks, own }, into)
    if (written === null) return { isWhole: false, vectors }
    vectors += written
  }
  return { isWhole: true, vectors }
}

type Placed = PlannedVector & { readonly chunkId: number }

interface Slice {
  readonly document: Document
  /** Of the whole document. */
  readonly chunkIds: readonly number[]
  readonly chunks: readonly StoredChunk[]
  /** Vectors of the chunks themselves. */
  readonly own: readonly Placed[]
}

/** Null when the document was changed meanwhile; else how many vectors it lacked. */
async function fillSlice(
  { store }: Pick<RetainDeps, 'store'>,
  slice: Slice,
  { space, embedder, signal }: IntoSpace,
): Promise<number | null> {
  const { database, bankId } = store
  const ids = slice.chunks.map(({ chunkId }) => chunkId)
  const cues = await cuesOfChunks(database, bankId, ids)
  const planned = [...slice.own, ...ofCues(cues)]
  const hashes = new Map(planned.map((one) => [keyOf(one), one.hash]))
  const there = await vectorKeys(database, bankId, space, ids)
  const right = new Set(there.filter((one) => hashes.get(keyOf(one)) === one.textHash).map(keyOf))
  const missing = planned.filter((one) => !right.has(keyOf(one)))
  if (missing.length === 0 && right.size === there.length) return 0
  const spool = createVectorSpool(space.dimension)
  try {
    await embedPlanned([missing], spool, { database, bankId, space, embedder, signal })
    return await database.transaction(async (tx) => {
      await lockSource(tx, bankId, slice.document.source)
      await lockDerived(tx, bankId)
      if (!(await spacesOfBank(tx, bankId)).some(({ spaceId }) => spaceId === space.spaceId)) return 0
      if (!(await stands(tx, bankId, slice, cues))) return null
      // another worker may have been here
      const now = await vectorKeys(tx, bankId, space, ids)
      const wrong = now.filter((one) => hashes.get(keyOf(one)) !== one.textHash)
      await deleteVectorsAt(tx, bankId, space, wrong)
      const kept = new Set(now.filter((one) => hashes.get(keyOf(one)) === one.textHash).map(keyOf))
      const rows = missing
        .filter((one) => !kept.has(keyOf(one)))
        .map(({ chunkId, kind, ordinal, hash }) => ({
          ...{ chunkId, kind, ordinal },
          textHash: hash,
          vector: spool.get(hash),
        }))
      await copyVectors(tx, bankId, space, rows)
      return rows.length
    })
  } finally {
    spool.dispose()
  }
}

/** Whether the document still says what was embedded. */
async function stands(
  tx: Queryable,
  bankId: number,
  { document, chunkIds, chunks }: Slice,
  cues: readonly StoredCue[],
): Promise<boolean> {
  const ids = chunks.map(({ chunkId }) => chunkId)
  const { documentId } = document
  const now = await findDocument(tx, bankId, documentId)
  if (now === null || !sameTexts(now, document)) return false
  if (!isDeepStrictEqual(await chunkIdsOfDocuments(tx, bankId, [documentId]), chunkIds)) return false
  const chunksNow = await chunksByIds(tx, bankId, ids)
  const byId = new Map(chunksNow.map((chunk) => [chunk.chunkId, draftOf(chunk)]))
  if (!chunks.every((chunk) => isDeepStrictEqual(byId.get(chunk.chunkId), draftOf(chunk)))) return false
  return isDeepStrictEqual(await cuesOfChunks(tx, bankId, ids), cues)
}

/** Whether the rules make the same of the document's chunks. */
const sameTexts = (a: Document, b: Document): boolean =>
  a.title === b.title && a.format === b.format && a.occurredAt?.getTime() === b.occurredAt?.getTime()

const ofCues = (cues: readonly StoredCue[]): Placed[] =>
  cues
    .filter((cue) => cue.embedded)
    .map(({ chunkId, kind, ordinal, text }) => ({ ...planVector(kind, ordinal, text), chunkId }))

/** The texts of the chunks' own vectors, one after the other, as the rules make them of the chunks that there are. */
function ownTexts(
  { store, analyser }: Pick<RetainDeps, 'store' | 'analyser'>,
  document: Document,
  stored: readonly StoredChunk[],
  { maxTokens, countTokens }: EmbeddingModel,
): { next(): { readonly content: string; readonly window: string | null } } {
  const text = stored.map((chunk) => chunk.text).join('')
  const frontMatter = document.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const derived = deriveCues({ ...document, text, frontMatter }, stored.map(draftOf), {
    analyser,
    language: store.language,
    maxTokens,
    countTokens: (part) => countTokens(part),
  })
  return {
    next() {
      const one = derived.next()
      if (one.done === true) throw new RangeError('fewer texts than chunks')
      return { content: one.value.contentText, window: one.value.windowText }
    },
  }
}
