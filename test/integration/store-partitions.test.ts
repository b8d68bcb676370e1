import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import type { Migration } from '../../src/store/migrate.ts'
import { readMigrations } from '../../src/store/migrate.ts'
import { spaceTablesDdl } from '../../src/store/queries/spaces.ts'
import {
  forgottenQueries,
  type RecordedStatement,
  recordStatements,
  runEveryQuery,
} from './store-every-query.ts'
import { DIMENSION, describeStores, makeBank, type OpenedStore, writeDocument } from './store-fixture.ts'

const PARTITIONS = 4

/** Rewrites DDL so that every table whose key begins with the bank is hash-partitioned by it. `banks` itself is the catalogue. */
function partitioned(sql: string): string {
  return sql.replace(
    /create table ("?)(\w+)\1 \(\n([\s\S]*?)\n\s*\)(?: with \(.*?\))?(;|$)/g,
    (whole, _quote: string, name: string, body: string, end: string) => {
      if (name === 'banks' || !/^\s*bank_id integer not null/m.test(body)) return whole
      const parts = Array.from(
        { length: PARTITIONS },
        (_, n) =>
          `create table ${name}_p${n} partition of ${name} for values with (modulus ${PARTITIONS}, remainder ${n})`,
      )
      return `create table ${name} (\n${body}\n) partition by hash (bank_id);\n${parts.join(';\n')}${end}`
    },
  )
}

interface PlanNode {
  readonly 'Node Type': string
  readonly Operation?: string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Partitions by table that the plan of a statement touches, with the parameters it ran with. */
async function partitionsOf(
  database: Database,
  { sql, params }: RecordedStatement,
): Promise<Map<string, Set<string>>> {
  const rows = await database.query<Record<string, unknown>>(
    `explain (format json, costs off) ${sql}`,
    params,
  )
  const found = rows[0]?.['QUERY PLAN']
  const plans: unknown = typeof found === 'string' ? JSON.parse(found) : found
  if (!Array.isArray(plans)) throw new Error(`no plan for ${sql}`)
  const touched = new Map<string, Set<string>>()
  const visit = (node: PlanNode): void => {
    const [, table, part] = /^(.+)_p(\d+)$/.exec(node['Relation Name'] ?? '') ?? []
    if (table !== undefined && part !== undefined) {
      touched.set(table, (touched.get(table) ?? new Set()).add(part))
    }
    for (const child of node.Plans ?? []) visit(child)
  }
  for (const { Plan } of plans) visit(Plan)
  return touched
}

async function partitionedMigrations(): Promise<readonly Migration[]> {
  const migrations = await readMigrations()
  return migrations.map((migration) => ({ ...migration, sql: partitioned(migration.sql) }))
}

describeStores(
  'hash partitions by bank',
  (open) => {
    let store: OpenedStore
    let database: Database

    beforeAll(async () => {
      store = await open()
      database = store.database
      const rows = await database.query<{ spaceId: number; modelId: string; dimension: number }>(
        `insert into spaces (model_id, dimension, created_at) values ('test-model', ${DIMENSION}, now())
         returning space_id as "spaceId", model_id as "modelId", dimension`,
      )
      for (const statement of spaceTablesDdl(rows[0]!)) await database.script(partitioned(`${statement};`))
    })
    afterAll(() => store.close())

    test('every table of a bank is partitioned but the list of banks', async () => {
      const rows = await database.query<{ name: string; kind: string }>(
        `select c.relname as name, c.relkind::text as kind from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'bank_id'
         where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
      )
      expect(rows.filter((row) => row.kind !== 'p').map((row) => row.name)).toEqual(['banks'])
      expect(rows.length).toBeGreaterThan(15)
    })

    test('a statement that forgets the bank is seen to touch all', async () => {
      const parts = await partitionsOf(database, {
        sql: 'select from chunks where chunk_id = $1',
        params: [1],
      })
      expect(parts.get('chunks')?.size).toBe(PARTITIONS)
    })

    test('every query of a bank touches one partition of each table, and none is left out here', async () => {
      const statements: RecordedStatement[] = []
      for (let n = 0; n < 3; n++) {
        const neighbour = await makeBank(database, `neighbour ${n}`)
        await writeDocument(database, neighbour, {
          source: 'a/one',
          chunks: [{ text: 'walnut harbour', mentions: ['Bob'] }],
        })
      }
      const bank = await makeBank(database, 'rehearsed')
      const called = await runEveryQuery(recordStatements(database, statements), bank)
      expect(await forgottenQueries(called)).toEqual([])
      expect(statements.length).toBeGreaterThan(150)
      // Plans are made after the fact: the tables are the same, and the bank's number alone decides the partition.
      const tables = new Set<string>()
      for (const statement of statements) {
        if (!/^\s*(select|with|insert|update|delete)\b/i.test(statement.sql)) continue
        for (const [table, parts] of await partitionsOf(database, statement)) {
          tables.add(table)
          expect({ sql: statement.sql, table, parts: parts.size }).toEqual({
            sql: statement.sql,
            table,
            parts: 1,
          })
        }
      }
      expect(tables.size).toBeGreaterThan(15)
    })
  },
  partitionedMigrations,
)
