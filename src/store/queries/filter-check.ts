import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

/** Those of the chunks that a recall with this filter may see. */
export async function chunksThatPass(
  q: Queryable,
  bankId: number,
  filter: Filter,
  chunkIds: readonly number[],
): Promise<Set<number>> {
  if (chunkIds.length === 0) return new Set()
  const parameters = createParameters(bankId)
  const ids = parameters.bind(chunkIds)
  const rows = await q.query<{ chunkId: number }>(
    `select c.chunk_id as "chunkId" from chunks c
     join documents d on d.bank_id = $1 and d.document_id = c.document_id
     where c.bank_id = $1 and c.chunk_id = any(${ids}::bigint[]) and ${renderFilter(filter, parameters)}`,
    parameters.values,
  )
  return new Set(rows.map((row) => row.chunkId))
}
