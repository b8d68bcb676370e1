import type { Memory } from '../../src/index.ts'
import { scopeOf } from '../../src/memory/scopes.ts'
import { storeOf } from './store-of.ts'

/** Every row of the memory's bank in every table (or those whose name matches), as sorted text: what a search for forgotten words reads. */
export async function everyTable(memory: Memory, name: RegExp = /^/): Promise<string> {
  const { database, bankId } = await storeOf(memory)
  await scopeOf(memory).engine.trace.flush()
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = current_schema() and column_name = 'bank_id' order by 1`,
  )
  const texts: string[] = []
  for (const table of tables.map((one) => one.name).filter((one) => name.test(one))) {
    const rows = await database.query<{ row: string }>(
      `select t::text as row from "${table}" t where bank_id = $1`,
      [bankId],
    )
    texts.push(
      `${table}\n${rows
        .map(({ row }) => row)
        .sort()
        .join('\n')}`,
    )
  }
  return texts.join('\n\n')
}
