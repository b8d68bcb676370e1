import type { VectorKind } from '../../domain/cue.ts'
import { VECTOR_KINDS, vectorKindNumber } from '../../domain/cue.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { CopyColumn, CopyValue, Queryable } from '../database.ts'
import { decodeVector, quoteIdentifier } from '../sql-values.ts'
import { lockDerived } from './derived-lock.ts'
import { bitsTable, vectorsTable } from './space-tables.ts'
import { codeSigns } from './vector-code.ts'

export interface NewVector {
  readonly chunkId: number
  readonly kind: VectorKind
  /** 0 for content and window; the cue's ordinal for a cue. */
  readonly ordinal: number
  /** First 16 bytes of a hash of the embedded text and its instruction, as 32 hex digits: the key of the embedding cache. */
  readonly textHash: string
  readonly vector: Float32Array
}

const VECTOR_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'kind', type: 'int2' },
  { name: 'ordinal', type: 'int2' },
  { name: 'text_hash', type: 'bytea' },
  { name: 'embedding', type: 'vector' },
]
const BIT_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'kind', type: 'int2' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'ordinal', type: 'int2' },
  { name: 'bits', type: 'bit' },
]

/** Writes vectors, their bits and the counts. Run it in a transaction. */
export async function copyVectors(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  vectors: readonly NewVector[],
): Promise<number> {
  if (vectors.length === 0) return 0
  await lockDerived(tx, bankId)
  const counts = new Map<number, number>()
  const wide: CopyValue[][] = []
  const narrow: CopyValue[][] = []
  for (const { chunkId, kind, ordinal, textHash, vector } of vectors) {
    const number = vectorKindNumber(kind)
    counts.set(number, (counts.get(number) ?? 0) + 1)
    wide.push([bankId, chunkId, number, ordinal, Buffer.from(textHash, 'hex'), vector])
    narrow.push([bankId, number, chunkId, ordinal, codeSigns(vector)])
  }
  await tx.copy(vectorsTable(space), VECTOR_COLUMNS, wide)
  await tx.copy(bitsTable(space), BIT_COLUMNS, narrow)
  await addToVectorCounts(tx, bankId, space, counts)
  return vectors.length
}

async function addToVectorCounts(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  const kinds = [...counts.keys()].sort((a, b) => a - b)
  await tx.execute(
    `insert into vector_statistics (bank_id, space_id, kind, vector_count)
     select $1, $2, kind, n from unnest($3::smallint[], $4::bigint[]) as t(kind, n) order by kind
     on conflict (bank_id, space_id, kind) do update
       set vector_count = vector_statistics.vector_count + excluded.vector_count`,
    [bankId, space.spaceId, kinds, kinds.map((kind) => counts.get(kind) ?? 0)],
  )
}

/** Vectors of the bank by text hash: what need not be embedded again. */
export async function vectorsByHash(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  hashes: readonly string[],
): Promise<Map<string, Float32Array>> {
  if (hashes.length === 0) return new Map()
  const rows = await q.query<{ hash: string; vector: Uint8Array }>(
    `select h.hash, v.vector
     from unnest($2::text[]) as h(hash) cross join lateral (
       select vector_send(x.embedding) as vector from ${quoteIdentifier(vectorsTable(space))} x
       where x.bank_id = $1 and x.text_hash = decode(h.hash, 'hex') limit 1) v`,
    [bankId, [...new Set(hashes)]],
  )
  return new Map(rows.map((row) => [row.hash, decodeVector(row.vector)]))
}

/** Where a vector stands. */
export interface VectorKey {
  readonly chunkId: number
  readonly kind: VectorKind
  readonly ordinal: number
}

/** Where the vectors of chunks stand in a space, and of which texts they are. */
export async function vectorKeys(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  chunkIds: readonly number[],
): Promise<(VectorKey & { readonly textHash: string })[]> {
  if (chunkIds.length === 0) return []
  const rows = await q.query<{ chunkId: number; kind: number; ordinal: number; textHash: string }>(
    `select chunk_id as "chunkId", kind, ordinal, encode(text_hash, 'hex') as "textHash"
     from ${quoteIdentifier(vectorsTable(space))} where bank_id = $1 and chunk_id = any($2::bigint[])`,
    [bankId, chunkIds],
  )
  return rows.map((row) => ({ ...row, kind: VECTOR_KINDS[row.kind]! }))
}

/** Removes the vectors of chunks in one space (of some kinds, when given), their codes, and their counts. */
export async function deleteVectors(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  chunkIds: readonly number[],
  kinds: readonly VectorKind[] = VECTOR_KINDS,
): Promise<void> {
  if (chunkIds.length === 0) return
  await lockDerived(tx, bankId)
  await deleteWhere(tx, bankId, space, {
    condition: 'x.chunk_id = any($2::bigint[]) and x.kind = any($3::smallint[])',
    parameters: [chunkIds, kinds.map(vectorKindNumber)],
  })
}

/** The same for single vectors. */
export async function deleteVectorsAt(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  places: readonly VectorKey[],
): Promise<void> {
  if (places.length === 0) return
  await lockDerived(tx, bankId)
  await deleteWhere(tx, bankId, space, {
    joined: 'unnest($2::bigint[], $3::smallint[], $4::smallint[]) as p(chunk_id, kind, ordinal)',
    condition: 'x.chunk_id = p.chunk_id and x.kind = p.kind and x.ordinal = p.ordinal',
    parameters: [
      places.map(({ chunkId }) => chunkId),
      places.map(({ kind }) => vectorKindNumber(kind)),
      places.map(({ ordinal }) => ordinal),
    ],
  })
}

/** Which rows go: a condition on them as `x`, its parameters from `$2` on. */
interface Going {
  /** What else is looked at. */
  readonly joined?: string
  readonly condition: string
  readonly parameters: readonly (readonly number[])[]
}

async function deleteWhere(
  tx: Queryable,
  bankId: number,
  space: VectorSpace,
  { joined, condition, parameters }: Going,
): Promise<void> {
  const where = `${joined === undefined ? '' : `using ${joined} `}where x.bank_id = $1 and ${condition}`
  const vectors = await tx.query<{ kind: number; n: number }>(
    `with gone as (delete from ${quoteIdentifier(vectorsTable(space))} x ${where} returning x.kind)
     select kind, count(*) as n from gone group by kind order by kind`,
    [bankId, ...parameters],
  )
  const indexed = await tx.query<{ kind: number; n: number }>(
    `with gone as (delete from ${quoteIdentifier(bitsTable(space))} x ${where} returning x.kind, x.indexed)
     select kind, count(*) as n from gone where indexed group by kind`,
    [bankId, ...parameters],
  )
  if (vectors.length === 0) return
  const indexedOf = new Map(indexed.map((row) => [row.kind, row.n]))
  await tx.execute(
    `update vector_statistics s
     set vector_count = s.vector_count - n.vectors, indexed_count = s.indexed_count - n.indexed
     from unnest($3::smallint[], $4::bigint[], $5::bigint[]) as n(kind, vectors, indexed)
     where s.bank_id = $1 and s.space_id = $2 and s.kind = n.kind`,
    [
      bankId,
      space.spaceId,
      vectors.map((row) => row.kind),
      vectors.map((row) => row.n),
      vectors.map((row) => indexedOf.get(row.kind) ?? 0),
    ],
  )
}
