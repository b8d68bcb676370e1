import { CUE_KINDS, VECTOR_KINDS, type VectorKind, vectorKindNumber } from '../../domain/cue.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { vectorsTable } from './space-tables.ts'

/** A cue's text as `embeddingHash` hashes it: a vector of what the cue said before is none of it. */
export const cueTextHash = (text: string): string =>
  `substring(sha256(convert_to('symmetric' || chr(10) || ${text}, 'UTF8')) from 1 for 16)`

/** Vectors that a space lacks, a row each with its document: of chunks, and of cues that are to have one. */
const lacking = (space: VectorSpace): string => {
  const vectors = quoteIdentifier(vectorsTable(space))
  return `select c.document_id from chunks c
     where c.bank_id = $1 and not exists (
       select from ${vectors} v where v.bank_id = $1 and v.chunk_id = c.chunk_id and v.kind = 0)
     union all
     select c.document_id from cues u join chunks c on c.bank_id = $1 and c.chunk_id = u.chunk_id
     where u.bank_id = $1 and u.embedded and not exists (
       select from ${vectors} v where v.bank_id = $1 and v.chunk_id = u.chunk_id and v.kind = u.kind
         and v.ordinal = u.ordinal and v.text_hash = ${cueTextHash('u.text')})`
}

/** Documents that lack a vector in the space, by id. */
export async function documentsWithoutVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select distinct m.document_id as id from (${lacking(space)}) m order by 1`,
    [bankId],
  )
  return rows.map((row) => row.id)
}

/** How many vectors the space lacks, and of how many documents. */
export async function countMissingVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
): Promise<{ readonly vectors: number; readonly documents: number }> {
  const rows = await q.query<{ vectors: number; documents: number }>(
    `select count(*) as vectors, count(distinct m.document_id) as documents from (${lacking(space)}) m`,
    [bankId],
  )
  return rows[0] ?? { vectors: 0, documents: 0 }
}

/** Vectors in the space of cues that are no more. */
export async function strayCueVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
): Promise<{ readonly chunkId: number; readonly kind: VectorKind; readonly ordinal: number }[]> {
  const rows = await q.query<{ chunkId: number; kind: number; ordinal: number }>(
    `select v.chunk_id as "chunkId", v.kind, v.ordinal from ${quoteIdentifier(vectorsTable(space))} v
     where v.bank_id = $1 and v.kind = any($2::smallint[]) and not exists (
       select from cues u where u.bank_id = $1 and u.chunk_id = v.chunk_id and u.kind = v.kind
         and u.ordinal = v.ordinal and u.embedded)`,
    [bankId, CUE_KINDS.map(vectorKindNumber)],
  )
  return rows.map((row) => ({ ...row, kind: VECTOR_KINDS[row.kind]! }))
}
