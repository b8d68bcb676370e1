import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { isUnfiltered, renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

/** Past this many chunks a channel walks its own order and asks of each whether it passes; up to it, it starts from them. */
const FEW_CHUNKS = 4_000

/** How a search meets its filter. */
export type FilterPlan =
  /** take the best, then ask of each whether it passes: right when most pass */
  | 'after'
  /** ask while walking from the best downwards, until enough pass */
  | 'walk'
  /** begin with the few chunks that pass */
  | 'narrow'

/** How to begin. Without a filter nearly all passes; a narrow one is known by a look at its documents. */
export async function firstPlan(q: Queryable, bankId: number, filter: Filter): Promise<FilterPlan> {
  return !isUnfiltered(filter) && (await isNarrow(q, bankId, filter)) ? 'narrow' : 'after'
}

/** Whether a filter lets so few chunks pass that a search had better start from them. */
export async function isNarrow(q: Queryable, bankId: number, filter: Filter): Promise<boolean> {
  const parameters = createParameters(bankId)
  const predicate = renderFilter(filter, parameters)
  const rows = await q.query<{ n: number }>(
    `select count(*) as n from (
       select from documents d join chunks c on c.bank_id = $1 and c.document_id = d.document_id
       where d.bank_id = $1 and ${predicate} limit ${FEW_CHUNKS + 1}) reached`,
    parameters.values,
  )
  return (rows[0]?.n ?? 0) <= FEW_CHUNKS
}

/**
 * Whether the chunk that `chunkId` (an SQL expression) names passes; asked a row at a time, in the order of the walk.
 * One subquery in the other, not a join: both are then found by key, where a join would read small tables whole, once a row.
 */
export function passesExpression(chunkId: string, predicate: string): string {
  return `(select (select true from documents d
             where d.bank_id = $1 and d.document_id = c.document_id and ${predicate})
           from chunks c where c.bank_id = $1 and c.chunk_id = ${chunkId})`
}

/** All chunks that pass, as a subquery: for narrow filters. */
export function passingChunks(predicate: string): string {
  return `select c.chunk_id from documents d join chunks c on c.bank_id = $1 and c.document_id = d.document_id
          where d.bank_id = $1 and ${predicate}`
}
