import type { VectorSpace } from '../bank-store.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { type FilterPlan, passesExpression, passingChunks } from './filter-reach.ts'
import { bitsTable, integerLiteral, vectorsTable } from './space-tables.ts'
import { codeLength } from './vector-code.ts'

export interface VectorBlock {
  /** Number of the query vector: the CTE `q<n>` has it as `v`. */
  readonly vector: number
  readonly kind: number
  /** `$n` of the query vector's code as text. */
  readonly code: string
}

/** Fewest candidates by code whose true cosine is then computed. vector-code.ts has the recall by their number. */
const FEWEST_CANDIDATES = 200

export function candidateCount(limit: number): number {
  return Math.max(FEWEST_CANDIDATES, 5 * limit)
}

/** Breadth of the walk in the HNSW graph. */
const SEARCH_BREADTH = 240

export interface BlockContext {
  readonly space: VectorSpace
  readonly bankId: number
  readonly predicate: string
  readonly plan: FilterPlan
  /** Most chunks of a block. */
  readonly limit: number
}

/** Name of the index over a bank's codes of one kind. */
export function codeIndexName(space: VectorSpace, bankId: number, kind: number): string {
  return `${bitsTable(space)}_hnsw_${integerLiteral(bankId)}_${integerLiteral(kind)}`
}

/** What the partial index covers, and the same words in the query: the planner must prove one from the other. */
export function indexedCondition(bankId: number, kind: number): string {
  return `bank_id = ${integerLiteral(bankId)} and kind = ${integerLiteral(kind)} and indexed`
}

/**
 * The candidates of one query vector among one kind, as a CTE: the nearest codes of those that wait (read from end to
 * end) and of those in the index. What a search of one kind among 10,000 chunks costs in PGlite (CPU, 384 dimensions):
 * planning 1.4 ms, parsing the vector 0.5 ms, the walk 2.5 to 3.5 ms, re-ranking 1.2 ms with the vectors in the buffers (5 ms
 * where they are not), filter 0.4 ms. Fewer candidates save little and cost recall@30: 200 gives 0.969, 160 0.957, 120 0.920,
 * 80 0.858; among 50,000 chunks 200 (breadth 240) gives 0.953, 160 (breadth 200) 0.924.
 */
export function candidatesCte(block: VectorBlock, context: BlockContext): string {
  const bits = quoteIdentifier(bitsTable(context.space))
  const distance = `b.bits <~> ${block.code}::text::bit(${codeLength(context.space.dimension)})`
  const kind = integerLiteral(block.kind)
  const columns = `b.chunk_id, b.ordinal, ${distance} as h`
  const name = candidatesName(block)
  const candidates = integerLiteral(candidateCount(context.limit))
  if (context.plan === 'narrow') {
    return `${name} as materialized (
      select ${columns} from (${passingChunks(context.predicate)}) p
      join ${bits} b on b.bank_id = $1 and b.kind = ${kind} and b.chunk_id = p.chunk_id
      order by h limit ${candidates})`
  }
  const walk = context.plan === 'walk'
  const waiting = `select ${columns} from ${bits} b
      where b.bank_id = ${integerLiteral(context.bankId)} and b.kind = ${kind} and not b.indexed order by h`
  // The scalar subqueries run once, before the scan: nothing is scanned when no row is indexed yet.
  const gate = `(select s.indexed_count > 0 and set_config('hnsw.ef_search', '${SEARCH_BREADTH}', true) <> ''
       from vector_statistics s
       where s.bank_id = $1 and s.space_id = ${integerLiteral(context.space.spaceId)} and s.kind = ${kind})`
  return `${name} as materialized (
    select chunk_id, ordinal, h from (
      (${
        walk
          ? `select * from (${waiting} offset 0) w where ${passesExpression('w.chunk_id', context.predicate)} limit ${candidates}`
          : `${waiting} limit ${candidates}`
      })
      union all
      (select ${columns} from ${bits} b
       where ${indexedCondition(context.bankId, block.kind)} and ${gate}
       ${walk ? `and ${passesExpression('b.chunk_id', context.predicate)}` : ''}
       order by ${distance} limit ${candidates})) u
    order by h limit ${candidates})`
}

function candidatesName(block: VectorBlock): string {
  return `c${block.vector}_${block.kind}`
}

/** The best chunks among the candidates by true cosine. There is always a row, so that `reached` is told. */
export function bestChunksSelect(block: VectorBlock, context: BlockContext): string {
  const kind = integerLiteral(block.kind)
  const vectors = quoteIdentifier(vectorsTable(context.space))
  const name = candidatesName(block)
  return `(select ${integerLiteral(block.vector)} as vector, ${kind} as kind, (select count(*) from ${name}) as reached,
      (select count(distinct chunk_id) from ${name}) as chunks, y.chunk_id as "chunkId", y.ordinal,
      1 - y.distance as score, y.rank
    from (select 1) one left join lateral (
      select * from (
        select chunk_id, ordinal, distance, row_number() over (order by distance, chunk_id) as rank from (
          select distinct on (v.chunk_id) v.chunk_id, v.ordinal, v.embedding <=> (select v from q${block.vector}) as distance
          from ${name} c join ${vectors} v
            on v.bank_id = $1 and v.chunk_id = c.chunk_id and v.kind = ${kind} and v.ordinal = c.ordinal
          order by v.chunk_id, distance) best
        order by distance, chunk_id offset 0) x
      ${context.plan === 'after' ? `where ${passesExpression('x.chunk_id', context.predicate)}` : ''}
      order by x.distance, x.chunk_id limit ${integerLiteral(context.limit)}) y on true)`
}
