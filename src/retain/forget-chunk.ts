import { isDeepStrictEqual } from 'node:util'
import type { ForgetResult } from '../domain/care.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { parseRef } from '../domain/ref.ts'
import type { Queryable } from '../store/database.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { chunkByRef, chunksByIds } from '../store/queries/chunks.ts'
import { deleteDocuments } from '../store/queries/delete-documents.ts'
import { findDocument, lockSource, updateDocumentLabels } from '../store/queries/documents.ts'
import { deleteMentions } from '../store/queries/entities.ts'
import {
  chunksOfSameText,
  FORGOTTEN_NOTE,
  type ForgettableChunk,
  noteForgottenChunks,
} from '../store/queries/forget-chunks.ts'
import { forgetInReceipts } from '../store/queries/forget-receipts.ts'
import { forgetInTrace } from '../store/queries/forget-trace.ts'
import { deleteTerms, retireTerms } from '../store/queries/lexical-write.ts'
import { deleteChunks, updateChunkDrafts } from '../store/queries/rederive-chunks.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { deleteVectors } from '../store/queries/vectors-write.ts'
import { keptCuesOf } from './derive-again.ts'
import { embedRemains, measureOf, modelOfBank } from './embed-remains.ts'
import { clearDerived } from './rederive.ts'
import { type Remains, remainsOf } from './remains.ts'
import type { RetainDeps } from './retain-deps.ts'
import { createVectorSpool } from './vector-spool.ts'
import { analyseAhead, writeDerived, writeTarget, writeTermSlices } from './write-derived.ts'

/** What the attempts of one call share: the chunk that a transaction removed whose end was not heard of. */
export interface ChunkProgress {
  unsure: { readonly chunkId: number; readonly gone: ForgetResult } | null
}

/**
 * Removes one chunk for good, with its like in other versions of the source. What its neighbours say by its words (the question that they
 * answer, the heading above them) is derived anew in the same transaction. Without the bank's model that goes as well: vectors that it
 * would have to make are left out, and a warning says so.
 *
 * @throws ProlepsisError INVALID_ARGUMENT when it is no ref
 */
export async function forgetChunk(
  deps: RetainDeps,
  ref: string,
  progress: ChunkProgress,
): Promise<ForgetResult> {
  const parsed = parseRef(ref)
  if (parsed === null) {
    throw new ProlepsisError('INVALID_ARGUMENT', `"${ref.slice(0, 100)}" is not a ref.`, {
      hint: 'A ref is a source, # and the chunk’s number from 1: kelly.md#3.',
      details: { option: 'ref' },
    })
  }
  const { database, bankId } = deps.store
  const { unsure } = progress
  // what the ref means now may be another text, if the attempt before removed the one that was meant
  if (unsure !== null && (await chunksByIds(database, bankId, [unsure.chunkId])).length === 0)
    return unsure.gone
  // again when the source was changed between the look and the lock
  for (;;) {
    const wanted = await chunkByRef(database, bankId, { ...parsed, version: parsed.version ?? undefined })
    if (wanted === null) return { documents: 0, chunks: 0 }
    const alike = await chunksOfSameText(database, bankId, wanted.chunkId)
    const gone = await forgetAlike(deps, parsed.source, wanted.chunkId, alike, progress)
    if (gone !== null) return gone
  }
}

