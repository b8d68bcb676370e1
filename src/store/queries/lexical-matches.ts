import type { Queryable } from '../database.ts'

/** What the bank knows of a question's terms, in both fields. */
export interface TermStatistics {
  /** By field, 0 body and 1 cue; a field without any chunk or known term is absent. */
  readonly fields: ReadonlyMap<0 | 1, FieldStatistics>
}

export interface FieldStatistics {
  /** Chunks that count in the field. */
  readonly count: number
  /** Mean length in terms, at least 1. */
  readonly averageLength: number
  /** Id and document frequency of each known term. */
  readonly terms: ReadonlyMap<string, { readonly termId: number; readonly documentFrequency: number }>
}

export async function termStatistics(
  q: Queryable,
  bankId: number,
  terms: readonly string[],
): Promise<TermStatistics> {
  if (terms.length === 0) return { fields: new Map() }
  const rows = await q.query<{
    field: 0 | 1
    term: string
    termId: number
    documentFrequency: number
    chunkCount: number
    totalLength: number
  }>(
    `select t.field, t.term, t.term_id as "termId", t.document_frequency as "documentFrequency",
       s.chunk_count as "chunkCount", s.total_length as "totalLength"
     from terms t join field_statistics s on s.bank_id = $1 and s.field = t.field
     where t.bank_id = $1 and t.field in (0, 1) and t.term = any($2::text[])`,
    [bankId, terms],
  )
  const fields = new Map<0 | 1, FieldStatistics>()
  for (const field of [0, 1] as const) {
    const own = rows.filter((row) => row.field === field)
    const first = own[0]
    if (first === undefined) continue
    fields.set(field, {
      count: first.chunkCount,
      averageLength: Math.max(1, first.totalLength / Math.max(1, first.chunkCount)),
      terms: new Map(own.map((row) => [row.term, row])),
    })
  }
  return { fields }
}

/** The terms of a question that one field of a chunk holds. */
export interface LexicalMatch {
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
  /** 0 body, 1 cue. */
  readonly field: 0 | 1
  /** All terms of the field. */
  readonly length: number
  readonly termIds: readonly number[]
  /** Occurrences, in the order of `termIds`. */
  readonly frequencies: readonly number[]
}

/**
 * Occurrences of terms in given chunks, and in the bodies of the `radius` chunks before and after each in its document: enough to
 * score chunk, cues and surroundings without another statement.
 */
export function lexicalMatches(
  q: Queryable,
  bankId: number,
  request: {
    readonly termIds: readonly number[]
    readonly chunkIds: readonly number[]
    readonly radius: number
  },
): Promise<LexicalMatch[]> {
  if (request.chunkIds.length === 0) return Promise.resolve([])
  return q.query<LexicalMatch>(
    `with near as materialized (
       select distinct n.chunk_id, n.document_id, n.ordinal
       from chunks c
       join chunks n on n.bank_id = $1 and n.document_id = c.document_id
         and n.ordinal between c.ordinal - $4 and c.ordinal + $4
       where c.bank_id = $1 and c.chunk_id = any($2::bigint[])
     )
     select w.chunk_id as "chunkId", w.document_id as "documentId", w.ordinal, x.field, x.length,
       array(select u.term_id from unnest(x.term_ids, x.frequencies) as u(term_id, frequency)
         where u.term_id = any($3::integer[])) as "termIds",
       array(select u.frequency from unnest(x.term_ids, x.frequencies) as u(term_id, frequency)
         where u.term_id = any($3::integer[])) as frequencies
     from near w join chunk_terms x on x.bank_id = $1 and x.chunk_id = w.chunk_id
     where x.field = 0 or w.chunk_id = any($2::bigint[])`,
    [bankId, request.chunkIds, request.termIds, request.radius],
  )
}
