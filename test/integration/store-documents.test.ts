import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { activityOf, recordUse, writeActivity } from '../../src/store/queries/activity.ts'
import {
  deleteBank,
  findBank,
  insertBank,
  listBanks,
  updateBankSettings,
} from '../../src/store/queries/banks.ts'
import { chunkByRef, chunksByIds, chunksOfDocument, neighbourChunks } from '../../src/store/queries/chunks.ts'
import { cuesOfChunks } from '../../src/store/queries/cues.ts'
import {
  documentText,
  findCurrentDocument,
  findDocument,
  findDocumentAsOf,
  latestVersion,
  listDocuments,
  listVersions,
  updateDocumentLabels,
} from '../../src/store/queries/documents.ts'
import { mentionsOfChunks } from '../../src/store/queries/entities.ts'
import {
  deleteReceiptsBefore,
  findReceipt,
  insertReceipts,
  recordReceiptUse,
} from '../../src/store/queries/receipts.ts'
import { activeSpace, ensureSpace, setActiveSpace, spacesOfBank } from '../../src/store/queries/spaces.ts'
import { bankStatistics } from '../../src/store/queries/statistics.ts'
import {
  DIMENSION,
  describeStores,
  makeBank,
  NOW,
  type OpenedStore,
  type TestBank,
  writeDocument,
} from './store-fixture.ts'

const LATER = new Date(NOW.getTime() + 60_000)

