import { readdir } from 'node:fs/promises'
import { TRACE_TYPES } from '../../src/observability/trace.ts'
import type { Database, Queryable, SqlValue } from '../../src/store/database.ts'
import * as activity from '../../src/store/queries/activity.ts'
import * as askedQuestions from '../../src/store/queries/asked-questions.ts'
import * as bankSpaces from '../../src/store/queries/bank-spaces.ts'
import * as banks from '../../src/store/queries/banks.ts'
import * as candidateChunks from '../../src/store/queries/candidate-chunks.ts'
import * as chunkIdQueries from '../../src/store/queries/chunk-ids.ts'
import * as chunks from '../../src/store/queries/chunks.ts'
import * as cues from '../../src/store/queries/cues.ts'
import * as deleteDocuments from '../../src/store/queries/delete-documents.ts'
import * as derivedLock from '../../src/store/queries/derived-lock.ts'
import * as documentMatches from '../../src/store/queries/document-matches.ts'
import * as documents from '../../src/store/queries/documents.ts'
import * as draftChunks from '../../src/store/queries/draft-chunks.ts'
import * as embedJobs from '../../src/store/queries/embed-jobs.ts'
import * as enrichments from '../../src/store/queries/enrichments.ts'
import * as entities from '../../src/store/queries/entities.ts'
import * as filterCheck from '../../src/store/queries/filter-check.ts'
import * as filterReach from '../../src/store/queries/filter-reach.ts'
import * as filteredDocuments from '../../src/store/queries/filtered-documents.ts'
import * as forgetChunks from '../../src/store/queries/forget-chunks.ts'
import * as forgetReceipts from '../../src/store/queries/forget-receipts.ts'
import * as forgetTrace from '../../src/store/queries/forget-trace.ts'
import * as formulationCounts from '../../src/store/queries/formulation-counts.ts'
import * as integrity from '../../src/store/queries/integrity.ts'
import * as jobLeases from '../../src/store/queries/job-leases.ts'
import * as jobs from '../../src/store/queries/jobs.ts'
import * as lexicalMatches from '../../src/store/queries/lexical-matches.ts'
import * as lexicalSearch from '../../src/store/queries/lexical-search.ts'
import * as lexicalWrite from '../../src/store/queries/lexical-write.ts'
import * as missingVectors from '../../src/store/queries/missing-vectors.ts'
import * as modelUsage from '../../src/store/queries/model-usage.ts'
import * as receipts from '../../src/store/queries/receipts.ts'
import * as rederiveChunks from '../../src/store/queries/rederive-chunks.ts'
import * as sampleVectors from '../../src/store/queries/sample-vectors.ts'
import * as spaces from '../../src/store/queries/spaces.ts'
import * as statistics from '../../src/store/queries/statistics.ts'
import * as sweep from '../../src/store/queries/sweep.ts'
import * as termStatistics from '../../src/store/queries/term-statistics.ts'
import * as traceCounts from '../../src/store/queries/trace-counts.ts'
import * as tracePrune from '../../src/store/queries/trace-prune.ts'
import * as traceRead from '../../src/store/queries/trace-read.ts'
import * as traceWrite from '../../src/store/queries/trace-write.ts'
import * as vacuumForgotten from '../../src/store/queries/vacuum-forgotten.ts'
import * as vectorIndexes from '../../src/store/queries/vector-indexes.ts'
import * as vectorsSearch from '../../src/store/queries/vectors-search.ts'
import * as vectorsWrite from '../../src/store/queries/vectors-write.ts'
import * as versionStart from '../../src/store/queries/version-start.ts'
import { everyTraceEvent } from '../support/trace-events.ts'
import { NOW, numbers, type TestBank, termsOf, unitVector, writeDocumentIn } from './store-fixture.ts'

export interface RecordedStatement {
  readonly sql: string
  readonly params: readonly SqlValue[]
}

/** A database that notes every statement with its parameters, also those of transactions. */
export function recordStatements(database: Database, into: RecordedStatement[]): Database {
  const note = <Q extends Queryable>(q: Q): Q => ({
    ...q,
    query: (sql, params = [], options) => {
      into.push({ sql, params })
      return q.query(sql, params, options)
    },
    execute: (sql, params = [], options) => {
      into.push({ sql, params })
      return q.execute(sql, params, options)
    },
    copy: (table, columns, rows, options) => q.copy(table, columns, rows, options),
  })
  return {
    ...note(database),
    engine: database.engine,
    transaction: (work, options) => database.transaction((tx) => work(note(tx)), options),
    script: (sql) => database.script(sql),
    dump: () => database.dump(),
    maintain: () => database.maintain(),
    close: () => database.close(),
    describe: () => database.describe(),
  }
}

