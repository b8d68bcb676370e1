import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { renderDuring, renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

/** A document that passes a filter, and how much there is to read of it. */
export interface FilteredDocument {
  readonly documentId: number
  readonly source: string
  /** Within the filter's time, where it has one. */
  readonly chunks: number
  readonly tokens: number
}

/**
 * Documents of which at least one chunk passes the filter, in the order of their ids, a page at a time: the next begins after the last id.
 * A document is found by its key, its chunks by theirs.
 */
export function filteredDocuments(
  q: Queryable,
  bankId: number,
  filter: Filter,
  page: { readonly after: number; readonly limit: number },
): Promise<FilteredDocument[]> {
  const parameters = createParameters(bankId)
  const after = parameters.bind(page.after)
  const passes = renderFilter(filter, parameters)
  const during = renderDuring(filter.during, parameters)
  return q.query<FilteredDocument>(
    `select d.document_id as "documentId", d.source, r.chunks, r.tokens
     from documents d cross join lateral (
       select count(*) as chunks, coalesce(sum(c.tokens), 0)::float8 as tokens from chunks c
       where c.bank_id = $1 and c.document_id = d.document_id and ${during} offset 0) r
     where d.bank_id = $1 and d.document_id > ${after}::bigint and exists (
       select from chunks c where c.bank_id = $1 and c.document_id = d.document_id and ${passes})
     order by d.document_id limit ${parameters.bind(page.limit)}::integer`,
    parameters.values,
  )
}
