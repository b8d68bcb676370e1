import type { Queryable } from '../database.ts'

/** A chunk in its document, with the lengths of its fields in terms. */
export interface ChunkPlace {
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
  readonly bodyLength: number
  readonly cueLength: number
}

/** A term in one field of a chunk. Body and cue terms have different ids. */
export interface TermPosting {
  readonly chunkId: number
  readonly termId: number
  readonly frequency: number
  /** Length of the field in terms. */
  readonly length: number
}

export interface LexicalMatches {
  /** The given chunks and those within the radius. */
  readonly places: readonly ChunkPlace[]
  /** Of all those places. */
  readonly postings: readonly TermPosting[]
}

/**
 * Occurrences of terms in given chunks and in the `radius` chunks before and after each in its document: enough to score chunk, cues
 * and surroundings. For 110 chunks of 25 words with two neighbours each side and 8 terms, CPU in PGlite: 3.3 ms. Tried: rows in place of
 * arrays 5.6 ms; the forward index with unnest 8 ms (14 for two arrays); a posting probe a chunk 46 ms; lengths by a join of the forward
 * index 39 ms (planned badly: how many rows `near` has is unknown to it). The offset keeps the neighbours a walk of the index: joined, the
 * planner read the whole bank.
 */
export async function lexicalMatches(
  q: Queryable,
  bankId: number,
  request: {
    readonly termIds: readonly number[]
    readonly chunkIds: readonly number[]
    readonly radius: number
  },
): Promise<LexicalMatches> {
  if (request.chunkIds.length === 0) return { places: [], postings: [] }
  const rows = await q.query<MatchArrays>(
    `with near as materialized (
       select distinct n.chunk_id, n.document_id, n.ordinal
       from chunks c
       cross join lateral (
         select b.chunk_id, b.document_id, b.ordinal from chunks b
         where b.bank_id = $1 and b.document_id = c.document_id
           and b.ordinal between c.ordinal - $4 and c.ordinal + $4 offset 0) n
       where c.bank_id = $1 and c.chunk_id = any($2::bigint[])
     )
     select w.*, m.* from (
       select array_agg(n.chunk_id) as "chunkIds", array_agg(n.document_id) as "documentIds",
         array_agg(n.ordinal) as ordinals,
         array_agg((select coalesce(max(x.length), 0) from chunk_terms x
           where x.bank_id = $1 and x.chunk_id = n.chunk_id and x.field = 0)) as "bodyLengths",
         array_agg((select coalesce(max(x.length), 0) from chunk_terms x
           where x.bank_id = $1 and x.chunk_id = n.chunk_id and x.field = 1)) as "cueLengths"
       from near n) w
     cross join (
       select array_agg(p.chunk_id) as "postingChunks", array_agg(p.term_id) as "termIds",
         array_agg(p.frequency) as frequencies, array_agg(p.length) as lengths
       from postings p
       where p.bank_id = $1 and p.term_id = any($3::integer[])
         and p.chunk_id = any(array(select chunk_id from near))) m`,
    [bankId, request.chunkIds, request.termIds, request.radius],
  )
  const found = rows[0] ?? NO_MATCHES
  const { chunkIds, documentIds, ordinals, bodyLengths, cueLengths } = found
  const { postingChunks, termIds, frequencies, lengths } = found
  return {
    places: (chunkIds ?? []).map((chunkId, i) => ({
      chunkId,
      documentId: documentIds?.[i] ?? 0,
      ordinal: ordinals?.[i] ?? 0,
      bodyLength: bodyLengths?.[i] ?? 0,
      cueLength: cueLengths?.[i] ?? 0,
    })),
    postings: (postingChunks ?? []).map((chunkId, i) => ({
      chunkId,
      termId: termIds?.[i] ?? 0,
      frequency: frequencies?.[i] ?? 0,
      length: lengths?.[i] ?? 0,
    })),
  }
}

/** Columns in step: places, then postings. Null where there is none. */
interface MatchArrays {
  readonly chunkIds: readonly number[] | null
  readonly documentIds: readonly number[] | null
  readonly ordinals: readonly number[] | null
  readonly bodyLengths: readonly number[] | null
  readonly cueLengths: readonly number[] | null
  readonly postingChunks: readonly number[] | null
  readonly termIds: readonly number[] | null
  readonly frequencies: readonly number[] | null
  readonly lengths: readonly number[] | null
}

const NO_MATCHES: MatchArrays = {
  ...{ chunkIds: null, documentIds: null, ordinals: null, bodyLengths: null, cueLengths: null },
  ...{ postingChunks: null, termIds: null, frequencies: null, lengths: null },
}
