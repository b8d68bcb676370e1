import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { INTEGRITY_CHECKS } from '../../src/store/queries/integrity.ts'
import { buildIndexes } from '../../src/store/queries/vector-indexes.ts'
import {
  describeStores,
  makeBank,
  numbers,
  type OpenedStore,
  type TestBank,
  writeDocument,
} from './store-fixture.ts'

/** What breaks each invariant, as SQL on bank `$1`, and the checks that then complain. */
const DAMAGES: readonly (readonly [name: string, sql: string, complaints: readonly string[]])[] = [
  [
    'a chunk lost its end',
    `update chunks set text = left(text, 3) where bank_id = $1 and ordinal = 1`,
    ['document-text'],
  ],
  [
    'a chunk is misplaced',
    `update chunks set start_byte = start_byte + 1, end_byte = end_byte + 1 where bank_id = $1 and ordinal = 1`,
    ['chunk-order'],
  ],
  [
    'a chunk overlaps another where one was forgotten',
    `with noted as (update documents set notes = '{a chunk was forgotten on 2024-01-01}' where bank_id = $1)
     update chunks set start_byte = start_byte - 1, end_byte = end_byte - 1 where bank_id = $1 and ordinal = 1`,
    ['chunk-order'],
  ],
  [
    'a mention is miscounted',
    `update entities set mention_count = mention_count + 1 where bank_id = $1`,
    ['entity-counts'],
  ],
  [
    'an entity that nothing mentions',
    `insert into entities (bank_id, entity_id, kind, name, norm) values ($1, nextval('entity_ids'), 'person', 'Nobody', 'nobody')`,
    ['entity-counts'],
  ],
  [
    'a question of the caller has no key',
    `insert into cues (bank_id, chunk_id, kind, ordinal, origin, embedded, text)
     select $1, min(chunk_id), 2, 50, 'caller', false, 'Which one?' from chunks where bank_id = $1`,
    ['asked-questions'],
  ],
  [
    'a vector of a cue that is gone',
    `delete from cues where bank_id = $1 and chunk_id = (select min(chunk_id) from cues where bank_id = $1)`,
    ['stray-cue-vectors'],
  ],
  ['terms of no chunk', `insert into chunk_terms values ($1, 999999, 0, 1, '{}', '{}')`, ['orphan-terms']],
  [
    'postings of no chunk',
    `insert into postings select $1, min(term_id), 999999, 1, 1 from terms where bank_id = $1`,
    ['orphan-postings', 'postings'],
  ],
  [
    'a posting is lost',
    `delete from postings where (bank_id, term_id, chunk_id) in (select bank_id, term_id, chunk_id from postings where bank_id = $1 limit 1)`,
    ['postings'],
  ],
  ['a posting differs', `update postings set frequency = frequency + 1 where bank_id = $1`, ['postings']],
  [
    'a frequency is wrong',
    `update terms set document_frequency = document_frequency + 1 where bank_id = $1`,
    ['term-frequencies'],
  ],
  [
    'a term without postings',
    `insert into terms values ($1, 0, 'phantom', nextval('term_ids'), 0)`,
    ['term-frequencies'],
  ],
  [
    'field statistics are wrong',
    `update field_statistics set total_length = total_length + 5 where bank_id = $1`,
    ['field-statistics'],
  ],
  ['field statistics are lost', `delete from field_statistics where bank_id = $1`, ['field-statistics']],
  [
    'vectors of no chunk',
    `insert into "vectors_N" select bank_id, 999999, kind, ordinal, text_hash, embedding from "vectors_N" where bank_id = $1 limit 1`,
    ['orphan-vectors', 'vector-codes', 'vector-statistics'],
  ],
  [
    'a code of no vector',
    `insert into "bits_N" select bank_id, kind, 999999, ordinal, false, bits from "bits_N" where bank_id = $1 limit 1`,
    ['orphan-codes'],
  ],
  [
    'a code is lost',
    `delete from "bits_N" where bank_id = $1 and kind = 0 and not indexed`,
    ['vector-codes'],
  ],
  ['a code is wrong', `update "bits_N" set bits = ~bits where bank_id = $1 and kind = 0`, ['vector-codes']],
  [
    'vectors are miscounted',
    `update vector_statistics set vector_count = 1 where bank_id = $1`,
    ['vector-statistics'],
  ],
  ['an index is absent', `drop index "bits_N_hnsw_BANK_3"`, ['vector-indexes']],
]
const BEYOND_SQL: readonly (readonly [name: string, sql: string, complaint: string])[] = [
  ['a content vector is lost', `delete from "vectors_N" where bank_id = $1 and kind = 0`, 'missing-vectors'],
  ['a cue vector is lost', `delete from "vectors_N" where bank_id = $1 and kind = 3`, 'missing-cue-vectors'],
  ['a term is lost', `delete from terms where bank_id = $1`, 'unknown-terms'],
  ['all terms are lost', `delete from chunk_terms where bank_id = $1`, 'missing-terms'],
]

