import type { VectorKind } from '../../domain/cue.ts'
import { VECTOR_KINDS, vectorKindNumber } from '../../domain/cue.ts'
import type { Filter } from '../../domain/filter.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { decodeVector, quoteIdentifier } from '../sql-values.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'
import { vectorsTable } from './space-tables.ts'
import { vectorExpression, vectorParameter } from './vector-sql.ts'

export interface VectorHit {
  readonly chunkId: number
  /** Cosine, −1 to 1. */
  readonly score: number
  /** Of the vector that met the query best. */
  readonly ordinal: number
}

export interface VectorScore extends VectorHit {
  readonly kind: VectorKind
}

/** The chunks whose vectors of a kind come nearest to any of the query vectors (MaxSim), best first. */
export async function searchVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  request: {
    readonly vectors: readonly Float32Array[]
    readonly kind: VectorKind
    readonly filter: Filter
    readonly limit: number
  },
): Promise<VectorHit[]> {
  if (request.vectors.length === 0 || request.limit < 1) return []
  const parameters = createParameters(bankId)
  const kind = parameters.bind(vectorKindNumber(request.kind))
  const distances = request.vectors.map(
    (vector) => `v.embedding <=> ${vectorExpression(parameters.bind(vectorParameter(vector, space)), space)}`,
  )
  return q.query<VectorHit>(
    `select "chunkId", score, ordinal from (
       select distinct on (v.chunk_id) v.chunk_id as "chunkId", v.ordinal, 1 - least(${distances.join(', ')}) as score
       from ${quoteIdentifier(vectorsTable(space))} v
       join chunks c on c.bank_id = $1 and c.chunk_id = v.chunk_id
       join documents d on d.bank_id = $1 and d.document_id = c.document_id
       where v.bank_id = $1 and v.kind = ${kind} and ${renderFilter(request.filter, parameters)}
       order by v.chunk_id, score desc) best
     order by score desc, "chunkId" limit ${parameters.bind(request.limit)}`,
    parameters.values,
  )
}

/** Cosine of given chunks, the best vector of each chunk and kind. */
export async function scoreVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  request: {
    readonly vectors: readonly Float32Array[]
    readonly kinds: readonly VectorKind[]
    readonly chunkIds: readonly number[]
  },
): Promise<VectorScore[]> {
  if (request.vectors.length === 0 || request.chunkIds.length === 0 || request.kinds.length === 0) return []
  const parameters = createParameters(bankId)
  const kinds = parameters.bind(request.kinds.map(vectorKindNumber))
  const ids = parameters.bind(request.chunkIds)
  const distances = request.vectors.map(
    (vector) => `v.embedding <=> ${vectorExpression(parameters.bind(vectorParameter(vector, space)), space)}`,
  )
  const rows = await q.query<{ chunkId: number; kind: number; ordinal: number; score: number }>(
    `select distinct on (v.chunk_id, v.kind) v.chunk_id as "chunkId", v.kind, v.ordinal,
       1 - least(${distances.join(', ')}) as score
     from ${quoteIdentifier(vectorsTable(space))} v
     where v.bank_id = $1 and v.chunk_id = any(${ids}::bigint[]) and v.kind = any(${kinds}::smallint[])
     order by v.chunk_id, v.kind, score desc`,
    parameters.values,
  )
  return rows.map((row) => ({ ...row, kind: VECTOR_KINDS[row.kind]! }))
}

/** One vector of a kind for each chunk that has one (the first ordinal). */
export async function vectorsOfChunks(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  chunkIds: readonly number[],
  kind: VectorKind,
): Promise<Map<number, Float32Array>> {
  if (chunkIds.length === 0) return new Map()
  const rows = await q.query<{ chunkId: number; vector: Uint8Array }>(
    `select distinct on (chunk_id) chunk_id as "chunkId", vector_send(embedding) as vector
     from ${quoteIdentifier(vectorsTable(space))}
     where bank_id = $1 and chunk_id = any($2::bigint[]) and kind = $3 order by chunk_id, ordinal`,
    [bankId, chunkIds, vectorKindNumber(kind)],
  )
  return new Map(rows.map((row) => [row.chunkId, decodeVector(row.vector)]))
}
