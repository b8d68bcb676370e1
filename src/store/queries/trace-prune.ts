import type { Queryable } from '../database.ts'
import { contentColumns, TRACE_TABLES } from './trace-tables.ts'

const TABLES = Object.values(TRACE_TABLES)
/** What a row takes beside its content, about: its other columns, header and three index entries. */
const ROW_BYTES = 400

/** When the oldest event began, and what the trace of all banks takes on disk: cheap to ask. */
export async function traceExtent(
  q: Queryable,
  bankId: number,
): Promise<{ readonly oldest: Date | null; readonly storeBytes: number }> {
  const firsts = TABLES.map(({ name }) => `(select min(at) from ${name} where bank_id = $1)`)
  const sizes = TABLES.map(({ name }) => `pg_total_relation_size('${name}'::regclass)`)
  const [extent] = await q.query<{ oldest: Date | null; storeBytes: number }>(
    `select least(${firsts.join(', ')}) as oldest, ${sizes.join(' + ')} as "storeBytes"`,
    [bankId],
  )
  return extent ?? { oldest: null, storeBytes: 0 }
}

/** Removes what began before a time. */
export async function deleteTraceBefore(q: Queryable, bankId: number, before: Date): Promise<number> {
  let deleted = 0
  for (const { name } of TABLES)
    deleted += await q.execute(`delete from ${name} where bank_id = $1 and at < $2`, [bankId, before])
  return deleted
}

/** Removes the oldest events past a size, which is estimated: content as it is stored (compressed), and a lump sum a row. */
export async function deleteTraceOver(q: Queryable, bankId: number, mostBytes: number): Promise<number> {
  const parts = TABLES.map((table) => {
    const content = contentColumns(table).map((column) => ` + coalesce(pg_column_size("${column}"), 0)`)
    return `select event_id, ${ROW_BYTES}${content.join('')} as bytes from ${table.name} where bank_id = $1`
  })
  const [last] = await q.query<{ id: string }>(
    `select event_id as id from (
       select event_id, sum(bytes) over (order by event_id desc) as bytes
       from (${parts.join(' union all ')}) as sizes) as sums
     where bytes > $2 order by event_id desc limit 1`,
    [bankId, mostBytes],
  )
  if (last === undefined) return 0
  let deleted = 0
  for (const { name } of TABLES)
    deleted += await q.execute(`delete from ${name} where bank_id = $1 and event_id <= $2`, [bankId, last.id])
  return deleted
}

/** Removes the whole trace of the bank. */
export async function deleteTrace(q: Queryable, bankId: number): Promise<number> {
  let deleted = 0
  for (const { name } of TABLES)
    deleted += await q.execute(`delete from ${name} where bank_id = $1`, [bankId])
  return deleted
}
