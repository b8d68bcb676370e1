import type { VectorKind } from '../../domain/cue.ts'
import { VECTOR_KINDS, vectorKindNumber } from '../../domain/cue.ts'
import type { Filter } from '../../domain/filter.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { decodeVector, quoteIdentifier } from '../sql-values.ts'
import { type FilterPlan, firstPlan } from './filter-reach.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'
import { vectorsTable } from './space-tables.ts'
import { codeText } from './vector-code.ts'
import { type BlockContext, bestChunksSelect, candidateCount, candidatesCte } from './vector-search-sql.ts'
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

export interface VectorRequest {
  readonly vectors: readonly Float32Array[]
  readonly filter: Filter
  /** Most chunks of each kind, 1 to 100. */
  readonly limit: number
}

/** By kind, in one statement: the chunks whose vectors come nearest to any of the query vectors (MaxSim), best first. */
export async function searchVectorKinds(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  request: VectorRequest & { readonly kinds: readonly VectorKind[] },
): Promise<Map<VectorKind, VectorHit[]>> {
  const found = new Map<VectorKind, VectorHit[]>(request.kinds.map((kind) => [kind, []]))
  if (request.vectors.length === 0 || request.kinds.length === 0 || request.limit < 1) return found
  const plan = await firstPlan(q, bankId, request.filter)
  let rows = await runBlocks(q, bankId, space, request, request.kinds, plan)
  const short =
    plan === 'narrow'
      ? []
      : request.kinds.filter((kind) => isShort(rows, vectorKindNumber(kind), request.limit))
  if (short.length > 0) {
    const again = new Set(short.map(vectorKindNumber))
    rows = [
      ...rows.filter((row) => !again.has(row.kind)),
      ...(await runBlocks(q, bankId, space, request, short, 'walk')),
    ]
  }
  for (const kind of request.kinds) {
    found.set(kind, bestOfChunks(rows, vectorKindNumber(kind), request.limit))
  }
  return found
}

interface BlockRow {
  readonly kind: number
  readonly vector: number
  /** Candidates that were compared. */
  readonly reached: number
  /** Their chunks. */
  readonly chunks: number
  /** Null in the one row of a block that found nothing. */
  readonly chunkId: number | null
  readonly ordinal: number | null
  readonly score: number | null
  /** Among the candidates' chunks, from 1. */
  readonly rank: number | null
}

async function runBlocks(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  request: VectorRequest,
  kinds: readonly VectorKind[],
  plan: FilterPlan,
): Promise<BlockRow[]> {
  const parameters = createParameters(bankId)
  const context: BlockContext = {
    space,
    bankId,
    plan,
    predicate: renderFilter(request.filter, parameters),
    limit: request.limit,
  }
  const ctes: string[] = []
  const selects: string[] = []
  for (const [vector, values] of request.vectors.entries()) {
    const bound = parameters.bind(vectorParameter(values, space))
    ctes.push(`q${vector} as materialized (select ${vectorExpression(bound, space)} as v)`)
    const code = parameters.bind(codeText(values))
    for (const kind of kinds) {
      const block = { vector, kind: vectorKindNumber(kind), code }
      ctes.push(candidatesCte(block, context))
      selects.push(bestChunksSelect(block, context))
    }
  }
  return q.query<BlockRow>(`with ${ctes.join(',\n')} ${selects.join('\nunion all\n')}`, parameters.values)
}

/**
 * True when a filter may have cost results: candidates ran out before the limit, or so many fell that those left are no
 * longer a good sample of the nearest.
 */
function isShort(rows: readonly BlockRow[], kind: number, limit: number): boolean {
  const blocks = new Map<number, BlockRow[]>()
  for (const row of rows) {
    if (row.kind !== kind || row.reached < candidateCount(limit)) continue
    const block = blocks.get(row.vector)
    if (block === undefined) blocks.set(row.vector, [row])
    else block.push(row)
  }
  return [...blocks.values()].some((block) => {
    const hits = block.filter((row) => row.chunkId !== null)
    const last = Math.max(0, ...hits.map((row) => row.rank ?? 0))
    return hits.length < Math.min(limit, block[0]?.chunks ?? 0) || last > 2 * limit
  })
}

function bestOfChunks(rows: readonly BlockRow[], kind: number, limit: number): VectorHit[] {
  const best = new Map<number, VectorHit>()
  for (const { kind: of, chunkId, ordinal, score } of rows) {
    if (of !== kind || chunkId === null || ordinal === null || score === null) continue
    const before = best.get(chunkId)
    if (before === undefined || before.score < score) best.set(chunkId, { chunkId, score, ordinal })
  }
  return [...best.values()].sort((a, b) => b.score - a.score || a.chunkId - b.chunkId).slice(0, limit)
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
  // Parsed once, not a row: in place of the CTE the cast cost 15 ms for 110 rows in PGlite, with it all is 3 ms.
  const queries = request.vectors.map(
    (vector, i) =>
      `q${i} as materialized (select ${vectorExpression(parameters.bind(vectorParameter(vector, space)), space)} as v)`,
  )
  const distances = request.vectors.map((_, i) => `v.embedding <=> q${i}.v`)
  const names = request.vectors.map((_, i) => `q${i}`)
  const rows = await q.query<{ chunkId: number; kind: number; ordinal: number; score: number }>(
    `with ${queries.join(', ')}
     select distinct on (v.chunk_id, v.kind) v.chunk_id as "chunkId", v.kind, v.ordinal,
       1 - least(${distances.join(', ')}) as score
     from ${quoteIdentifier(vectorsTable(space))} v cross join ${names.join(' cross join ')}
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
