import type { Queryable } from '../database.ts'

/** How many documents there are and how long: what BM25 over documents is measured against. */
export interface DocumentStatistics {
  /** Current documents. */
  readonly count: number
  /** Their mean length in UTF-8 bytes. */
  readonly averageBytes: number
}

export async function documentStatistics(q: Queryable, bankId: number): Promise<DocumentStatistics> {
  const rows = await q.query<{ count: number; averageBytes: number }>(
    `select count(*) as count, coalesce(avg(byte_length), 0)::float8 as "averageBytes"
     from documents where bank_id = $1 and state = 'current'`,
    [bankId],
  )
  return rows[0] ?? { count: 0, averageBytes: 0 }
}

/** What a document holds of a question's terms in the bodies of its chunks. */
export interface DocumentMatch {
  readonly documentId: number
  readonly byteLength: number
  readonly termIds: readonly number[]
  /** Occurrences, in the order of `termIds`. */
  readonly frequencies: readonly number[]
}

/**
 * The documents of given chunks with their occurrences of terms. A document's chunks were numbered in order, so its postings lie
 * between those of its first and its last chunk; where numbers of others fall between (writers at the same time), they are left out.
 */
export function documentMatches(
  q: Queryable,
  bankId: number,
  request: { readonly termIds: readonly number[]; readonly chunkIds: readonly number[] },
): Promise<DocumentMatch[]> {
  if (request.chunkIds.length === 0) return Promise.resolve([])
  return q.query<DocumentMatch>(
    `with d as materialized (
       select o.document_id, o.byte_length, o.chunk_count,
         (select min(c.chunk_id) from chunks c where c.bank_id = $1 and c.document_id = o.document_id and c.ordinal = 0) as low,
         (select min(c.chunk_id) from chunks c
           where c.bank_id = $1 and c.document_id = o.document_id and c.ordinal = o.chunk_count - 1) as high
       from documents o
       where o.bank_id = $1 and o.document_id = any(array(
         select c.document_id from chunks c where c.bank_id = $1 and c.chunk_id = any($2::bigint[])))
     ), f as materialized (
       select d.document_id, t.term_id, p.frequency
       from d cross join unnest($3::integer[]) as t(term_id)
       cross join lateral (
         select sum(p.frequency) as frequency from postings p
         where p.bank_id = $1 and p.term_id = t.term_id and p.chunk_id between d.low and d.high
           and (d.high - d.low = d.chunk_count - 1 or exists (
             select from chunks c where c.bank_id = $1 and c.chunk_id = p.chunk_id and c.document_id = d.document_id))
         offset 0) p
       where p.frequency > 0
     )
     select d.document_id as "documentId", d.byte_length as "byteLength",
       array(select f.term_id from f where f.document_id = d.document_id order by f.term_id) as "termIds",
       array(select f.frequency::integer from f where f.document_id = d.document_id order by f.term_id) as frequencies
     from d`,
    [bankId, request.chunkIds, request.termIds],
  )
}