const MODULES = {
  ...activity,
  ...askedQuestions,
  ...bankSpaces,
  ...banks,
  ...candidateChunks,
  ...chunkIdQueries,
  ...chunks,
  ...cues,
  ...deleteDocuments,
  ...derivedLock,
  ...documentMatches,
  ...documents,
  ...enrichments,
  ...embedJobs,
  ...draftChunks,
  ...entities,
  ...filterCheck,
  ...filterReach,
  ...filteredDocuments,
  ...forgetChunks,
  ...forgetReceipts,
  ...forgetTrace,
  ...jobLeases,
  ...jobs,
  ...lexicalMatches,
  ...modelUsage,
  ...termStatistics,
  ...lexicalSearch,
  ...lexicalWrite,
  ...missingVectors,
  ...receipts,
  ...rederiveChunks,
  ...sampleVectors,
  ...spaces,
  ...statistics,
  ...traceCounts,
  ...formulationCounts,
  ...tracePrune,
  ...traceRead,
  ...traceWrite,
  ...sweep,
  ...vacuumForgotten,
  ...vectorIndexes,
  ...vectorsSearch,
  ...vectorsWrite,
  ...versionStart,
}

/** Exports that run no statement on a bank's rows: SQL fragments, the catalogue, the tables of banks and spaces. */
const EXEMPT: ReadonlySet<string> = new Set([
  'documentFromRow',
  'jobFromRow',
  'passesExpression',
  'passingChunks',
  'spaceTablesDdl',
  'findBank',
  'listBanks',
  'insertBank',
  'updateBankSettings',
  'ensureSpace',
  'listSpaces',
  'listCodeIndexes',
  'dropCodeIndexes',
  'cueTextHash',
])

/** Files whose exports are no queries of a bank (fragments of SQL, benchmarks), or reach it through `integrity.ts`. */
const OTHER_FILES: ReadonlySet<string> = new Set([
  'entity-norm.ts',
  'filter-sql.ts',
  'integrity-documents.ts',
  'integrity-jobs.ts',
  'integrity-lexical.ts',
  'integrity-questions.ts',
  'integrity-vectors.ts',
  'integrity.ts',
  'read-snapshot.ts',
  'parameters.ts',
  'question-key.ts',
  'plain-baselines.ts',
  'space-tables.ts',
  'trace-tables.ts',
  'vector-code.ts',
  'vector-search-sql.ts',
  'vector-sql.ts',
])

/** Names of exported queries that `runEveryQuery` did not call, and of files that it does not know. */
export async function forgottenQueries(called: ReadonlySet<string>): Promise<string[]> {
  const files = await readdir(new URL('../../src/store/queries', import.meta.url))
  const known = new Set<unknown>(Object.values(MODULES))
  const missing: string[] = []
  for (const file of files.filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !OTHER_FILES.has(name),
  )) {
    const module: Record<string, unknown> = await import(
      /* @vite-ignore */ new URL(`../../src/store/queries/${file}`, import.meta.url).href
    )
    for (const [name, value] of Object.entries(module)) {
      if (typeof value === 'function' && !EXEMPT.has(name) && (!known.has(value) || !called.has(name))) {
        missing.push(`${file}: ${name}`)
      }
    }
  }
  return missing
}

