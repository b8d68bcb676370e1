import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { codeLength } from '../../src/store/queries/vector-code.ts'
import { buildIndexes } from '../../src/store/queries/vector-indexes.ts'
import { type RecordedStatement, recordStatements, runEveryQuery } from './store-every-query.ts'
import {
  DIMENSION,
  describeStores,
  makeBank,
  numbers,
  type OpenedStore,
  searchVectors,
  type TestBank,
  unitVector,
} from './store-fixture.ts'

/** Tables that grow with the text: reading one from end to end is a mistake, however fast today. */
const BULK = /^(chunks|cues|postings|chunk_terms|mentions|activity|receipt_passages|vectors_\d+|bits_\d+)$/

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf(database: Database, { sql, params }: RecordedStatement): Promise<PlanNode[]> {
  const rows = await database.query<Record<string, unknown>>(`explain (format json) ${sql}`, params)
  const found = rows[0]?.['QUERY PLAN']
  const plans: unknown = typeof found === 'string' ? JSON.parse(found) : found
  if (!Array.isArray(plans)) throw new Error(`no plan for ${sql}`)
  const nodes: PlanNode[] = []
  const visit = (node: PlanNode): void => {
    nodes.push(node)
    for (const child of node.Plans ?? []) visit(child)
  }
  for (const { Plan } of plans) visit(Plan)
  return nodes
}

const WORDS = 40

/** Fills twenty banks (numbers 1001 on) by SQL alone, so that the planner sees tables of some size. */
async function fillNeighbours(database: Database, spaceId: number): Promise<void> {
  const statements = [
    `insert into banks (bank_id, name, language, created_at) overriding system value
     select 1000 + b, 'filler ' || b, 'english', now() from generate_series(1, 20) b`,
    `insert into documents (bank_id, document_id, source, version, state, content_hash, media_type, format, trust, retained_at, valid_from, byte_length, chunk_count)
     select 1000 + b, nextval('document_ids'), 's' || n, 1, 'current', '', '', 'prose', 3, now(), now(), 1, 10
     from generate_series(1, 20) b, generate_series(1, 50) n`,
    `insert into chunks (bank_id, chunk_id, document_id, ordinal, kind, start_byte, end_byte, start_line, end_line, tokens, text)
     select bank_id, nextval('chunk_ids'), document_id, n, 'x', 0, 1, 1, 1, 1, repeat('text ', 20)
     from documents, generate_series(0, 9) n where bank_id > 1000`,
    `insert into terms (bank_id, field, term, term_id, document_frequency)
     select 1000 + b, 0, 'w' || n, nextval('term_ids'), 100 from generate_series(1, 20) b, generate_series(1, ${WORDS}) n`,
    `insert into postings (bank_id, term_id, chunk_id, frequency, length)
     select t.bank_id, t.term_id, c.chunk_id, 1, 10 from terms t join chunks c on c.bank_id = t.bank_id
     where t.bank_id > 1000 and (c.chunk_id + t.term_id) % 4 = 0`,
    `insert into chunk_terms (bank_id, chunk_id, field, length, term_ids, frequencies)
     select bank_id, chunk_id, 0, 10, array_agg(term_id), array_agg(frequency) from postings where bank_id > 1000 group by 1, 2`,
    `insert into cues (bank_id, chunk_id, kind, ordinal, origin, embedded, text)
     select bank_id, chunk_id, 3, n, 'rules', true, 'cue' from chunks, generate_series(0, 1) n where bank_id > 1000`,
    `insert into entities (bank_id, entity_id, kind, name, norm)
     select 1000 + b, nextval('entity_ids'), 'person', 'p' || n, 'p' || n from generate_series(1, 20) b, generate_series(1, 20) n`,
    `insert into mentions (bank_id, entity_id, chunk_id, role)
     select c.bank_id, e.entity_id, c.chunk_id, 'mentioned' from chunks c join entities e on e.bank_id = c.bank_id
     where c.bank_id > 1000 and (c.chunk_id + e.entity_id) % 10 = 0`,
    `insert into activity (bank_id, chunk_id) select bank_id, chunk_id from chunks where bank_id > 1000`,
    `insert into receipts (bank_id, receipt_id, kind, created_at, request, took_ms)
     select 1000 + b, 'r' || n, 'recall', now(), '{}', 1 from generate_series(1, 20) b, generate_series(1, 50) n`,
    `insert into receipt_passages (bank_id, receipt_id, rank, chunk_id, score)
     select c.bank_id, 'r' || (1 + c.chunk_id % 50), row_number() over (partition by c.bank_id, c.chunk_id % 50), c.chunk_id, 1
     from chunks c where c.bank_id > 1000`,
    `insert into vectors_${spaceId} (bank_id, chunk_id, kind, ordinal, text_hash, embedding)
     select bank_id, chunk_id, k, 0, decode(md5(chunk_id::text || k), 'hex'), array_fill(chunk_id::real, array[${DIMENSION}])::vector
     from chunks, generate_series(0, 3) k where bank_id > 1000`,
    `insert into bits_${spaceId} (bank_id, kind, chunk_id, ordinal, bits)
     select bank_id, kind, chunk_id, ordinal, repeat('01', ${codeLength(DIMENSION) / 2})::bit(${codeLength(DIMENSION)})
     from vectors_${spaceId} where bank_id > 1000`,
  ]
  for (const statement of statements) await database.execute(statement)
}

