import type { VectorSpace } from '../bank-store.ts'
import type { Database } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { integerLiteral, vectorsTable } from './space-tables.ts'
import { vectorExpression, vectorParameter } from './vector-sql.ts'

// What recall is measured against: one plain HNSW index over the bank's content vectors, in a table of its own.

const tableOf = (bankId: number): string => quoteIdentifier(`plain_baseline_${integerLiteral(bankId)}`)

/** Most dimensions whose vector fits a page. */
const MAX_INLINE = 1_900

/** Makes the table and its index (m 16, ef_construction 64: pgvector's defaults). */
export async function createPlainIndex(
  database: Database,
  bankId: number,
  space: VectorSpace,
): Promise<void> {
  const table = tableOf(bankId)
  await dropPlainIndex(database, bankId)
  const vectors = quoteIdentifier(vectorsTable(space))
  const source = `select chunk_id, embedding from ${vectors} where bank_id = ${integerLiteral(bankId)} and kind = 0`
  await database.script(`create table ${table} as ${source} limit 0`)
  // Beside the row, where they fit: with vectors out of line the table looks small, and the planner reads all of it.
  if (space.dimension <= MAX_INLINE) {
    await database.script(`alter table ${table} alter column embedding set storage plain`)
  }
  await database.script(`insert into ${table} ${source}`)
  await database.script(`create index on ${table} using hnsw (embedding vector_cosine_ops)`)
  await database.script(`analyze ${table}`)
}

/** Breadth of the walk in the plain index; pgvector's default is 40. */
const SEARCH_BREADTH = 100

/** The nearest chunks by the plain index, nearest first. */
export async function searchPlainIndex(
  database: Database,
  bankId: number,
  space: VectorSpace,
  vector: Float32Array,
  limit: number,
): Promise<number[]> {
  const rows = await database.query<{ chunkId: number }>(
    `select chunk_id as "chunkId" from ${tableOf(bankId)}
     where (select set_config('hnsw.ef_search', '${SEARCH_BREADTH}', true) <> '')
     order by embedding <=> (select ${vectorExpression('$1', space)}) limit $2`,
    [vectorParameter(vector, space), limit],
  )
  return rows.map((row) => row.chunkId)
}

export async function dropPlainIndex(database: Database, bankId: number): Promise<void> {
  await database.script(`drop table if exists ${tableOf(bankId)}`)
}
