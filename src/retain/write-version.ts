import type { CueDraft } from '../domain/cue.ts'
import type { Document } from '../domain/document.ts'
import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { QueuedJob } from '../domain/jobs.ts'
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
import { writeEnrichments } from '../store/queries/enrichments.ts'
import { cancelEnrichment } from '../store/queries/job-leases.ts'
import { enqueueJobs } from '../store/queries/jobs.ts'
import { retireTerms } from '../store/queries/lexical-write.ts'
import { startOfVersion } from '../store/queries/version-start.ts'
import { readFrontMatter } from './chunk/front-matter.ts'
import { derive } from './derive.ts'
import type { DerivedChunks } from './derived-chunks.ts'
import { embedChunks } from './embed-chunks.ts'
import { importedEnrichments } from './enrich/carry-enrichments.ts'
import { type KeptCue, keepCues, ordinalAtByte } from './keep-cues.ts'
import type { RetainDeps } from './retain-deps.ts'
import { keptTextHash } from './text-hash.ts'
import { createVectorSpool, type VectorSpool } from './vector-spool.ts'
import {
  analyseAhead,
  joined,
  place,
  writeChunks,
  writeDerived,
  writeTarget,
  writeTermSlices,
} from './write-derived.ts'

export interface WrittenVersion {
  readonly status: 'written' | 'unchanged'
  readonly chunks: number
}

export interface WriteVersionOptions {
  /** Let the language model write questions of current texts that have none of a caller or a model; for the trace id. @default nothing is put in line */
  readonly enrich?: { readonly traceId: string } | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Writes exported versions as they were: number, times, state, cues of callers and models, activity; all else is derived from their
 * texts. They are embedded together and written in one transaction, in their order: all or none. A version that is there
 * already is left alone. A current or deleted version takes the place of an older current one; a current one comes in as
 * superseded when the bank is ahead of it.
 *
 * @throws ProlepsisError IMPORT_INVALID when the bank has another text as the same version
 */
export async function writeVersions(
  deps: RetainDeps,
  exported: readonly ExportedDocument[],
  options: WriteVersionOptions = {},
): Promise<readonly WrittenVersion[]> {
  const { signal } = options
  const { database, bankId, space } = deps.store
  const derived: DerivedVersion[] = []
  for (const document of exported) {
    throwIfAborted(signal)
    const there = await isThere(database, bankId, document)
    if (!there) derived.push({ exported: document, chunks: await deriveVersion(deps, document) })
  }
  const spool = createVectorSpool(space.dimension)
  try {
    if (derived.length > 0) {
      const chunks = joined(derived.map((one) => one.chunks))
      await embedChunks(chunks, spool, { ...deps.store, embedder: await deps.embedder(), signal })
    }
    const { written, queued } = await commitVersions(deps, derived, spool, options)
    if (queued.length > 0) deps.enrichment?.queued(deps.store, queued)
    return exported.map((document) => written.get(document) ?? { status: 'unchanged', chunks: 0 })
  } finally {
    spool.dispose()
  }
}

interface DerivedVersion {
  readonly exported: ExportedDocument
  readonly chunks: DerivedChunks
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

async function commitVersions(
  deps: RetainDeps,
  derived: readonly DerivedVersion[],
  spool: VectorSpool,
  { enrich }: WriteVersionOptions,
): Promise<{
  readonly written: ReadonlyMap<ExportedDocument, WrittenVersion>
  readonly queued: readonly QueuedJob[]
}> {
  const { database, bankId } = deps.store
  const total = derived.reduce((sum, { chunks }) => sum + chunks.length, 0)
  const allIds = await reserveChunkIds(database, total)
  const prepared = derived.map(({ exported, chunks }): PreparedVersion => {
    const ids = allIds.splice(0, chunks.length)
    const textHash = keptTextHash(chunks.cut)
    return {
      exported,
      chunks,
      textHash,
      ids,
      terms: analyseAhead(place(chunks, ids, 0), chunks.length, deps.analyser),
    }
  })
  const sources = [...new Set(derived.map(({ exported }) => exported.source))].sort()
  return database.transaction(async (tx) => {
    for (const source of sources) await lockSource(tx, bankId, source)
    const written = new Map<ExportedDocument, WrittenVersion>()
    const bare: number[] = []
    for (const one of prepared) {
      const { documentId, ...version } = await commitVersion(tx, deps, one, spool)
      written.set(one.exported, version)
      if (documentId !== null && !isAsked(one.exported)) bare.push(documentId)
    }
    if (enrich === undefined || deps.enrichment === null) return { written, queued: [] }
    const jobs = bare.map((documentId) => ({ kind: 'enrich' as const, documentId, ...enrich }))
    const ids = await enqueueJobs(tx, bankId, jobs, new Date(deps.clock.now()))
    return { written, queued: ids.map((jobId, at) => ({ jobId, documentId: bare[at]! })) }
  })
}

/** Whether somebody gave or wrote questions of it already. */
function isAsked({ parts }: ExportedDocument): boolean {
  return parts.some(({ cues }) => cues.some(({ kind }) => kind === 'question'))
}

interface PreparedVersion extends DerivedVersion {
  readonly textHash: string
  readonly ids: readonly number[]
  readonly terms: ReturnType<typeof analyseAhead>
}

async function commitVersion(
  tx: Queryable,
  { store, clock }: RetainDeps,
  { exported, chunks, textHash, ids, terms }: PreparedVersion,
  spool: VectorSpool,
): Promise<WrittenVersion & { readonly documentId: number | null }> {
  const { bankId } = store
  if (await isThere(tx, bankId, exported)) return { status: 'unchanged', chunks: 0, documentId: null }
  const current = await findCurrentDocument(tx, bankId, exported.source)
  const later = (await listVersions(tx, bankId, exported.source)).filter(
    ({ version }) => version > exported.version,
  )
  const asExported = documentOf(exported, chunks, later.at(-1) ?? null)
  const ends = asExported.state !== 'superseded' && current !== null && current.version < asExported.version
  const document = ends ? after(current, asExported) : asExported
  const closed = ends ? [current.documentId] : []
  for (const id of closed) await closeDocument(tx, bankId, id, 'superseded', document.validFrom)
  await cancelEnrichment(tx, bankId, closed, new Date(clock.now()))
  const documentId = await insertDocument(tx, bankId, document, textHash)
  await writeChunks(tx, bankId, place(chunks.cut, ids, documentId))
  await writeActivity(tx, bankId, activityOf(exported, chunks, ids))
  await writeEnrichments(tx, bankId, importedEnrichments(document, exported.parts, { chunks, ids }))
  await writeDerived(tx, writeTarget({ store, clock }), place(chunks, ids, documentId), spool)
  await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, closed))
  await writeTermSlices(tx, bankId, [terms])
  if (document.state !== 'current') await retireTerms(tx, bankId, ids)
  return {
    status: 'written',
    chunks: chunks.length,
    documentId: document.state === 'current' ? documentId : null,
  }
}

/** A version that ends another one begins after that did: both stay to be seen as of some time. */
function after(current: Document, document: NewDocument): NewDocument {
  const { validFrom: occurredAt, retainedAt, validTo } = document
  const validFrom = startOfVersion({ occurredAt, retainedAt }, current)
  return { ...document, validFrom, validTo: validTo !== null && validTo < validFrom ? validFrom : validTo }
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
