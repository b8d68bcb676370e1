import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { recordUse } from '../../src/store/queries/activity.ts'
import { deleteBank } from '../../src/store/queries/banks.ts'
import { deleteDocuments } from '../../src/store/queries/delete-documents.ts'
import { closeDocument } from '../../src/store/queries/documents.ts'
import { INTEGRITY_CHECKS } from '../../src/store/queries/integrity.ts'
import { retireTerms } from '../../src/store/queries/lexical-write.ts'
import { findReceipt, insertReceipts } from '../../src/store/queries/receipts.ts'
import { ensureSpace, setActiveSpace } from '../../src/store/queries/spaces.ts'
import { buildIndexes } from '../../src/store/queries/vector-indexes.ts'
import { copyVectors } from '../../src/store/queries/vectors-write.ts'
import {
  describeStores,
  makeBank,
  NOW,
  numbers,
  type OpenedStore,
  unitVector,
  type WrittenDocument,
  writeDocument,
} from './store-fixture.ts'

/** Every table of the schema that has a row with this text in any column, or this id in a column of that name. */
async function tablesThatHold(
  database: Database,
  wanted: { readonly text?: string; readonly column?: string; readonly id?: number },
): Promise<string[]> {
  const tables = await database.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = current_schema() and table_name in (
       select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE')
     group by table_name order by 1`,
  )
  const holding: string[] = []
  for (const { name, columns } of tables) {
    if (wanted.column !== undefined && !columns.includes(wanted.column)) continue
    const condition =
      wanted.column === undefined ? 'position($1 in lower(r::text)) > 0' : `r."${wanted.column}" = $1`
    const rows = await database.query<{ n: number }>(
      `select count(*) as n from "${name}" r where ${condition}`,
      [wanted.column === undefined ? wanted.text!.toLowerCase() : wanted.id!],
    )
    if (rows[0]!.n > 0) holding.push(name)
  }
  return holding
}

describeStores('deletion', (open) => {
  let store: OpenedStore
  let database: Database

  beforeAll(async () => {
    store = await open()
    database = store.database
  })
  afterAll(() => store.close())

  test('what is deleted is in no table any more, in no space, whatever its state', async () => {
    const bank = await makeBank(database, 'forgetful')
    const random = numbers(3)
    const secret = (text: string) => ({
      source: 'zanzibar-diary',
      tags: ['quokka'],
      metadata: { place: 'zanzibar' },
      chunks: [
        {
          text: `The quokka of Zanzibar ${text}`,
          speaker: 'Quentin Zanzibar',
          cues: [{ kind: 'question' as const, text: 'Where is the quokka?' }],
        },
        { text: 'Ordinary harbour', mentions: ['Carol'] },
      ],
    })
    const old = await writeDocument(database, bank, secret('slept'), random)
    const current = await writeDocument(database, bank, secret('woke'), random)
    const removed = await writeDocument(database, bank, { ...secret('left'), source: 'zanzibar-two' }, random)
    await database.transaction(async (tx) => {
      await closeDocument(tx, bank.bankId, removed.documentId, 'deleted', NOW)
      await retireTerms(tx, bank.bankId, removed.chunkIds)
    })
    const kept = await writeDocument(
      database,
      bank,
      { source: 'kept', chunks: [{ text: 'Ordinary harbour lights', mentions: ['Carol'] }] },
      random,
    )
    const doomed: WrittenDocument[] = [old, current, removed]
    const chunkIds = doomed.flatMap((document) => document.chunkIds)
    // A second space, and an index over the first.
    const shadow = await ensureSpace(database, { modelId: 'other-model', dimension: 16, now: NOW })
    await database.transaction(async (tx) => {
      await setActiveSpace(tx, bank.bankId, shadow.spaceId)
      await setActiveSpace(tx, bank.bankId, bank.space.spaceId)
      await copyVectors(
        tx,
        bank.bankId,
        shadow,
        [...chunkIds, ...kept.chunkIds].map((chunkId) => ({
          chunkId,
          kind: 'content' as const,
          ordinal: 0,
          textHash: chunkId.toString(16).padStart(32, '0'),
          vector: unitVector(random, 16),
        })),
      )
      await recordUse(tx, bank.bankId, [...chunkIds, ...kept.chunkIds], NOW)
      await insertReceipts(tx, bank.bankId, [
        {
          receiptId: 'asked',
          kind: 'recall',
          createdAt: NOW,
          request: { message: 'who sleeps?' },
          degraded: [],
          tookMs: 1,
          passages: [...chunkIds, ...kept.chunkIds].map((chunkId, i) => ({
            rank: i + 1,
            chunkId,
            score: 1 / (i + 1),
          })),
        },
      ])
    })
    await buildIndexes(database, bank.space, { mostWaiting: 2 })
    expect(await tablesThatHold(database, { text: 'quokka' })).toEqual([
      'chunks',
      'cues',
      'documents',
      'terms',
    ])
    expect(await tablesThatHold(database, { column: 'chunk_id', id: current.chunkIds[0]! })).toEqual([
      'activity',
      `bits_${bank.space.spaceId}`,
      `bits_${shadow.spaceId}`,
      'chunk_terms',
      'chunks',
      'cues',
      'mentions',
      'postings',
      'receipt_passages',
      `vectors_${bank.space.spaceId}`,
      `vectors_${shadow.spaceId}`,
    ])

    const gone = await database.transaction((tx) =>
      deleteDocuments(tx, bank.bankId, [...doomed.map((document) => document.documentId), 10 ** 12]),
    )
    expect(gone).toEqual({ documents: 3, chunks: 6 })
    for (const text of ['quokka', 'zanzibar', 'quentin'])
      expect(await tablesThatHold(database, { text })).toEqual([])
    for (const id of chunkIds) expect(await tablesThatHold(database, { column: 'chunk_id', id })).toEqual([])
    for (const { documentId } of doomed) {
      expect(await tablesThatHold(database, { column: 'document_id', id: documentId })).toEqual([])
    }
    // What was not named is untouched: the other document, the person it names, and the question that was asked.
    expect(await tablesThatHold(database, { text: 'carol' })).toEqual(['entities'])
    expect((await findReceipt(database, bank.bankId, 'asked'))?.passages.map((p) => p.chunkId)).toEqual(
      kept.chunkIds,
    )
    for (const space of [bank.space, shadow]) {
      for (const check of INTEGRITY_CHECKS) {
        expect([check.name, await check.count(database, { bankId: bank.bankId, space })]).toEqual([
          check.name,
          0,
        ])
      }
    }
  })

  test('a deleted bank leaves nothing, and others whole', async () => {
    const [doomed, other] = [await makeBank(database, 'doomed'), await makeBank(database, 'other')]
    for (const bank of [doomed, other]) {
      await writeDocument(database, bank, {
        source: 's',
        chunks: [
          { text: 'aardvark', mentions: ['Carol'], cues: [{ kind: 'statement', text: 'an aardvark' }] },
          { text: 'badger' },
          { text: 'civet' },
        ],
      })
    }
    await buildIndexes(database, doomed.space, { mostWaiting: 1 })
    const before = await tablesThatHold(database, { column: 'bank_id', id: other.bankId })
    expect(await database.transaction((tx) => deleteBank(tx, doomed.bankId))).toBe(true)
    expect(await tablesThatHold(database, { column: 'bank_id', id: doomed.bankId })).toEqual([])
    expect(await tablesThatHold(database, { column: 'bank_id', id: other.bankId })).toEqual(before)
    const indexes = await database.query<{ name: string }>(
      `select relname as name from pg_class where relname like '%hnsw_' || $1::integer || '_%'`,
      [doomed.bankId],
    )
    expect(indexes).toEqual([])
  })
})
