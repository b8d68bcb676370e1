import type { CueDraft } from '../domain/cue.ts'
import type { Document } from '../domain/document.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { ExportedDocument } from '../domain/portable.ts'
import type { Queryable } from '../store/database.ts'
import { writeActivity } from '../store/queries/activity.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { reserveChunkIds } from '../store/queries/chunks.ts'
import {
  closeDocument,
  findCurrentDocument,
  insertDocument,
  listVersions,
  lockSource,
  type NewDocument,
} from '../store/queries/documents.ts'
import { retireTerms } from '../store/queries/lexical-write.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { derive } from './derive.ts'
import type { DerivedChunks } from './derived-chunks.ts'
import { embedChunks } from './embed-chunks.ts'
import { type KeptCue, keepCues, ordinalAtByte } from './keep-cues.ts'
import type { RetainDeps } from './retain-deps.ts'
import { createVectorSpool, type VectorSpool } from './vector-spool.ts'
import { analyseAhead, place, writeChunks, writeDerived, writeTermSlices } from './write-derived.ts'

export interface WrittenVersion {
  readonly status: 'written' | 'unchanged'
  readonly chunks: number
}

/**
 * Writes one exported version of a document as it was: number, times, state, cues of callers and models, activity; all else is derived
 * from its text. A version that is there already is left alone. A current or deleted version takes the place of an older
 * current one; a current one comes in as superseded when the bank is ahead of it.
 *
 * @throws ProlepsisError IMPORT_INVALID when the bank has another text as the same version
 */
export async function writeVersion(
  deps: RetainDeps,
  exported: ExportedDocument,
  signal?: AbortSignal | undefined,
): Promise<WrittenVersion> {
  const { database, bankId, space } = deps.store
  if (await isThere(database, bankId, exported)) return { status: 'unchanged', chunks: 0 }
  const chunks = await deriveVersion(deps, exported)
  const spool = createVectorSpool(space.dimension)
  try {
    await embedChunks(chunks, spool, { ...deps.store, embedder: await deps.embedder(), signal })
    return await commitVersion(deps, exported, chunks, spool)
  } finally {
    spool.dispose()
  }
}

async function isThere(q: Queryable, bankId: number, exported: ExportedDocument): Promise<boolean> {
  const versions = await listVersions(q, bankId, exported.source)
  const same = versions.find((one) => one.version === exported.version)
  if (same === undefined) return false
  if (same.contentHash === exported.contentHash) return true
  throw new ProlepsisError(
    'IMPORT_INVALID',
    `The bank has another text as version ${exported.version} of "${exported.source}".`,
    { hint: 'Import into an empty bank.', details: { source: exported.source, version: exported.version } },
  )
}

async function deriveVersion(deps: RetainDeps, exported: ExportedDocument): Promise<DerivedChunks> {
  const embedder = await deps.embedder()
  const { text, occurredAt } = exported
  const frontMatter = exported.format === 'markdown' ? (readFrontMatter(text)?.values ?? {}) : {}
  const derived = await derive({ ...exported, occurredAt: timeOrNull(occurredAt), frontMatter }, undefined, {
    analyser: deps.analyser,
    language: deps.store.language,
    maxTokens: embedder.maxTokens,
    countTokens: (part) => embedder.countTokens(part),
  })
  const kept = exported.parts.flatMap(({ startByte, cues }) =>
    cues.map((cue: CueDraft): KeptCue => ({ startByte, cue })),
  )
  return keepCues(derived.chunks, kept)
}

async function commitVersion(
  deps: RetainDeps,
  exported: ExportedDocument,
  chunks: DerivedChunks,
  spool: VectorSpool,
): Promise<WrittenVersion> {
  const { database, bankId, space } = deps.store
  const ids = await reserveChunkIds(database, chunks.length)
  const terms = analyseAhead(place(chunks, ids, 0), chunks.length, deps.analyser)
  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, exported.source)
    if (await isThere(tx, bankId, exported)) return { status: 'unchanged', chunks: 0 }
    const current = await findCurrentDocument(tx, bankId, exported.source)
    const later = (await listVersions(tx, bankId, exported.source)).filter(
      ({ version }) => version > exported.version,
    )
    const document = documentOf(exported, chunks, later.at(-1) ?? null)
    const ends = document.state !== 'superseded' && current !== null && current.version < document.version
    const closed = ends ? [current.documentId] : []
    for (const id of closed) await closeDocument(tx, bankId, id, 'superseded', document.validFrom)
    const documentId = await insertDocument(tx, bankId, document)
    await writeChunks(tx, bankId, place(chunks.cut, ids, documentId))
    await writeActivity(tx, bankId, activityOf(exported, chunks, ids))
    await writeDerived(tx, bankId, space, place(chunks, ids, documentId), spool)
    await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, closed))
    await writeTermSlices(tx, bankId, [terms])
    if (document.state !== 'current') await retireTerms(tx, bankId, ids)
    return { status: 'written', chunks: chunks.length }
  })
}

function documentOf(
  exported: ExportedDocument,
  chunks: DerivedChunks,
  /** The next version that the bank has, in whatever state. */
  next: Document | null,
): NewDocument {
  const { type: _type, text: _text, parts: _parts, ...fields } = exported
  const overtaken = exported.state === 'current' && next !== null
  return {
    ...fields,
    state: overtaken ? 'superseded' : exported.state,
    occurredAt: timeOrNull(exported.occurredAt),
    retainedAt: new Date(exported.retainedAt),
    validFrom: new Date(exported.validFrom),
    validTo: overtaken
      ? new Date(Math.max(next.validFrom.getTime(), Date.parse(exported.validFrom)))
      : timeOrNull(exported.validTo),
    byteLength: chunks.spans.at(-1)?.endByte ?? 0,
    chunkCount: chunks.length,
  }
}

function activityOf(
  exported: ExportedDocument,
  chunks: DerivedChunks,
  ids: readonly number[],
): Parameters<typeof writeActivity>[2] {
  const byChunk = new Map(
    exported.parts.flatMap(({ startByte, activity }) => {
      if (activity === null) return []
      const chunkId = ids[ordinalAtByte(chunks.spans, startByte)]!
      return [[chunkId, { ...activity, chunkId, lastUsedAt: timeOrNull(activity.lastUsedAt) }]]
    }),
  )
  return [...byChunk.values()]
}

const timeOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text))