describeStores('plans', (open) => {
  let store: OpenedStore
  let database: Database
  let bank: TestBank
  const statements: RecordedStatement[] = []

  beforeAll(async () => {
    store = await open()
    database = store.database
    bank = await makeBank(database, 'planned')
    await fillNeighbours(database, bank.space.spaceId)
    await runEveryQuery(recordStatements(database, statements), bank)
    const tables = await database.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    )
    for (const { name } of tables) await database.script(`vacuum analyze "${name}"`)
  })
  afterAll(() => store.close())

  /** The same statement asked of a bank that has something. */
  const ofFullBank = ({ sql, params }: RecordedStatement): RecordedStatement => ({
    sql: sql.replaceAll(`bank_id = ${bank.bankId} `, 'bank_id = 1001 '),
    params: params.map((value, n) => (n === 0 && value === bank.bankId ? 1001 : value)),
  })

  test('no query reads a bulk table from end to end, or casts a vector column', async () => {
    let planned = 0
    for (const statement of statements) {
      if (!/^\s*(select|with|insert|update|delete)\b/i.test(statement.sql)) continue
      planned += 1
      const asked = ofFullBank(statement)
      for (const node of await planOf(database, asked)) {
        const whole = node['Node Type'] === 'Seq Scan' && BULK.test(node['Relation Name'] ?? '')
        expect({ sql: asked.sql, whole: whole ? node['Relation Name'] : '' }).toEqual({
          sql: asked.sql,
          whole: '',
        })
      }
      const rows = await database.query<Record<string, string>>(`explain verbose ${asked.sql}`, asked.params)
      const text = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(text).not.toMatch(/\b(embedding|bits)\)::/)
    }
    expect(planned).toBeGreaterThan(150)
  })

  test('postings are read from their index alone, vectors by key', async () => {
    const lexical = statements.filter(({ sql }) =>
      /join postings p on p.bank_id = \$1 and p.term_id = t.term_id/.test(sql),
    )
    expect(lexical.length).toBeGreaterThan(3)
    for (const statement of lexical) {
      const nodes = await planOf(database, ofFullBank(statement))
      const reads = nodes.filter((node) => node['Relation Name'] === 'postings')
      expect(reads.length).toBeGreaterThan(0)
      for (const node of reads)
        expect(node).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': 'postings_pkey' })
    }
    const vectors = `vectors_${bank.space.spaceId}`
    const dense = statements.filter(({ sql }) => sql.includes('<=>'))
    expect(dense.length).toBeGreaterThan(5)
    for (const statement of dense) {
      const nodes = await planOf(database, ofFullBank(statement))
      // Found in the key, alone or through a bitmap of it.
      const names = nodes
        .flatMap((node) => node['Index Name'] ?? [])
        .filter((name) => name.startsWith(vectors))
      expect(new Set(names)).toEqual(new Set([`${vectors}_pkey`]))
      const whole = nodes.filter(
        (node) => node['Relation Name'] === vectors && node['Node Type'] === 'Seq Scan',
      )
      expect(whole).toEqual([])
    }
  })

  test('a large bank walks its HNSW index, a small one reads its own codes alone', async () => {
    const random = numbers(4)
    const { spaceId } = bank.space
    await database.execute(
      `insert into vector_statistics (bank_id, space_id, kind, vector_count)
       select 1002, ${spaceId}, 0, count(*) from bits_${spaceId} where bank_id = 1002 and kind = 0`,
    )
    const { built } = await buildIndexes(database, bank.space, { bankId: 1002, mostWaiting: 100 })
    expect(built).toEqual([`bits_${spaceId}_hnsw_1002_0`])
    await database.script(`vacuum analyze bits_${spaceId}`)
    const found: RecordedStatement[] = []
    const q = recordStatements(database, found)
    for (const bankId of [1001, 1002]) {
      await searchVectors(q, { bankId, space: bank.space }, 'content', unitVector(random), 10)
    }
    const [small, large] = found
    const indexes = async (statement: RecordedStatement | undefined): Promise<string[]> =>
      (await planOf(database, statement!)).flatMap((node) =>
        node['Relation Name'] === `bits_${spaceId}` ||
        (node['Index Name'] ?? '').startsWith(`bits_${spaceId}`)
          ? [node['Index Name'] ?? node['Node Type']]
          : [],
      )
    expect(await indexes(large)).toContain(`bits_${spaceId}_hnsw_1002_0`)
    const own = await indexes(small)
    expect(own.length).toBeGreaterThan(0)
    for (const name of own) expect(name).toMatch(/^(bits_\d+_(pkey|waiting)|Bitmap Heap Scan)$/)
  })
})