/** Calls every query of a bank on `database` (usually a recording one). The bank must be empty; it is gone afterwards. */
export async function runEveryQuery(database: Database, bank: TestBank): Promise<ReadonlySet<string>> {
  const called = new Set<string>()
  const q = new Proxy(MODULES, {
    get: (target, name, receiver) => {
      called.add(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  const { bankId, space } = bank
  const random = numbers(9)
  const cue = (text: string) => [{ kind: 'statement' as const, text }]
  const write = (source: string, text: string) =>
    database.transaction((tx) =>
      writeDocumentIn(
        tx,
        bank,
        {
          source,
          chunks: [0, 1, 2].map((n) => ({
            text: `${text} number ${n}`,
            speaker: 'Ann',
            mentions: ['Bob'],
            cues: cue(text),
          })),
        },
        random,
      ),
    )
  // The fixture calls these by their own imports.
  for (const name of [
    'insertDocument',
    'copyChunks',
    'copyCues',
    'writeMentions',
    'copyVectors',
    'writeTerms',
    'lockDerived',
    'reserveChunkIds',
  ]) {
    called.add(name)
  }
  const first = await write('a/one', 'walnut harbour')
  const second = await write('a/one', 'walnut lantern')
  const third = await write('b/two', 'granite bridge')
  const ids = [...first.chunkIds, ...second.chunkIds]
  const [id] = ids
  if (id === undefined) throw new Error('nothing was written')
  const filter = {
    tags: { any: ['x'], none: ['y'] },
    where: { a: 1 },
    during: { from: NOW, to: NOW },
    source: 'a/',
    minTrust: 'tool' as const,
    people: ['Ann'],
  }
  const vectors = [unitVector(random), unitVector(random)]
  const terms = termsOf('walnut lantern granite').map((term) => ({ term, weight: 1 }))

  for (const some of [{}, filter, { asOf: NOW }]) {
    await q.isNarrow(database, bankId, some)
    await q.firstPlan(database, bankId, some)
    await q.chunksThatPass(database, bankId, some, ids)
    await q.filteredDocuments(database, bankId, some, { after: 0, limit: 5 })
    await q.searchLexical(database, bankId, { field: 0, terms, filter: some, limit: 1 })
    await q.searchLexicalFields(
      database,
      bankId,
      [
        { field: 0, terms },
        { field: 1, terms },
      ],
      {
        ...{ filter: some, limit: 5 },
        statistics: await q.termStatistics(
          database,
          bankId,
          terms.map(({ term }) => term),
        ),
      },
    )
    for (const kinds of [['content'], ['window', 'statement']] as const)
      await q.searchVectorKinds(database, bankId, space, { vectors, kinds, filter: some, limit: 5 })
    await q.searchPeople(database, bankId, {
      entityIds: (await q.peopleOfBank(database, bankId)).map((p) => p.entityId),
      filter: some,
      limit: 5,
    })
  }
  await q.lexicalMatches(database, bankId, { termIds: [1, 2], chunkIds: ids, radius: 1 })
  await q.scoreVectors(database, bankId, space, { vectors, kinds: ['content', 'window'], chunkIds: ids })
  await q.vectorsOfChunks(database, bankId, space, ids, 'content')
  await q.vectorsByHash(database, bankId, space, ['00'.repeat(16)])
  await q.mentionsOfChunks(database, bankId, ids)
  await q.activityOf(database, bankId, ids)
  await q.cuesOfChunks(database, bankId, ids)
  await q.chunksAsked(database, bankId, { questions: ['When?'], filter: {}, limit: 5 })
  await q.cueTexts(database, bankId, [{ chunkId: id, kind: 'question', ordinal: 0 }])
  await q.chunksByIds(database, bankId, ids)
  await q.candidateChunks(database, bankId, { chunkIds: ids, withText: true, withEnriched: true })
  await q.currentChunkCount(database, bankId)
  await q.hasEnriched(database, bankId)
  await q.documentStatistics(database, bankId)
  await q.documentMatches(database, bankId, { termIds: [1, 2], chunkIds: ids })
  await q.addModelUsage(database, bankId, {
    ...{ day: '2026-03-04', modelId: 'm', purpose: 'questions' },
    ...{ calls: 1, inputTokens: 2, outputTokens: 3, costUsd: 0.5 },
  })
  await q.modelSpendingOf(database, bankId, '2026-03-04')
  await q.modelUsageOf(database, bankId, '2026-03-04')
  await q.kindsOfBank(database, bankId, space)
  await q.chunkByRef(database, bankId, { source: 'a/one', ordinal: 0 })
  await q.chunkByRef(database, bankId, { source: 'a/one', version: 1, ordinal: 0 })
  await q.chunksOfDocument(database, bankId, second.documentId)
  await q.chunksFrom(database, bankId, second.documentId, 1, 2)
  await q.neighbourChunks(database, bankId, second.documentId, 1, 1, 1)
  await q.chunkIdsOfDocuments(database, bankId, [second.documentId])
  await q.chunksOfSameText(database, bankId, id)
  await q.findCurrentDocument(database, bankId, 'a/one')
  await q.findDocument(database, bankId, second.documentId)
  await q.findDocumentAsOf(database, bankId, 'a/one', NOW)
  await q.findDocumentIds(database, bankId, { source: 'a/one', sourcePrefix: 'a', tag: 't' })
  await q.latestVersion(database, bankId, 'a/one')
  await q.listDocuments(database, bankId, { sourcePrefix: 'a', tag: 't', after: '0' })
  await q.listVersions(database, bankId, 'a/one')
  await q.documentText(database, bankId, second.documentId)
  await q.documentsWithoutVectors(database, bankId, space)
  await q.countMissingVectors(database, bankId, space)
  await q.strayCueVectors(database, bankId, space)
  await q.spaceStates(database, bankId)
  const keys = await q.vectorKeys(database, bankId, space, ids)
  await q.bankStatistics(database, bankId)
  await q.sampleChunks(database, bankId, { count: 5, seed: 1 })
  await q.activeSpace(database, bankId)
  await q.shadowSpace(database, bankId)
  await q.bankStanding(database, bankId)
  await q.spacesOfBank(database, bankId)
  await database.transaction(async (tx) => {
    await q.lockSource(tx, bankId, 'a/one')
    await q.setActiveSpace(tx, bankId, space.spaceId)
    const inLine = { spaceId: space.spaceId, now: NOW }
    await q.enqueueEmbedding(tx, bankId, [third.documentId], inLine)
    await q.embeddingLine(tx, bankId, [space.spaceId])
    await q.retryEmbedding(tx, bankId, space.spaceId, NOW)
    await q.cancelEmbedding(tx, bankId, space.spaceId, NOW)
    await q.joinSpace(tx, bankId, space.spaceId, { now: NOW, settings: {} })
    await q.deleteVectorsAt(tx, bankId, space, keys.slice(0, 1))
    await q.recordUse(tx, bankId, ids, NOW)
    await q.writeActivity(tx, bankId, [
      { chunkId: id, significance: 1, uses: 1, lastUsedAt: NOW, pinned: true },
    ])
    await q.insertReceipts(tx, bankId, [
      {
        receiptId: 'r',
        kind: 'recall',
        createdAt: NOW,
        request: {},
        degraded: [],
        tookMs: 1,
        passages: [{ rank: 1, chunkId: id, score: 1 }],
      },
    ])
    const events = everyTraceEvent({ documentId: second.documentId, receiptId: 'r' })
    await q.insertTrace(tx, bankId, events)
    await q.tailTrace(tx, bankId, { types: TRACE_TYPES, after: null, limit: 5 })
    await q.tailTrace(tx, bankId, { types: TRACE_TYPES, after: 'a', limit: 5 })
    await q.eventsOfTrace(tx, bankId, 't')
    await q.traceOfReceipt(tx, bankId, 'r')
    await q.traceCounts(tx, bankId, NOW)
    await q.formulationCounts(tx, bankId, NOW)
    await q.traceExtent(tx, bankId)
    await q.blankTelling(tx, bankId, () => false)
    await q.blankTracesOfReceipts(tx, bankId, ['r'])
    await q.blankTraces(tx, bankId, ['t'])
    await q.forgetInTrace(tx, bankId, { documentIds: [second.documentId], chunkIds: [id], whole: true })
    await q.deleteTraceBefore(tx, bankId, NOW)
    await q.deleteTraceOver(tx, bankId, 0)
    await q.deleteTrace(tx, bankId)
    await q.findReceipt(tx, bankId, 'r')
    await q.latestRequests(tx, bankId, 5)
    await q.recordReceiptUse(tx, bankId, 'r', [{ chunkId: id, used: 'cited' }], NOW)
    await q.blankRequests(tx, bankId, ['r'])
    await q.forgetInReceipts(tx, bankId, [id])
    await q.deleteReceiptsBefore(tx, bankId, NOW)
    await q.deleteReceipts(tx, bankId)
    const document = await q.findDocument(tx, bankId, third.documentId)
    if (document === null) throw new Error('a document is lost')
    await q.updateDocumentLabels(tx, bankId, third.documentId, document)
    q.startOfVersion(document, await q.versionBefore(tx, bankId, document.source, document.version))
    await q.moveStart(tx, bankId, document)
    await q.updateDocumentExtent(tx, bankId, third.documentId, document)
    const drafts = await q.chunksOfDocument(tx, bankId, third.documentId)
    await q.updateChunkDrafts(
      tx,
      bankId,
      drafts.map((draft) => ({ chunkId: draft.chunkId, draft, tokens: 1 })),
    )
    await q.deleteVectorsAt(tx, bankId, space, [
      { chunkId: third.chunkIds[0]!, kind: 'statement', ordinal: 0 },
    ])
    await q.deleteCues(tx, bankId, third.chunkIds, ['rules'])
    const enrichment = { chunkId: id, inputHash: '00'.repeat(16), modelId: 'm', prompt: 'p', madeAt: NOW }
    await q.writeEnrichments(tx, bankId, [{ ...enrichment, written: 1, kept: 1 }])
    await q.enrichmentsOfChunks(tx, bankId, ids)
    await q.enrichmentsByInput(tx, bankId, [enrichment.inputHash])
    await q.standingChunks(tx, bankId, second.documentId, second.chunkIds)
    await q.writableDocuments(tx, bankId, { missing: true })
    await q.writableDocuments(tx, bankId, { source: 'a/one', missing: false })
  })
  const claim = { root: '/r', sourcePrefix: '', holder: 'me', now: NOW, until: NOW, instead: 'you' }
  const swept = await q.claimSweepRoot(database, bankId, claim)
  if (swept === null) throw new Error('the folder is another one’s')
  const { rootId } = swept
  const seen = {
    size: 1,
    modifiedMs: 1.5,
    inode: '1',
    contentHash: 'h',
    problem: null,
    reason: null,
    missing: 0,
  }
  await q.sweepRootsOf(database, bankId, '/r')
  await q.recordSweepPass(database, bankId, rootId, { at: NOW, error: null, device: '1', labels: null })
  await q.writeSweptFiles(database, bankId, rootId, [{ path: 'a', ...seen, changedAt: NOW }])
  await q.sweptFiles(database, bankId, rootId)
  await q.listSweepRoots(database, bankId)
  await q.deleteSweptFiles(database, bankId, rootId, ['a'])
  await q.deleteSweptSources(database, bankId, ['a'])
  await q.renameSource(database, bankId, 'no/such', 'no/other')
  await q.releaseSweepRoot(database, bankId, rootId, 'me')
  await q.deleteSweepRoots(database, bankId)
  const [jobId = 0] = await q.enqueueJobs(
    database,
    bankId,
    [
      { kind: 'enrich', documentId: third.documentId },
      { kind: 'embed', documentId: null },
    ],
    NOW,
  )
  const selector = {
    ...{ state: 'waiting' as const, kind: 'enrich' as const, source: 'b/two', sourcePrefix: 'b/' },
    documentIds: [third.documentId],
  }
  for (const which of [selector, { jobId }]) {
    await q.listJobs(database, bankId, { ...which, limit: 5, before: jobId + 1 })
    await q.unfinishedJobs(database, bankId, which)
    await q.cancelJobs(database, bankId, which, NOW)
    await q.retryJobs(database, bankId, { ...which, state: 'cancelled' }, NOW)
  }
  await q.jobsByIds(database, bankId, [jobId])
  await q.countJobs(database, bankId)
  const held = { jobId, claim: 'w#1', spent: { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 } }
  await q.claimJobs(database, bankId, {
    ...{ kinds: ['enrich'], claim: held.claim, limit: 2, now: NOW, leaseUntil: NOW },
  })
  await q.extendLease(database, bankId, { ...held, leaseUntil: NOW, result: {} })
  await q.endAttempt(database, bankId, {
    ...{ ...held, state: 'waiting', attempts: 1, runAfter: NOW, finishedAt: null },
    ...{ errorCode: null, error: null, result: {} },
  })
  await q.cancelEnrichment(database, bankId, [third.documentId], NOW)
  await q.deleteJobsBefore(database, bankId, NOW)
  for (const check of integrity.INTEGRITY_CHECKS) {
    await check.count(database, bank)
    await check.documents?.(database, bank)
    await check.mend?.(database, bank)
  }
  await q.buildIndexes(database, space, { bankId, mostWaiting: 2 })
  await q.someDocuments(database, bankId, { limit: 2, mostChunks: 9 })
  await q.vectorsAt(database, bankId, space, [{ chunkId: id, kind: 'content', ordinal: 0 }])
  await q.vacuumForgotten(database, 0)
  await q.buildEveryIndex(database, { bankId, mostWaiting: 2 })
  const request = { vectors, kinds: ['content' as const], filter: {}, limit: 5 }
  await q.searchVectorKinds(database, bankId, space, request)
  await database.transaction(async (tx) => {
    await q.closeDocument(tx, bankId, third.documentId, 'deleted', NOW)
    await q.retireTerms(tx, bankId, third.chunkIds)
    await q.deleteMentions(tx, bankId, third.chunkIds)
    await q.deleteVectors(tx, bankId, space, third.chunkIds)
    await q.deleteTerms(tx, bankId, third.chunkIds, { counted: false })
    await q.deleteChunks(tx, bankId, third.chunkIds)
    await q.noteForgottenChunks(tx, bankId, [third.documentId], 'a chunk was forgotten')
    await q.deleteDocuments(tx, bankId, [second.documentId, third.documentId])
    await q.emptySpace(tx, bankId, space)
    await q.leaveSpace(tx, bankId, space)
    await q.deleteBank(tx, bankId)
  })
  return called
}
