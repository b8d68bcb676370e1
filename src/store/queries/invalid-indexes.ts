import type { Database, Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'

/** Indexes of the store's schema that the database itself marks as broken, any bank's. */
export async function invalidIndexes(q: Queryable): Promise<string[]> {
  const rows = await q.query<{ name: string }>(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where c.relnamespace = current_schema()::regnamespace and not (i.indisvalid and i.indisready) order by 1`,
  )
  return rows.map((row) => row.name)
}

export async function reindex(db: Database, name: string): Promise<void> {
  await db.script(`reindex index ${quoteIdentifier(name)}`)
}
