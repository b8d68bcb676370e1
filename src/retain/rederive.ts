import { isDeepStrictEqual } from 'node:util'
import type { ChunkDraft } from '../domain/chunk.ts'
import type { Document } from '../domain/document.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { activityOf, writeActivity } from '../store/queries/activity.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { chunksOfDocument, reserveChunkIds, type StoredChunk } from '../store/queries/chunks.ts'
import { cuesOfChunks, deleteCues } from '../store/queries/cues.ts'
import { findDocument, lockSource, updateDocumentLabels } from '../store/queries/documents.ts'
import { deleteMentions } from '../store/queries/entities.ts'
import { cancelEnrichment } from '../store/queries/job-leases.ts'
import { deleteTerms, retireTerms } from '../store/queries/lexical-write.ts'
import { deleteChunks, updateChunkDrafts, updateDocumentExtent } from '../store/queries/rederive-chunks.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { deleteVectors } from '../store/queries/vectors-write.ts'
import { moveStart } from '../store/queries/version-start.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { derive, spansOf } from './derive.ts'
import type { CutChunk, DerivedChunks } from './derived-chunks.ts'
import type { DocumentLabels } from './document-labels.ts'
import { embedChunks } from './embed-chunks.ts'
import { keepCues, ordinalAtByte } from './keep-cues.ts'
import type { RetainDeps } from './retain-deps.ts'
import type { CallerQuestions } from './retain-options.ts'
import { createVectorSpool, type VectorSpool } from './vector-spool.ts'
import {
  analyseAhead,
  place,
  type WrittenCounts,
  writeChunks,
  writeDerived,
  writeTermSlices,
} from './write-derived.ts'

export interface RederiveOptions {
  /** New labels. @default those that it has */
  readonly labels?: DocumentLabels
  /** New questions of the caller. @default those that it has */
  readonly questions?: CallerQuestions | undefined
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
  const { chunks, notes } = await deriveAgain(deps, document, stored, labels, options.questions)
  const embedder = await deps.embedder()
  const spool = createVectorSpool(deps.store.space.dimension)
  try {
    const splits = await embedChunks(chunks, spool, {
      ...deps.store,
      embedder,
      anew: options.anew,
      signal: options.signal,
    })
    const { endEnrichment = false } = options
    const change: Change = { document, labels, stored, chunks, notes: [...notes, ...splits], endEnrichment }
    const written = await replaceDerived(deps, change, spool)
    return written && { document: { ...document, ...labels }, chunks: chunks.length, ...written }
  } finally {
    spool.dispose()
  }
}

/** What the rules make of a document's text now, with the cues of callers and models that it has. */
export async function deriveAgain(
  deps: RetainDeps,
  document: Document,
  stored: readonly StoredChunk[],
  labels: DocumentLabels,
  questions: CallerQuestions | undefined,
): Promise<{ readonly chunks: DerivedChunks; readonly notes: readonly string[] }> {
  const text = stored.map((chunk) => chunk.text).join('')
  const frontMatter = document.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const embedder = await deps.embedder()
  const derived = await derive({ ...document, ...labels, text, frontMatter }, questions, {
    analyser: deps.analyser,
    language: deps.store.language,
    maxTokens: embedder.maxTokens,
    countTokens: (part) => embedder.countTokens(part),
  })
  const ids = stored.map((chunk) => chunk.chunkId)
  const cues = await cuesOfChunks(deps.store.database, deps.store.bankId, ids)
  const starts = startBytes(stored)
  const kept = cues
    .filter((cue) => cue.origin === 'model' || (cue.origin === 'caller' && questions === undefined))
    .map(({ chunkId, kind, origin, embedded, text: asked }) => ({
      startByte: starts.get(chunkId)!,
      cue: { kind, origin, embed: embedded, text: asked },
    }))
  return { chunks: keepCues(derived.chunks, kept), notes: derived.notes }
}

/** Where each stored chunk begins in what is left of the text (parts of it may have been forgotten). */
function startBytes(stored: readonly StoredChunk[]): ReadonlyMap<number, number> {
  const spans = spansOf(stored)
  return new Map(stored.map((chunk, at) => [chunk.chunkId, spans[at]!.startByte]))
}

interface Change {
  readonly document: Document
  readonly labels: DocumentLabels
  readonly stored: readonly StoredChunk[]
  readonly chunks: DerivedChunks
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
  const { document, labels, stored, chunks } = change
  const { documentId } = document
  const sameCut = isSameCut(stored, chunks)
  const ids = sameCut ? stored.map((chunk) => chunk.chunkId) : await reserveChunkIds(database, chunks.length)
  const placed = place(chunks, ids, documentId)
  const terms = analyseAhead(placed, chunks.length, deps.analyser)
  const oldIds = stored.map((chunk) => chunk.chunkId)

  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, document.source)
    const now = await findDocument(tx, bankId, documentId)
    const idsNow = await chunkIdsOfDocuments(tx, bankId, [documentId])
    if (now === null || now.state !== document.state || !isDeepStrictEqual(idsNow, oldIds)) return null
    const isTimeOther = labels.occurredAt?.getTime() !== now.occurredAt?.getTime()
    const validFrom = isTimeOther
      ? await moveStart(tx, bankId, { ...now, occurredAt: labels.occurredAt })
      : now.validFrom
    await updateDocumentLabels(tx, bankId, documentId, { ...labels, validFrom })
    if (change.endEnrichment) await cancelEnrichment(tx, bankId, [documentId], new Date(deps.clock.now()))
    await clearDerived(tx, deps.store, oldIds, { counted: now.state === 'current', everySpace: !sameCut })
    if (sameCut) await updateChunkDrafts(tx, bankId, changedDrafts(stored, chunks.cut))
    else await replaceChunks(tx, bankId, change, ids)
    const counts = await writeDerived(tx, bankId, deps.store.space, placed, spool)
    await writeTermSlices(tx, bankId, [terms])
    // written terms count as current; those of a closed version do not
    if (now.state !== 'current') await retireTerms(tx, bankId, ids)
    return counts.get(documentId) ?? { cues: 0, vectors: 0 }
  })
}

export function isSameCut(stored: readonly StoredChunk[], chunks: DerivedChunks): boolean {
  if (stored.length !== chunks.length) return false
  let at = 0
  for (const { draft } of chunks.cut) if (stored[at++]!.text !== draft.text) return false
  return true
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
  { document, stored, chunks, notes }: Change,
  ids: readonly number[],
): Promise<void> {
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
