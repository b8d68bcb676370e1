import { isDeepStrictEqual } from 'node:util'
import type { ChunkDraft } from '../domain/chunk.ts'
import type { Document } from '../domain/document.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { activityOf, writeActivity } from '../store/queries/activity.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { chunksOfDocument, reserveChunkIds, type StoredChunk } from '../store/queries/chunks.ts'
import { deleteCues } from '../store/queries/cues.ts'
import { findDocument, lockSource, updateDocumentLabels } from '../store/queries/documents.ts'
import { enrichmentsOfChunks, writeEnrichments } from '../store/queries/enrichments.ts'
import { deleteMentions } from '../store/queries/entities.ts'
import { cancelEnrichment } from '../store/queries/job-leases.ts'
import { deleteTerms, retireTerms } from '../store/queries/lexical-write.ts'
import { deleteChunks, updateChunkDrafts, updateDocumentExtent } from '../store/queries/rederive-chunks.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { deleteVectors, vectorsByHash } from '../store/queries/vectors-write.ts'
import { moveStart } from '../store/queries/version-start.ts'
import {
  type CueChange,
  type DerivedAgain,
  deriveAgain,
  isSameCut,
  keptCuesOf,
  startBytes,
} from './derive-again.ts'
import type { CutChunk, DerivedChunks } from './derived-chunks.ts'
import type { DocumentLabels } from './document-labels.ts'
import { embedChunks, vectorsOf } from './embed-chunks.ts'
import { carriedEnrichments } from './enrich/carry-enrichments.ts'
import { ordinalAtByte } from './keep-cues.ts'

import { dropOutdatedVectors } from './other-spaces.ts'
import type { RetainDeps } from './retain-deps.ts'
import { createVectorSpool, type VectorSpool } from './vector-spool.ts'
import {
  analyseAhead,
  place,
  type WrittenCounts,
  writeChunks,
  writeDerived,
  writeTarget,
  writeTermSlices,
} from './write-derived.ts'

export interface RederiveOptions extends CueChange {
  /** New labels. @default those that it has */
  readonly labels?: DocumentLabels
  /** The caller gives the questions from now on: a model that was to write some is not asked. @default false */
  readonly endEnrichment?: boolean
  /** Embed every text again, also those of which the bank has a vector. @default false */
  readonly anew?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Rederived {
  readonly document: Document
  readonly chunks: number
  readonly cues: number
  readonly vectors: number
}

/**
 * Derives a document at rest anew: chunks, cues, vectors, terms, in one transaction, so that it is found throughout.
 * Chunks whose text stays keep their ids and so their activity and receipts; when the cut is another, activity goes to
 * the chunk that now holds the old one's first byte. The caller's and models' cues stay.
 *
 * @returns null when the document was changed or forgotten meanwhile
 */
export async function rederive(
  deps: RetainDeps,
  documentId: number,
  options: RederiveOptions = {},
): Promise<Rederived | null> {
  const { database, bankId } = deps.store
  const document = await findDocument(database, bankId, documentId)
  if (document === null) return null
  const stored = await chunksOfDocument(database, bankId, documentId)
  const labels = options.labels ?? document
  const again = await deriveAgain(deps, document, stored, labels, options)
  const embedder = await deps.embedder()
  const spool = createVectorSpool(deps.store.space.dimension)
  try {
    const splits = await embedChunks(again.chunks, spool, {
      ...deps.store,
      embedder,
      anew: options.anew,
      signal: options.signal,
    })
    const { endEnrichment = false } = options
    const notes = [...again.notes, ...splits]
    const change: Change = { document, labels, stored, again, notes, endEnrichment }
    const written = await replaceDerived(deps, change, spool)
    return written && { document: { ...document, ...labels }, chunks: again.chunks.length, ...written }
  } finally {
    spool.dispose()
  }
}

interface Change {
  readonly document: Document
  readonly labels: DocumentLabels
  readonly stored: readonly StoredChunk[]
  readonly again: DerivedAgain
  readonly notes: readonly string[]
  readonly endEnrichment: boolean
}

/** Null when the document was changed or forgotten meanwhile. */
async function replaceDerived(
  deps: RetainDeps,
  change: Change,
  spool: VectorSpool,
): Promise<WrittenCounts | null> {
  const { database, bankId } = deps.store
  const { document, labels, stored, again } = change
  const { documentId } = document
  const sameCut = isSameCut(stored, again.chunks)
  const oldIds = stored.map((chunk) => chunk.chunkId)
  const ids = sameCut ? oldIds : await reserveChunkIds(database, again.chunks.length)
  const termsOf = (chunks: DerivedChunks): ReturnType<typeof analyseAhead> =>
    analyseAhead(place(chunks, ids, documentId), chunks.length, deps.analyser)
  const termsAhead = termsOf(again.chunks)

  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, document.source)
    const now = await findDocument(tx, bankId, documentId)
    const idsNow = await chunkIdsOfDocuments(tx, bankId, [documentId])
    if (now === null || now.state !== document.state || !isDeepStrictEqual(idsNow, oldIds)) return null
    const chunks = await withCuesOfNow(tx, deps.store, again, oldIds, spool)
    if (chunks === null) return null
    const isTimeOther = labels.occurredAt?.getTime() !== now.occurredAt?.getTime()
    const validFrom = isTimeOther
      ? await moveStart(tx, bankId, { ...now, occurredAt: labels.occurredAt })
      : now.validFrom
    await updateDocumentLabels(tx, bankId, documentId, { ...labels, validFrom })
    if (change.endEnrichment) await cancelEnrichment(tx, bankId, [documentId], new Date(deps.clock.now()))
    const enrichments = await enrichmentsOfChunks(tx, bankId, oldIds)
    await clearDerived(tx, deps.store, oldIds, { counted: now.state === 'current', everySpace: !sameCut })
    if (sameCut) await dropOutdatedVectors(tx, deps.store, place(chunks, ids, documentId))
    if (sameCut) await updateChunkDrafts(tx, bankId, changedDrafts(stored, chunks.cut))
    else await replaceChunks(tx, bankId, change, ids)
    const paid = { stored, starts: startBytes(stored), enrichments }
    await writeEnrichments(tx, bankId, carriedEnrichments(document, paid, { chunks, ids }))
    const counts = await writeDerived(tx, writeTarget(deps), place(chunks, ids, documentId), spool)
    await writeTermSlices(tx, bankId, [chunks === again.chunks ? termsAhead : termsOf(chunks)])
    // written terms count as current; those of a closed version do not
    if (now.state !== 'current') await retireTerms(tx, bankId, ids)
    return counts.get(documentId) ?? { cues: 0, vectors: 0 }
  })
}