describeStores('integrity', (open) => {
  let store: OpenedStore
  let database: Database
  let made = 0

  beforeAll(async () => {
    store = await open()
    database = store.database
  })
  afterAll(() => store.close())

  async function filledBank(): Promise<TestBank> {
    made += 1
    const bank = await makeBank(database, `bank ${made}`)
    const random = numbers(made)
    for (let d = 0; d < 4; d++) {
      await writeDocument(
        database,
        bank,
        {
          source: `d${d % 3}`,
          chunks: Array.from({ length: 3 }, (_, c) => ({
            text: `${['walnut', 'harbour', 'lantern'][c]} number ${d} shines over the granite bridge and the long quiet meadow. `.repeat(
              c + 1,
            ),
            mentions: ['Carol'],
            cues: [{ kind: 'statement', text: `statement ${d} ${c} on walnuts` }],
          })),
        },
        random,
      )
    }
    return bank
  }

  const apply = (bank: TestBank, sql: string): Promise<number> => {
    const text = sql.replaceAll('_N', `_${bank.space.spaceId}`).replaceAll('BANK', String(bank.bankId))
    return database.execute(text, text.includes('$1') ? [bank.bankId] : [])
  }
  const complaints = async (bank: TestBank): Promise<string[]> => {
    const names: string[] = []
    for (const check of INTEGRITY_CHECKS) if ((await check.count(database, bank)) > 0) names.push(check.name)
    return names
  }

  test('a bank as it is written is clean, with and without an index; so is an empty one', async () => {
    const bank = await filledBank()
    expect(await complaints(bank)).toEqual([])
    await buildIndexes(database, bank.space, { bankId: bank.bankId, mostWaiting: 3 })
    expect(await complaints(bank)).toEqual([])
    expect(await complaints({ ...(await makeBank(database, 'empty')) })).toEqual([])
  })

  test.each(DAMAGES)('%s: told, and mended where it can be', async (_name, sql, expected) => {
    const bank = await filledBank()
    if (sql.includes('hnsw'))
      await buildIndexes(database, bank.space, { bankId: bank.bankId, mostWaiting: 3 })
    await apply(bank, sql)
    expect(await complaints(bank)).toEqual(expect.arrayContaining([...expected]))
    for (const check of INTEGRITY_CHECKS) {
      if ((await check.count(database, bank)) > 0) await check.mend?.(database, bank)
    }
    const mendable = new Set(
      INTEGRITY_CHECKS.filter((check) => check.mend !== null).map((check) => check.name),
    )
    expect(await complaints(bank)).toEqual(expected.filter((name) => !mendable.has(name)))
  })

  test.each(BEYOND_SQL)('%s: told, and left to rebuild-index', async (_name, sql, complaint) => {
    const bank = await filledBank()
    await apply(bank, sql)
    expect(await complaints(bank)).toContain(complaint)
    const check = INTEGRITY_CHECKS.find((one) => one.name === complaint)!
    expect([check.mend, check.mendedBy]).toEqual([null, 'rebuild-index'])
  })

  test('a wrong bank is not complained of for its neighbour', async () => {
    const [broken, whole] = [await filledBank(), await filledBank()]
    for (const [, sql] of DAMAGES.slice(2, 12)) await apply(broken, sql)
    expect((await complaints(broken)).length).toBeGreaterThan(4)
    expect(await complaints(whole)).toEqual([])
  })

  test('two current versions of a source: the newest stays, and the statistics follow', async () => {
    const bank = await filledBank()
    const rows = await database.query<{ definition: string }>(
      `select indexdef as definition from pg_indexes where indexname = 'documents_current'`,
    )
    await database.execute('drop index documents_current')
    await apply(
      bank,
      `update documents set state = 'current' where bank_id = $1 and version = 1 and source = 'd0'`,
    )
    expect(await complaints(bank)).toEqual(['current-versions', 'term-frequencies', 'field-statistics'])
    for (const check of INTEGRITY_CHECKS) {
      if ((await check.count(database, bank)) > 0) await check.mend?.(database, bank)
    }
    expect(await complaints(bank)).toEqual([])
    await database.execute(rows[0]!.definition)
    const states = await database.query<{ version: number; state: string }>(
      `select version, state from documents where bank_id = $1 and source = 'd0' order by version`,
      [bank.bankId],
    )
    expect(states).toEqual([
      { version: 1, state: 'superseded' },
      { version: 2, state: 'current' },
    ])
  })
})
