import type { Filter } from '../../domain/filter.ts'
import type { Queryable } from '../database.ts'
import { type FilterPlan, firstPlan, passesExpression, passingChunks } from './filter-reach.ts'
import { renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'
import { type FieldStatistics, type TermStatistics, termStatistics } from './term-statistics.ts'

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

/**
 * Most postings that one search reads in one field, about 0.6 µs each in PGlite: the words that it leaves out are in every other chunk, and
 * the candidates' exact scores count them again. Large banks are read deeper: there a word may be in thousands of chunks and still tell
 * them apart. (MemAware, 21,865 chunks, long messages: the same result for 12,000, 6,000 and 3,000.)
 */
function postingsBudget(chunks: number): number {
  return Math.min(12_000, Math.max(4_000, chunks / 12))
}

export interface LexicalSearch {
  readonly filter: Filter
  readonly limit: number
  readonly postingsBudget?: number | undefined
}

/** BM25 over one field, OR semantics, rarest terms first within the budget of postings. */
export async function searchLexical(
  q: Queryable,
  bankId: number,
  request: LexicalRequest & LexicalSearch,
): Promise<LexicalResult> {
  const statistics = await termStatistics(
    q,
    bankId,
    request.terms.map(({ term }) => term),
  )
  const results = await searchLexicalFields(q, bankId, [request], { ...request, statistics })
  return results[0] ?? { hits: [], truncatedTerms: [] }
}

/**
 * `searchLexical` for several fields in one statement, with the statistics of their terms at hand; results in the order of the requests. How the list of a
 * short question over 10,000 chunks (1,400 postings a field) was scored, PGlite, CPU p50: float8 arithmetic 2.6 ms,
 * float4 1.9 ms, float4 with the division folded 1.6 ms (here); a `union all` of one scan a term 1.9 ms; reading alone 0.8 ms.
 */
export async function searchLexicalFields(
  q: Queryable,
  bankId: number,
  requests: readonly LexicalRequest[],
  search: LexicalSearch & { readonly statistics: TermStatistics },
): Promise<LexicalResult[]> {
  const cuts = requests.map((request, i) =>
    cutToBudget(
      scoredTerms(i, request, search.statistics.fields.get(request.field)),
      search.postingsBudget ?? postingsBudget(search.statistics.fields.get(request.field)?.count ?? 0),
    ),
  )
  const plan = await firstPlan(q, bankId, search.filter)
  let rows = await runFields(q, bankId, cuts, search, plan)
  const short = plan === 'narrow' ? [] : cuts.filter((cut) => isShort(rows, cut.request, search.limit))
  if (short.length > 0) {
    rows = [
      ...rows.filter((row) => !short.some((cut) => cut.request === row.request)),
      ...(await runFields(q, bankId, short, search, 'walk')),
    ]
  }
  return cuts.map(({ request, truncatedTerms }) => ({
    hits: rows.flatMap((row) =>
      row.request === request && row.chunkId !== null && row.score !== null
        ? [{ chunkId: row.chunkId, score: row.score }]
        : [],
    ),
    truncatedTerms,
  }))
}

interface CutField {
  /** Position in the call. */
  readonly request: number
  readonly averageLength: number
  readonly terms: readonly ScoredTerm[]
  readonly truncatedTerms: readonly string[]
}

/** Rarest first; the rarest term always takes part, however common it is. */
function cutToBudget(field: ScoredField, budget: number): CutField {
  const terms: ScoredTerm[] = []
  const truncatedTerms: string[] = []
  let postings = 0
  for (const term of field.terms) {
    postings += term.documentFrequency
    if (terms.length > 0 && postings > budget) truncatedTerms.push(term.term)
    else terms.push(term)
  }
  return { request: field.request, averageLength: field.averageLength, terms, truncatedTerms }
}

interface FieldRow {
  readonly request: number
  /** Chunks in the list, `LIST_FACTOR × limit` at most. */
  readonly reached: number
  /** Null in the one row of a field that found nothing. */
  readonly chunkId: number | null
  readonly score: number | null
}

/** The first look takes so many times the limit from the scored list; nearly all of them are current documents' chunks. */
const LIST_FACTOR = 3

async function runFields(
  q: Queryable,
  bankId: number,
  cuts: readonly CutField[],
  search: LexicalSearch,
  plan: FilterPlan,
): Promise<FieldRow[]> {
  const filled = cuts.filter((cut) => cut.terms.length > 0)
  if (filled.length === 0 || search.limit < 1) return []
  const parameters = createParameters(bankId)
  const predicate = renderFilter(search.filter, parameters)
  const limit = parameters.bind(search.limit)
  const ctes: string[] = []
  const selects: string[] = []
  for (const { request, averageLength, terms } of filled) {
    const ids = parameters.bind(terms.map((term) => term.termId))
    const gains = parameters.bind(terms.map((term) => term.gain))
    const fence = plan === 'after' ? `limit ${LIST_FACTOR} * ${limit}` : 'offset 0'
    ctes.push(`s${request} as materialized (
      select p.chunk_id, sum(${termScore('p', averageLength)}) as score
      from unnest(${ids}::integer[], ${gains}::real[]) as t(term_id, gain)
      join postings p on p.bank_id = $1 and p.term_id = t.term_id
      ${plan === 'narrow' ? `where p.chunk_id in (${passingChunks(predicate)})` : ''}
      group by p.chunk_id order by score desc, p.chunk_id ${fence})`)
    selects.push(`(select ${request} as request, (select count(*) from s${request}) as reached,
        y.chunk_id as "chunkId", y.score
      from (select 1) one left join lateral (
        select s.chunk_id, s.score from s${request} s
        ${plan === 'narrow' ? '' : `where ${passesExpression('s.chunk_id', predicate)}`}
        limit ${limit}) y on true)`)
  }
  return q.query<FieldRow>(`with ${ctes.join(',\n')} ${selects.join('\nunion all\n')}`, parameters.values)
}

function isShort(rows: readonly FieldRow[], request: number, limit: number): boolean {
  const own = rows.filter((row) => row.request === request)
  const reached = own[0]?.reached ?? 0
  return reached >= LIST_FACTOR * limit && own.filter((row) => row.chunkId !== null).length < limit
}

interface ScoredTerm {
  readonly term: string
  readonly termId: number
  readonly documentFrequency: number
  /** weight × idf × (k1 + 1) */
  readonly gain: number
}

interface ScoredField {
  readonly request: number
  readonly averageLength: number
  /** Those that the bank knows, rarest first. */
  readonly terms: readonly ScoredTerm[]
}

/**
 * gain · tf / (tf + k1 (1 − b + b · length / average)), with one division: gain − gain / (1 + tf / norm). All float4:
 * numeric arithmetic doubles the time, and in WebAssembly an eight-byte number is an allocation.
 */
function termScore(postings: string, averageLength: number): string {
  const norm = `(${K1 * (1 - B)}::real + ${(K1 * B) / averageLength}::real * ${postings}.length::real)`
  return `t.gain - t.gain / (1::real + ${postings}.frequency::real / ${norm})`
}

function scoredTerms(
  request: number,
  { terms: asked }: LexicalRequest,
  known: FieldStatistics | undefined,
): ScoredField {
  const weights = new Map<string, number>()
  for (const { term, weight } of asked) {
    if (weight > 0) weights.set(term, (weights.get(term) ?? 0) + weight)
  }
  const count = Math.max(known?.count ?? 0, 1)
  const terms: ScoredTerm[] = []
  for (const [term, weight] of weights) {
    const found = known?.terms.get(term)
    if (found === undefined) continue
    // A term of superseded text alone has frequency 0.
    const documentFrequency = Math.min(Math.max(found.documentFrequency, 0), count)
    const idf = Math.log(1 + (count - documentFrequency + 0.5) / (documentFrequency + 0.5))
    terms.push({ term, termId: found.termId, documentFrequency, gain: weight * idf * (K1 + 1) })
  }
  terms.sort((a, b) => a.documentFrequency - b.documentFrequency || a.termId - b.termId)
  return { request, averageLength: known?.averageLength ?? 1, terms }
}
