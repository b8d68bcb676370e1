import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

export interface WeightedTerm {
  readonly term: string
  /** > 0; 1 for a term of the message itself. */
  readonly weight: number
}

export interface LexicalRequest {
  /** 0 body, 1 cue. */
  readonly field: 0 | 1
  readonly terms: readonly WeightedTerm[]
}

export interface LexicalHit {
  readonly chunkId: number
  readonly score: number
}

export interface LexicalResult {
  /** Best first. */
  readonly hits: readonly LexicalHit[]
  /** Terms that were too common for the postings budget and took no part. */
  readonly truncatedTerms: readonly string[]
}

/** Robertson's BM25 as in the literature: k1 1.2, b 0.75, idf = ln(1 + (N − df + 0.5) / (df + 0.5)). */
const K1 = 1.2
const B = 0.75

/** Most postings that one search reads in one field. */
const POSTINGS_BUDGET = 20_000

/** BM25 over one field, OR semantics, rarest terms first within the budget of postings. */
export async function searchLexical(
  q: Queryable,
  bankId: number,
  request: LexicalRequest & {
    readonly filter: Filter
    readonly limit: number
    readonly postingsBudget?: number | undefined
  },
): Promise<LexicalResult> {
  const scored = await termScores(q, bankId, request)
  if (scored === null) return { hits: [], truncatedTerms: [] }
  const budget = request.postingsBudget ?? POSTINGS_BUDGET
  const kept: ScoredTerm[] = []
  const truncatedTerms: string[] = []
  let postings = 0
  for (const term of scored.terms) {
    postings += term.documentFrequency
    // The rarest term always takes part, however common it is.
    if (kept.length > 0 && postings > budget) truncatedTerms.push(term.term)
    else kept.push(term)
  }
  if (kept.length === 0) return { hits: [], truncatedTerms }
  const parameters = createParameters(bankId)
  const ids = parameters.bind(kept.map((term) => term.termId))
  const gains = parameters.bind(kept.map((term) => term.gain))
  const hits = await q.query<LexicalHit>(
    `select s.chunk_id as "chunkId", s.score from (
       select p.chunk_id, sum(t.gain * p.frequency / (p.frequency + ${lengthNorm(scored.averageLength)})) as score
       from unnest(${ids}::integer[], ${gains}::real[]) as t(term_id, gain)
       join postings p on p.bank_id = $1 and p.term_id = t.term_id
       group by p.chunk_id) s
     join chunks c on c.bank_id = $1 and c.chunk_id = s.chunk_id
     join documents d on d.bank_id = $1 and d.document_id = c.document_id
     where ${renderFilter(request.filter, parameters)}
     order by s.score desc, s.chunk_id limit ${parameters.bind(request.limit)}`,
    parameters.values,
  )
  return { hits, truncatedTerms }
}

/** Exact BM25 of given chunks over all terms, common ones too. Chunks without any of the terms are absent. */
export async function scoreLexical(
  q: Queryable,
  bankId: number,
  request: LexicalRequest & { readonly chunkIds: readonly number[] },
): Promise<Map<number, number>> {
  const scored = await termScores(q, bankId, request)
  if (scored === null || scored.terms.length === 0 || request.chunkIds.length === 0) return new Map()
  const rows = await q.query<LexicalHit>(
    `select x.chunk_id as "chunkId",
       sum(t.gain * u.frequency / (u.frequency + ${lengthNorm(scored.averageLength).replace('p.', 'x.')})) as score
     from chunk_terms x cross join unnest(x.term_ids, x.frequencies) as u(term_id, frequency)
     join unnest($2::integer[], $3::real[]) as t(term_id, gain) on t.term_id = u.term_id
     where x.bank_id = $1 and x.field = $4 and x.chunk_id = any($5::bigint[])
     group by x.chunk_id`,
    [
      bankId,
      scored.terms.map((term) => term.termId),
      scored.terms.map((term) => term.gain),
      request.field,
      request.chunkIds,
    ],
  )
  return new Map(rows.map((row) => [row.chunkId, row.score]))
}

interface ScoredTerm {
  readonly term: string
  readonly termId: number
  readonly documentFrequency: number
  /** weight × idf × (k1 + 1) */
  readonly gain: number
}

/** k1 (1 − b + b · length / average), in float4: numeric arithmetic doubles the time. */
function lengthNorm(averageLength: number): string {
  return `(${K1 * (1 - B)}::real + ${(K1 * B) / averageLength}::real * p.length)`
}

/** The terms that the bank knows, rarest first; null for an empty field. */
async function termScores(
  q: Queryable,
  bankId: number,
  request: LexicalRequest,
): Promise<{ readonly averageLength: number; readonly terms: readonly ScoredTerm[] } | null> {
  const weights = new Map<string, number>()
  for (const { term, weight } of request.terms) {
    if (weight > 0) weights.set(term, (weights.get(term) ?? 0) + weight)
  }
  if (weights.size === 0) return null
  const rows = await q.query<{
    term: string
    termId: number
    documentFrequency: number
    chunkCount: number
    totalLength: number
  }>(
    `select t.term, t.term_id as "termId", t.document_frequency as "documentFrequency",
       s.chunk_count as "chunkCount", s.total_length as "totalLength"
     from terms t join field_statistics s on s.bank_id = $1 and s.field = $2
     where t.bank_id = $1 and t.field = $2 and t.term = any($3::text[])`,
    [bankId, request.field, [...weights.keys()]],
  )
  const first = rows[0]
  if (first === undefined) return null
  const count = Math.max(first.chunkCount, 1)
  const terms = rows.map((row): ScoredTerm => {
    // Of superseded text alone a term has frequency 0; concurrent writers cannot push it past the count.
    const frequency = Math.min(Math.max(row.documentFrequency, 0), count)
    const idf = Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    return {
      term: row.term,
      termId: row.termId,
      documentFrequency: frequency,
      gain: (weights.get(row.term) ?? 0) * idf * (K1 + 1),
    }
  })
  terms.sort((a, b) => a.documentFrequency - b.documentFrequency || a.termId - b.termId)
  return { averageLength: Math.max(first.totalLength / count, 1), terms }
}
