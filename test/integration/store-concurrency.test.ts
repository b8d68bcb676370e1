import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { deleteDocuments } from '../../src/store/queries/delete-documents.ts'
import { lockSource } from '../../src/store/queries/documents.ts'
import { INTEGRITY_CHECKS } from '../../src/store/queries/integrity.ts'
import { buildIndexes } from '../../src/store/queries/vector-indexes.ts'
import {
  describeStores,
  makeBank,
  numbers,
  type OpenedStore,
  type TestBank,
  writeDocument,
  writeDocumentIn,
} from './store-fixture.ts'

const WRITERS = 8
const ROUNDS = 12
const WORDS = ['lantern', 'harbour', 'violin', 'glacier', 'orchard', 'compass', 'thunder', 'meadow']

describeStores('eight writers at once', (open) => {
  let store: OpenedStore
  let database: Database

  beforeAll(async () => {
    store = await open()
    database = store.database
  })
  afterAll(() => store.close())

  function chunksOf(
    random: () => number,
  ): { text: string; mentions: string[]; cues: { kind: 'statement'; text: string }[] }[] {
    return Array.from({ length: 3 }, () => ({
      text: Array.from({ length: 12 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' '),
      mentions: ['Carol', random() < 0.5 ? 'Bob' : 'Ann'],
      cues: [{ kind: 'statement' as const, text: `about ${WORDS[Math.floor(random() * WORDS.length)]}` }],
    }))
  }

  async function failures(bank: TestBank): Promise<[string, number][]> {
    const found: [string, number][] = []
    for (const check of INTEGRITY_CHECKS) {
      const count = await check.count(database, bank)
      if (count > 0) found.push([check.name, count])
    }
    return found
  }

  test('of one bank: writes, new versions, deletions and indexing leave every count right', async () => {
    const bank = await makeBank(database, 'busy')
    let attempts = 0
    const writer = async (number: number): Promise<void> => {
      const random = numbers(number + 1)
      for (let round = 0; round < ROUNDS; round++) {
        // Half of the writes meet at common sources.
        const source = round % 2 === 0 ? `own ${number} ${round}` : `shared ${round % 3}`
        await database.transaction(async (tx) => {
          attempts += 1
          await lockSource(tx, bank.bankId, source)
          await writeDocumentIn(tx, bank, { source, chunks: chunksOf(random) }, random)
        })
        if (round % 4 === 3) {
          const gone = await writeDocument(
            database,
            bank,
            { source: `gone ${number} ${round}`, chunks: chunksOf(random) },
            random,
          )
          await database.transaction((tx) => deleteDocuments(tx, bank.bankId, [gone.documentId]))
        }
        if (number === 0 && round % 5 === 4) {
          await buildIndexes(database, bank.space, { bankId: bank.bankId, mostWaiting: 20 })
        }
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number)))
    expect(await failures(bank)).toEqual([])
    const rows = await database.query<{ state: string; n: number }>(
      `select state, count(*) as n from documents where bank_id = $1 group by state`,
      [bank.bankId],
    )
    const count = (state: string): number => rows.find((row) => row.state === state)?.n ?? 0
    expect(count('current') + count('superseded')).toBe(WRITERS * ROUNDS)
    expect(count('current')).toBe((WRITERS * ROUNDS) / 2 + 3)
    // A deadlock repeats the transaction: a few may, a storm may not.
    expect(attempts).toBeLessThan(WRITERS * ROUNDS * 1.2)
  })

  test('of a bank each: none waits for another for ever, none sees another', async () => {
    const banks: TestBank[] = []
    for (let i = 0; i < WRITERS; i++) banks.push(await makeBank(database, `bank ${i}`))
    await Promise.all(
      banks.map(async (bank, number) => {
        const random = numbers(number + 50)
        for (let round = 0; round < 4; round++) {
          await writeDocument(database, bank, { source: `s${round}`, chunks: chunksOf(random) }, random)
        }
      }),
    )
    for (const bank of banks) expect(await failures(bank)).toEqual([])
  })
})