async function forgetAlike(
  deps: RetainDeps,
  source: string,
  chunkId: number,
  alike: readonly ForgettableChunk[],
  progress: ChunkProgress,
): Promise<ForgetResult | null> {
  const ids = alike.map((chunk) => chunk.chunkId)
  const documents = [...new Set(alike.map((chunk) => chunk.documentId))]
  const model = await modelOfBank(deps)
  const remains: Remains[] = []
  for (const documentId of documents) {
    const left = await remainsOf(deps, documentId, new Set(ids), measureOf(model))
    if (left !== null) remains.push(left)
  }
  const spool = createVectorSpool(deps.store.space.dimension)
  try {
    const changed = remains.flatMap((one) => one.changed.map(({ chunk }) => chunk))
    const missing = changed.length === 0 ? 0 : await embedRemains(deps, model, changed, spool)
    const terms = remains.map((one) => analyseAhead(one.changed, one.changed.length, deps.analyser))
    const { database, bankId } = deps.store
    const done = await database.transaction(async (tx) => {
      // whoever derives this source anew must not bring the chunk back
      await lockSource(tx, bankId, source)
      const alikeNow = await chunksOfSameText(tx, bankId, chunkId)
      if (!isDeepStrictEqual(alikeNow, alike) || !(await stand(tx, bankId, remains))) return null
      await removeChunks(tx, bankId, alike)
      const chunks = await deleteChunks(tx, bankId, ids)
      const day = new Date(deps.clock.now()).toISOString().slice(0, 10)
      const emptied = await noteForgottenChunks(tx, bankId, documents, `${FORGOTTEN_NOTE} on ${day}`)
      await deleteDocuments(tx, bankId, emptied)
      for (const one of remains) await clearRemains(tx, deps, one)
      for (const one of remains) await writeDerived(tx, writeTarget(deps), one.changed, spool, missing > 0)
      await writeTermSlices(tx, bankId, terms)
      // written terms count as current; those of a closed version do not
      const closed = remains.filter((one) => one.document.state !== 'current')
      for (const { changed } of closed) await retireTerms(tx, bankId, idsOf(changed))
      const gone = { documents: emptied.length, chunks }
      progress.unsure = { chunkId, gone }
      return gone
    })
    if (done !== null && missing > 0) warnOfMissing(deps, source, missing)
    return done
  } finally {
    spool.dispose()
  }
}

function warnOfMissing({ events, store }: RetainDeps, source: string, missing: number): void {
  const message = `${missing} vectors beside the chunk of "${source}" that was forgotten are missing, since the model of the bank is not here (${store.space.modelId}): rebuild-index makes them.`
  events.emit({ type: 'warning', code: 'FORGOTTEN_WITHOUT_MODEL', message })
}

/** Whether the documents are still as the remains were made from. */
async function stand(tx: Queryable, bankId: number, remains: readonly Remains[]): Promise<boolean> {
  for (const { document, chunkIds, changed, kept } of remains) {
    const now = await findDocument(tx, bankId, document.documentId)
    const idsNow = await chunkIdsOfDocuments(tx, bankId, [document.documentId])
    if (now?.state !== document.state || !isDeepStrictEqual(idsNow, chunkIds)) return false
    if (!isDeepStrictEqual(await keptCuesOf(tx, bankId, idsOf(changed)), kept)) return false
  }
  return true
}

async function removeChunks(
  tx: Queryable,
  bankId: number,
  alike: readonly ForgettableChunk[],
): Promise<void> {
  const ids = alike.map((chunk) => chunk.chunkId)
  const documentIds = [...new Set(alike.map((chunk) => chunk.documentId))]
  await forgetInTrace(tx, bankId, { documentIds, chunkIds: ids, whole: false })
  await forgetInReceipts(tx, bankId, ids)
  await deleteMentions(tx, bankId, ids)
  for (const space of await spacesOfBank(tx, bankId)) await deleteVectors(tx, bankId, space, ids)
  const counted = alike.filter((chunk) => chunk.current).map((chunk) => chunk.chunkId)
  const retired = alike.filter((chunk) => !chunk.current).map((chunk) => chunk.chunkId)
  await deleteTerms(tx, bankId, counted, { counted: true })
  await deleteTerms(tx, bankId, retired, { counted: false })
}

async function clearRemains(tx: Queryable, { store }: RetainDeps, one: Remains): Promise<void> {
  const { document, labels, changed } = one
  if (labels !== null) {
    await updateDocumentLabels(tx, store.bankId, document.documentId, {
      ...labels,
      validFrom: document.validFrom,
    })
  }
  const counted = document.state === 'current'
  await clearDerived(tx, store, idsOf(changed), { counted, everySpace: true })
  await updateChunkDrafts(
    tx,
    store.bankId,
    changed.map(({ chunkId, chunk }) => ({ chunkId, draft: chunk.draft, tokens: chunk.tokens })),
  )
}

const idsOf = (placed: Remains['changed']): number[] => placed.map(({ chunkId }) => chunkId)
