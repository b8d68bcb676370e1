import type { Analyser } from '../domain/analysis/analyser.ts'
import type { Document } from '../domain/document.ts'
import type { QueuedJob } from '../domain/jobs.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { reserveChunkIds } from '../store/queries/chunks.ts'
import {
  closeDocument,
  findCurrentDocument,
  insertDocument,
  latestVersion,
  lockSource,
  type NewDocument,
} from '../store/queries/documents.ts'
import { cancelEnrichment } from '../store/queries/job-leases.ts'
import { enqueueJobs } from '../store/queries/jobs.ts'
import { retireTerms } from '../store/queries/lexical-write.ts'
import { startOfVersion, type VersionBefore, versionBefore } from '../store/queries/version-start.ts'
import type { WritePlan } from './plan.ts'
import type { EnrichmentLine } from './retain-deps.ts'
import { keptTextHash } from './text-hash.ts'
import type { VectorSpool } from './vector-spool.ts'
import {
  analyseAhead,
  joined,
  place,
  writeChunks,
  writeDerived,
  writeTarget,
  writeTermSlices,
} from './write-derived.ts'

export interface Committed {
  readonly document: Document
  readonly chunks: number
  readonly cues: number
  readonly vectors: number
  /** Jobs that were put in line for it. */
  readonly jobs: number
}

export interface CommitDeps {
  readonly store: BankStore
  readonly analyser: Analyser
  readonly clock: Clock
  readonly enrichment: EnrichmentLine | null
}

/**
 * Writes new versions in one transaction: all or none. A plan whose source has got another current document since is left
 * out and given back as null, to be planned anew.
 */
export async function commitPlans(
  deps: CommitDeps,
  plans: readonly WritePlan[],
  spool: VectorSpool,
): Promise<readonly (Committed | null)[]> {
  const { database, bankId } = deps.store
  const total = plans.reduce((sum, plan) => sum + plan.derived.chunks.length, 0)
  // ids and terms are found outside: the transaction is to be short
  const chunkIds = await reserveChunkIds(database, total)
  const prepared = plans.map((plan) =>
    prepare(plan, chunkIds.splice(0, plan.derived.chunks.length), deps.analyser),
  )
  const { committed, queued } = await database.transaction(async (tx) => {
    for (const source of plans.map((plan) => plan.source).sort()) await lockSource(tx, bankId, source)
    const versions: (Document | null)[] = []
    for (const one of prepared) versions.push(await replaceCurrent(tx, deps, one))
    const written = prepared.flatMap((one, at) => {
      const document = versions[at]
      return document === null || document === undefined ? [] : [{ ...one, document }]
    })
    // all documents together: one COPY of a kind for many small ones
    await writeChunks(
      tx,
      bankId,
      joined(
        written.map(({ plan, chunkIds: ids, document }) =>
          place(plan.derived.chunks.cut, ids, document.documentId),
        ),
      ),
    )
    const counts = await writeDerived(
      tx,
      writeTarget(deps),
      joined(
        written.map(({ plan, chunkIds: ids, document }) =>
          place(plan.derived.chunks, ids, document.documentId),
        ),
      ),
      spool,
    )
    const closed = written.flatMap(({ plan }) => (plan.previous === null ? [] : [plan.previous.documentId]))
    await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, closed))
    await writeTermSlices(
      tx,
      bankId,
      written.map((one) => one.terms),
    )
    const jobs = await putInLine(tx, deps, written, closed)
    return {
      queued: jobs,
      committed: versions.map((document, at) => {
        if (document === null) return null
        const { documentId } = document
        const { cues = 0, vectors = 0 } = counts.get(documentId) ?? {}
        const ofIt = jobs.filter((job) => job.documentId === documentId).length
        return { document, chunks: plans[at]!.derived.chunks.length, cues, vectors, jobs: ofIt }
      }),
    }
  })
  if (queued.length > 0) deps.enrichment?.queued(deps.store, queued)
  return committed
}

/** One job for each new version that a model is to write questions of; what was in line for the versions before ends. */
async function putInLine(
  tx: Queryable,
  { store, clock }: CommitDeps,
  written: readonly { readonly plan: WritePlan; readonly document: Document }[],
  closed: readonly number[],
): Promise<readonly QueuedJob[]> {
  const now = new Date(clock.now())
  await cancelEnrichment(tx, store.bankId, closed, now)
  const enriched = written.filter(({ plan }) => plan.enrich)
  const jobs = enriched.map(({ plan, document }) => ({
    kind: 'enrich' as const,
    documentId: document.documentId,
    traceId: plan.traceId,
    ...(plan.prompts === undefined ? {} : { payload: { prompts: plan.prompts } }),
  }))
  const ids = await enqueueJobs(tx, store.bankId, jobs, now)
  return ids.map((jobId, at) => ({ jobId, documentId: jobs[at]!.documentId }))
}

interface Prepared {
  readonly plan: WritePlan
  readonly textHash: string
  readonly chunkIds: readonly number[]
  readonly terms: ReturnType<typeof analyseAhead>
}

function prepare(plan: WritePlan, chunkIds: readonly number[], analyser: Analyser): Prepared {
  const { chunks } = plan.derived
  // the document's id is not known yet, and no term has it
  const textHash = keptTextHash(chunks.cut)
  return {
    plan,
    textHash,
    chunkIds,
    terms: analyseAhead(place(chunks, chunkIds, 0), chunks.length, analyser),
  }
}

/** Closes the current version and inserts the new one; null when the current one is not that of the plan. */
async function replaceCurrent(
  tx: Queryable,
  deps: CommitDeps,
  { plan, textHash }: Prepared,
): Promise<Document | null> {
  const { bankId } = deps.store
  const current = await findCurrentDocument(tx, bankId, plan.source)
  if ((current?.documentId ?? null) !== (plan.previous?.documentId ?? null)) return null
  const version = (await latestVersion(tx, bankId, plan.source)) + 1
  const before = await versionBefore(tx, bankId, plan.source, version)
  const document = newDocument(plan, version, new Date(deps.clock.now()), before)
  if (current !== null) await closeDocument(tx, bankId, current.documentId, 'superseded', document.validFrom)
  return { ...document, documentId: await insertDocument(tx, bankId, document, textHash) }
}

function newDocument(plan: WritePlan, version: number, now: Date, before: VersionBefore | null): NewDocument {
  const { extracted, labels, derived } = plan
  return {
    source: plan.source,
    version,
    state: 'current',
    contentHash: plan.hash,
    mediaType: extracted.mediaType,
    format: extracted.format,
    codeLanguage: extracted.codeLanguage,
    ...labels,
    retainedAt: now,
    validFrom: startOfVersion({ occurredAt: labels.occurredAt, retainedAt: now }, before),
    validTo: null,
    byteLength: derived.chunks.spans.at(-1)?.endByte ?? 0,
    chunkCount: derived.chunks.length,
    notes: plan.notes,
  }
}
