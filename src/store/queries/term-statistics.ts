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

/** How many chunks of current documents the bank has. */
export async function currentChunkCount(q: Queryable, bankId: number): Promise<number> {
  const rows = await q.query<{ chunkCount: number }>(
    'select chunk_count as "chunkCount" from field_statistics where bank_id = $1 and field = 0',
    [bankId],
  )
  return rows[0]?.chunkCount ?? 0
}