/**
 * The chunks with the cues of callers and models that they have by now: a question that was added, or a model's that was written, since they were
 * derived is not lost. Null when the bank has no vectors of those in this space.
 */
async function withCuesOfNow(
  tx: Queryable,
  { bankId, space }: BankStore,
  again: DerivedAgain,
  chunkIds: readonly number[],
  spool: VectorSpool,
): Promise<DerivedChunks | null> {
  const kept = await keptCuesOf(tx, bankId, chunkIds)
  if (isDeepStrictEqual(kept, again.kept)) return again.chunks
  const chunks = again.withKept(kept)
  const missing = new Set<string>()
  for (const chunk of chunks) for (const { hash } of vectorsOf(chunk)) if (!spool.has(hash)) missing.add(hash)
  const known = await vectorsByHash(tx, bankId, space, [...missing])
  for (const [hash, vector] of known) spool.put(hash, vector)
  return known.size === missing.size ? chunks : null
}

/** Removes what was derived from chunks that stay. */
export async function clearDerived(
  tx: Queryable,
  store: BankStore,
  chunkIds: readonly number[],
  how: { readonly counted: boolean; readonly everySpace: boolean },
): Promise<void> {
  const { bankId } = store
  await deleteMentions(tx, bankId, chunkIds)
  const spaces = how.everySpace ? await spacesOfBank(tx, bankId) : [store.space]
  for (const space of spaces) await deleteVectors(tx, bankId, space, chunkIds)
  await deleteTerms(tx, bankId, chunkIds, { counted: how.counted })
  await deleteCues(tx, bankId, chunkIds, ['caller', 'model', 'rules'])
}

async function replaceChunks(
  tx: Queryable,
  bankId: number,
  { document, stored, again, notes }: Change,
  ids: readonly number[],
): Promise<void> {
  const { chunks } = again
  const oldIds = stored.map((chunk) => chunk.chunkId)
  const activity = await activityOf(tx, bankId, oldIds)
  await deleteChunks(tx, bankId, oldIds)
  await writeChunks(tx, bankId, place(chunks.cut, ids, document.documentId))
  const starts = startBytes(stored)
  // by heir: of several old chunks that became one, the last one's activity stands
  const moved = new Map(
    [...activity].map(([oldId, state]) => {
      const chunkId = ids[ordinalAtByte(chunks.spans, starts.get(oldId)!)]!
      return [chunkId, { ...state, chunkId }]
    }),
  )
  await writeActivity(tx, bankId, [...moved.values()])
  await updateDocumentExtent(tx, bankId, document.documentId, {
    chunkCount: chunks.length,
    byteLength: chunks.spans.at(-1)?.endByte ?? 0,
    notes,
  })
}

interface ChangedDraft {
  readonly chunkId: number
  readonly draft: ChunkDraft
  readonly tokens: number
}

/** Chunks of which the chunker now says something else. */
function changedDrafts(stored: readonly StoredChunk[], cut: Iterable<CutChunk>): readonly ChangedDraft[] {
  const changed: ChangedDraft[] = []
  let at = 0
  for (const chunk of cut) {
    const { chunkId, kind, label, speaker, occurredAt, content, attributes, tokens } = stored[at++]!
    const { text: _text, ...draft } = chunk.draft
    const before = { kind, label, speaker, occurredAt, content, attributes }
    if (isDeepStrictEqual(before, draft) && tokens === chunk.tokens) continue
    changed.push({ chunkId, draft: chunk.draft, tokens: chunk.tokens })
  }
  return changed
}
