import { VECTOR_KINDS, type VectorKind, vectorKindNumber } from '../../domain/cue.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { decodeVector, quoteIdentifier } from '../sql-values.ts'
import { vectorsTable } from './space-tables.ts'

export interface VectorPlace {
  readonly chunkId: number
  readonly kind: VectorKind
  readonly ordinal: number
}

export interface StoredVector extends VectorPlace {
  readonly textHash: string
  readonly vector: Float32Array
}

/** Some documents, others at each call; of none of more than `mostChunks`. */
export async function someDocuments(
  q: Queryable,
  bankId: number,
  { limit, mostChunks }: { readonly limit: number; readonly mostChunks: number },
): Promise<{ readonly documentId: number; readonly name: string }[]> {
  return q.query<{ documentId: number; name: string }>(
    `select document_id as "documentId", case when state = 'current' then source else source || '@' || version end as name
     from documents where bank_id = $1 and chunk_count between 1 and $2 order by random() limit $3`,
    [bankId, mostChunks, limit],
  )
}

/** The vectors at places, of those that there are. */
export async function vectorsAt(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  places: readonly VectorPlace[],
): Promise<StoredVector[]> {
  const rows = await q.query<{
    chunkId: number
    kind: number
    ordinal: number
    textHash: string
    vector: Uint8Array
  }>(
    `select v.chunk_id as "chunkId", v.kind, v.ordinal, encode(v.text_hash, 'hex') as "textHash",
       vector_send(v.embedding) as vector
     from ${quoteIdentifier(vectorsTable(space))} v
     join unnest($2::bigint[], $3::smallint[], $4::smallint[]) as p(chunk_id, kind, ordinal)
       on p.chunk_id = v.chunk_id and p.kind = v.kind and p.ordinal = v.ordinal
     where v.bank_id = $1`,
    [
      bankId,
      places.map((place) => place.chunkId),
      places.map((place) => vectorKindNumber(place.kind)),
      places.map((place) => place.ordinal),
    ],
  )
  return rows.map((row) => ({
    ...row,
    kind: VECTOR_KINDS[row.kind]!,
    vector: decodeVector(row.vector),
  }))
}