describeStores('documents', (open) => {
  let store: OpenedStore
  let database: Database
  let bank: TestBank

  beforeAll(async () => {
    store = await open()
    database = store.database
    bank = await makeBank(database, 'library')
  })
  afterAll(() => store.close())

  test('banks are found, listed, configured; a name is taken once', async () => {
    const made = await insertBank(database, {
      name: 'o\'brien %_"; --',
      language: 'german',
      settings: { a: [1, 'é'] },
      now: NOW,
    })
    expect(made).toMatchObject({ language: 'german', settings: { a: [1, 'é'] }, createdAt: NOW })
    expect(await findBank(database, 'o\'brien %_"; --')).toEqual(made)
    expect(
      await insertBank(database, { name: 'o\'brien %_"; --', language: 'none', settings: {}, now: NOW }),
    ).toBeNull()
    expect((await listBanks(database)).map((row) => row.name)).toEqual(['library', 'o\'brien %_"; --'])
    expect(await updateBankSettings(database, made!.bankId, { b: 2 })).toMatchObject({ settings: { b: 2 } })
    expect(await updateBankSettings(database, 9999, {})).toBeNull()
    expect(await findBank(database, 'library2')).toBeNull()
    expect(await database.transaction((tx) => deleteBank(tx, made!.bankId))).toBe(true)
    expect(await database.transaction((tx) => deleteBank(tx, made!.bankId))).toBe(false)
  })

  test('spaces are made once, and one of a bank is active', async () => {
    const again = await Promise.all(
      [1, 2, 3].map(() => ensureSpace(database, { modelId: 'wide', dimension: 1100, now: NOW })),
    )
    expect(new Set(again.map((space) => space.spaceId)).size).toBe(1)
    expect(await activeSpace(database, bank.bankId)).toEqual(bank.space)
    await database.transaction((tx) => setActiveSpace(tx, bank.bankId, again[0]!.spaceId))
    expect(await activeSpace(database, bank.bankId)).toEqual({
      ...again[0],
      modelId: 'wide',
      dimension: 1100,
    })
    await database.transaction((tx) => setActiveSpace(tx, bank.bankId, bank.space.spaceId))
    expect((await spacesOfBank(database, bank.bankId)).map((space) => space.modelId)).toEqual([
      'test-model',
      'wide',
    ])
    await expect(ensureSpace(database, { modelId: 'x', dimension: 0, now: NOW })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(
      (await ensureSpace(database, { modelId: 'test-model', dimension: DIMENSION, now: NOW })).spaceId,
    ).toBe(bank.space.spaceId)
  })

  test('a document comes back as it was written, text byte for byte', async () => {
    const texts = ['Grüße 👋\r\n', 'it\'s \\ "quoted"\t%_', '\u2028 漢字\n']
    const { documentId, chunkIds } = await writeDocument(database, bank, {
      source: 'a/ü.md',
      title: 'Title',
      tags: ['x', 'y "z"'],
      metadata: { deep: { list: [1, null, 'é'] } },
      trust: 'web',
      occurredAt: new Date('1999-12-31T23:59:59.999Z'),
      notes: ['a, "b"', ''],
      chunks: texts.map((text, i) => ({
        text,
        ...(i === 1 ? { speaker: 'Zoë', occurredAt: LATER } : {}),
        cues: [
          { kind: 'question', text: `What is ${i}?` },
          { kind: 'statement', text: `It is ${i}.` },
        ],
      })),
    })
    const document = await findDocument(database, bank.bankId, documentId)
    expect(document).toMatchObject({
      source: 'a/ü.md',
      version: 1,
      state: 'current',
      title: 'Title',
      tags: ['x', 'y "z"'],
      trust: 'web',
      metadata: { deep: { list: [1, null, 'é'] } },
      occurredAt: new Date('1999-12-31T23:59:59.999Z'),
      retainedAt: NOW,
      validTo: null,
      notes: ['a, "b"', ''],
      chunkCount: 3,
      byteLength: Buffer.byteLength(texts.join('')),
    })
    expect(await findCurrentDocument(database, bank.bankId, 'a/ü.md')).toEqual(document)
    expect(await documentText(database, bank.bankId, documentId)).toBe(texts.join(''))
    expect(await documentText(database, bank.bankId, 99_999)).toBeNull()
    const chunks = await chunksOfDocument(database, bank.bankId, documentId)
    expect(chunks.map((chunk) => chunk.text)).toEqual(texts)
    expect(chunks[1]).toMatchObject({
      chunkId: chunkIds[1],
      ordinal: 1,
      speaker: 'Zoë',
      occurredAt: LATER,
      tokens: 7,
      content: null,
      attributes: {},
      span: {
        startByte: Buffer.byteLength(texts[0]!),
        endByte: Buffer.byteLength(texts[0]! + texts[1]!),
        startLine: 2,
        endLine: 2,
      },
      document: {
        source: 'a/ü.md',
        version: 1,
        state: 'current',
        tags: ['x', 'y "z"'],
        trust: 'web',
        chunkCount: 3,
      },
    })
    expect(await chunkByRef(database, bank.bankId, { source: 'a/ü.md', ordinal: 2 })).toEqual(chunks[2])
    expect(await chunkByRef(database, bank.bankId, { source: 'a/ü.md', ordinal: 3 })).toBeNull()
    expect((await neighbourChunks(database, bank.bankId, documentId, 1, 1, 5)).map((c) => c.ordinal)).toEqual(
      [0, 2],
    )
    expect((await chunksByIds(database, bank.bankId, [...chunkIds, 10 ** 12])).length).toBe(3)
    expect(await cuesOfChunks(database, bank.bankId, [chunkIds[2]!])).toEqual([
      {
        chunkId: chunkIds[2],
        kind: 'question',
        ordinal: 0,
        origin: 'rules',
        embedded: true,
        text: 'What is 2?',
      },
      {
        chunkId: chunkIds[2],
        kind: 'statement',
        ordinal: 1,
        origin: 'rules',
        embedded: true,
        text: 'It is 2.',
      },
    ])
    expect(await mentionsOfChunks(database, bank.bankId, chunkIds)).toEqual([
      expect.objectContaining({
        chunkId: chunkIds[1],
        name: 'Zoë',
        norm: 'zoë',
        role: 'speaker',
        kind: 'person',
      }),
    ])
  })

  test('versions supersede; as of a time the version then valid is found', async () => {
    const write = (text: string, at: Date) =>
      writeDocument(database, bank, { source: 'v.md', retainedAt: at, chunks: [{ text }] })
    await write('first', NOW)
    const second = await write('second', LATER)
    expect(await latestVersion(database, bank.bankId, 'v.md')).toBe(2)
    expect(await latestVersion(database, bank.bankId, 'none')).toBe(0)
    expect(
      (await listVersions(database, bank.bankId, 'v.md')).map((d) => [d.version, d.state, d.validTo]),
    ).toEqual([
      [2, 'current', null],
      [1, 'superseded', LATER],
    ])
    expect((await findDocumentAsOf(database, bank.bankId, 'v.md', NOW))?.version).toBe(1)
    expect((await findDocumentAsOf(database, bank.bankId, 'v.md', LATER))?.version).toBe(2)
    expect(await findDocumentAsOf(database, bank.bankId, 'v.md', new Date(0))).toBeNull()
    expect((await chunkByRef(database, bank.bankId, { source: 'v.md', version: 1, ordinal: 0 }))?.text).toBe(
      'first',
    )
    expect((await chunkByRef(database, bank.bankId, { source: 'v.md', ordinal: 0 }))?.text).toBe('second')
    await updateDocumentLabels(database, bank.bankId, second.documentId, {
      tags: ['new'],
      metadata: { k: 1 },
      trust: 'tool',
      title: null,
      occurredAt: null,
      validFrom: NOW,
    })
    expect(await findDocument(database, bank.bankId, second.documentId)).toMatchObject({
      tags: ['new'],
      trust: 'tool',
      version: 2,
    })
  })

  test('lists go by source in pages that never part a source', async () => {
    const listed = await makeBank(database, 'listed')
    for (const source of ['b%/1', 'b%/2', 'bx/3', 'B/4', 'é/5']) {
      await writeDocument(database, listed, {
        source,
        tags: source.startsWith('b%') ? ['t'] : [],
        chunks: [{ text: source }],
      })
      await writeDocument(database, listed, { source, chunks: [{ text: `${source} again` }] })
      await writeDocument(database, listed, { source, chunks: [{ text: `${source} and again` }] })
    }
    const names = async (options: Parameters<typeof listDocuments>[2]) =>
      (await listDocuments(database, listed.bankId, options)).map((d) => `${d.source}@${d.version}`)
    expect(await names({})).toEqual(['B/4@3', 'b%/1@3', 'b%/2@3', 'bx/3@3', 'é/5@3'])
    expect(await names({ sourcePrefix: 'b%' })).toEqual(['b%/1@3', 'b%/2@3'])
    expect(await names({ limit: 2 })).toEqual(['B/4@3', 'b%/1@3'])
    expect(await names({ limit: 2, after: 'b%/1' })).toEqual(['b%/2@3', 'bx/3@3'])
    expect(await names({ state: 'superseded', limit: 1 })).toEqual(['B/4@1', 'B/4@2'])
    expect(await names({ state: 'superseded', limit: 1, after: 'B/4' })).toEqual(['b%/1@1', 'b%/1@2'])
    expect(await names({ state: 'superseded', tag: 't' })).toEqual(['b%/1@1', 'b%/2@1'])
    expect(await names({ state: 'deleted' })).toEqual([])
  })

  test('activity counts uses; receipts tell each first use once', async () => {
    const { chunkIds } = await writeDocument(database, bank, {
      source: 'r.md',
      chunks: [{ text: 'one' }, { text: 'two' }],
    })
    const [one, two] = [chunkIds[0]!, chunkIds[1]!]
    await database.transaction((tx) => recordUse(tx, bank.bankId, [two, one, 10 ** 12], LATER))
    await database.transaction((tx) => recordUse(tx, bank.bankId, [one], NOW))
    expect(await activityOf(database, bank.bankId, chunkIds)).toEqual(
      new Map([
        [one, expect.objectContaining({ uses: 2, lastUsedAt: LATER, pinned: false })],
        [two, expect.objectContaining({ uses: 1, lastUsedAt: LATER })],
      ]),
    )
    await database.transaction((tx) =>
      writeActivity(tx, bank.bankId, [
        { chunkId: two, significance: 0.5, uses: 9, lastUsedAt: null, pinned: true },
      ]),
    )
    expect((await activityOf(database, bank.bankId, [two])).get(two)).toEqual({
      chunkId: two,
      significance: 0.5,
      uses: 9,
      lastUsedAt: null,
      pinned: true,
    })
    const receipt = {
      receiptId: 'r-1',
      kind: 'recall',
      createdAt: NOW,
      request: { message: 'what\'s "it"?' },
      degraded: ['window: STORE_FAILED a, b'],
      tookMs: 12.5,
    }
    await database.transaction((tx) =>
      insertReceipts(tx, bank.bankId, [
        {
          ...receipt,
          passages: [
            { rank: 1, chunkId: two, score: 0.5 },
            { rank: 2, chunkId: one, score: 0.25 },
            { rank: 3, chunkId: 10 ** 12, score: 0.1 },
          ],
        },
        { ...receipt, receiptId: 'r-2', createdAt: LATER, degraded: [], passages: [] },
      ]),
    )
    expect(await findReceipt(database, bank.bankId, 'r-1')).toEqual({
      ...receipt,
      // one of its passages is gone: so is the question
      request: { forgotten: true },
      passages: [
        { rank: 1, chunkId: two, score: 0.5, used: null, usedAt: null },
        { rank: 2, chunkId: one, score: 0.25, used: null, usedAt: null },
      ],
    })
    const report = (chunkId: number, used: 'used' | 'cited') =>
      database.transaction((tx) => recordReceiptUse(tx, bank.bankId, 'r-1', [{ chunkId, used }], LATER))
    expect(await report(one, 'used')).toEqual([one])
    expect(await report(one, 'cited')).toEqual([])
    expect(await report(10 ** 12, 'cited')).toEqual([])
    expect((await findReceipt(database, bank.bankId, 'r-1'))?.passages[1]).toMatchObject({
      used: 'cited',
      usedAt: LATER,
    })
    expect(await deleteReceiptsBefore(database, bank.bankId, LATER)).toBe(1)
    expect(await findReceipt(database, bank.bankId, 'r-1')).toBeNull()
    expect((await findReceipt(database, bank.bankId, 'r-2'))?.degraded).toEqual([])
  })

  test('statistics tell what is there', async () => {
    const small = await makeBank(database, 'small')
    await writeDocument(database, small, {
      source: 's',
      chunks: [{ text: 'alpha beta' }, { text: 'alpha', cues: [{ kind: 'question', text: 'Alpha?' }] }],
    })
    const { chunkIds } = await writeDocument(database, small, { source: 's', chunks: [{ text: 'gamma' }] })
    await database.transaction((tx) => recordUse(tx, small.bankId, chunkIds, NOW))
    await database.execute(
      `insert into cues (bank_id, chunk_id, kind, ordinal, origin, embedded, text) values ($1, $2, 2, 0, 'caller', true, 'Which letter?')`,
      [small.bankId, chunkIds[0]!],
    )
    expect(await bankStatistics(database, small.bankId)).toEqual({
      documents: { current: 1, superseded: 1, deleted: 0 },
      chunks: 3,
      cues: { question: 2 },
      vectors: { content: 3, window: 3, question: 1 },
      terms: 4,
      postings: 5,
      receipts: 0,
      byFormat: { prose: 1 },
      jobs: { waiting: 0, running: 0, done: 0, dead: 0, cancelled: 0 },
      textBytes: 20,
    })
  })
})
