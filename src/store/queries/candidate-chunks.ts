import { VECTOR_KINDS, type VectorKind } from '../../domain/cue.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import type { Activity } from './activity.ts'

/** The few facts of a chunk that ranking and packing need: a tenth of what a passage shows, and three times as fast to read. */
export interface CandidateChunk {
  readonly chunkId: number
  readonly documentId: number
  readonly ordinal: number
  readonly speaker: string | null
  readonly tokens: number
  /** The chunk's own time, else its document's, else null. */
  readonly happenedAt: Date | null
  /** What is said, when it was asked for. */
  readonly said: string | null
  /** The caller or a model has written its questions, or a model found that it answers none. False when it was not asked for. */
  readonly enriched: boolean
}

export interface CandidateChunks {
  readonly chunks: readonly CandidateChunk[]
  /** By chunk id; chunks that were never used or marked are absent. */
  readonly activity: ReadonlyMap<number, Activity>
}

const ENRICHED = `(exists (select 1 from enrichments e where e.bank_id = $1 and e.chunk_id = c.chunk_id)
         or exists (select 1 from cues q where q.bank_id = $1 and q.chunk_id = c.chunk_id and q.kind = 2 and q.origin <> 'rules'))`

/** Whether any chunk of the bank has questions of the caller or of a model. */
export async function hasEnriched(q: Queryable, bankId: number): Promise<boolean> {
  const rows = await q.query<{ found: boolean }>(
    `select exists (select 1 from enrichments where bank_id = $1)
       or exists (select 1 from cues where bank_id = $1 and asked_key is not null) as found`,
    [bankId],
  )
  return rows[0]?.found === true
}

/** Candidates with their activity, in no particular order; ids that do not exist are left out. */
export async function candidateChunks(
  q: Queryable,
  bankId: number,
  request: {
    readonly chunkIds: readonly number[]
    readonly withText: boolean
    readonly withEnriched: boolean
  },
): Promise<CandidateChunks> {
  if (request.chunkIds.length === 0) return { chunks: [], activity: new Map() }
  const rows = await q.query<CandidateRow>(
    `select c.chunk_id as "chunkId", c.document_id as "documentId", c.ordinal, c.speaker, c.tokens,
       coalesce(c.occurred_at, d.occurred_at) as "happenedAt",
       ${request.withText ? 'coalesce(c.content, c.text)' : 'null::text'} as said,
       ${request.withEnriched ? ENRICHED : 'false'} as enriched,
       a.significance, a.uses, a.last_used_at as "lastUsedAt", a.pinned
     from chunks c
     join documents d on d.bank_id = $1 and d.document_id = c.document_id
     left join activity a on a.bank_id = $1 and a.chunk_id = c.chunk_id
     where c.bank_id = $1 and c.chunk_id = any($2::bigint[])`,
    [bankId, request.chunkIds],
  )
  const activity = new Map<number, Activity>()
  const chunks = rows.map(({ significance, uses, lastUsedAt, pinned, ...chunk }) => {
    if (significance !== null && uses !== null && pinned !== null) {
      activity.set(chunk.chunkId, { chunkId: chunk.chunkId, significance, uses, lastUsedAt, pinned })
    }
    return chunk
  })
  return { chunks, activity }
}

interface CandidateRow extends CandidateChunk {
  readonly significance: number | null
  readonly uses: number | null
  readonly lastUsedAt: Date | null
  readonly pinned: boolean | null
}

/** Kinds of vector of which the bank has any in the space. */
export async function kindsOfBank(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
): Promise<Set<VectorKind>> {
  const rows = await q.query<{ kind: number }>(
    'select kind from vector_statistics where bank_id = $1 and space_id = $2 and vector_count > 0',
    [bankId, space.spaceId],
  )
  return new Set(rows.flatMap(({ kind }) => VECTOR_KINDS[kind] ?? []))
}
