import type { Database } from '../database.ts'

/** A table up to this size is written anew, which takes well under a second; a larger one is only vacuumed. */
const MOST_REWRITTEN_BYTES = 16 * 1024 * 1024

/**
 * Takes what was deleted off the disk of an embedded store. A deleted row, and even a vacuumed one, stays in its page until another
 * takes its room: small tables are therefore written anew, and the write-ahead log begins a new file, so that the checkpoint
 * removes the old ones. Tables over 16 MB are vacuumed: their pages are free for new rows, but hold the old bytes until then. A
 * server is left to its autovacuum.
 */
export async function vacuumForgotten(
  database: Pick<Database, 'engine' | 'query' | 'script'>,
  mostRewrittenBytes: number = MOST_REWRITTEN_BYTES,
): Promise<void> {
  if (database.engine === 'postgres') return
  const tables = await database.query<{ name: string; bytes: number }>(
    `select quote_ident(c.relname) as name, pg_total_relation_size(c.oid) as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = current_schema() and c.relkind = 'r'
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'bank_id' and not a.attisdropped)
     order by c.relname`,
  )
  for (const { name, bytes } of tables) {
    await database.script(bytes <= mostRewrittenBytes ? `vacuum full ${name}` : `vacuum ${name}`)
  }
  // the engine recycles no file of the log: the checkpoint removes those before the current one
  await database.query('select pg_switch_wal()')
  await database.script('checkpoint')
}
