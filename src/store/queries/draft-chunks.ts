import type { Queryable } from '../database.ts'

export interface DraftChunk {
  readonly chunkId: number
  readonly documentId: number
  readonly source: string
  /** From 0. */
  readonly ordinal: number
  readonly title: string | null
  readonly label: string | null
  readonly speaker: string | null
  readonly text: string
}

/** Chunks with fewer tokens (a heading, "I see.") are taken only where a document has no others. */
const FEW_TOKENS = 12

/**
 * A sample of current chunks, spread evenly over documents: one of each before a second of any. The same seed gives the same chunks as long
 * as the texts are the same.
 */
export function sampleChunks(
  q: Queryable,
  bankId: number,
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<DraftChunk[]> {
  // documents first, so that one chunk of each needs no look at all chunks of the bank
  return q.query<DraftChunk>(
    `with lots as materialized (
       select document_id, source, title, md5($3 || ' ' || source) as lot
       from documents where bank_id = $1 and state = 'current' and chunk_count > 0 order by 4 limit $2),
     turns as (
       select c.chunk_id, c.document_id, s.lot, row_number() over (
         partition by c.document_id order by c.tokens < ${FEW_TOKENS}, md5($3 || ' ' || c.ordinal)) as turn
       from lots s join chunks c on c.bank_id = $1 and c.document_id = s.document_id)
     select t.chunk_id as "chunkId", t.document_id as "documentId", s.source, c.ordinal, s.title, c.label, c.speaker, c.text
     from (select * from turns order by turn, lot limit $2) t
     join lots s on s.document_id = t.document_id
     join chunks c on c.bank_id = $1 and c.chunk_id = t.chunk_id
     order by t.turn, t.lot`,
    [bankId, count, String(seed)],
  )
}
