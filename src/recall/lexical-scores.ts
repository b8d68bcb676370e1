import { termWeight } from '../math/bm25.ts'
import type {
  ChunkPlace,
  FieldStatistics,
  LexicalMatches,
  TermPosting,
  TermStatistics,
} from '../store/queries/lexical-matches.ts'
import type { WeightedTerm } from '../store/queries/lexical-search.ts'

/** Chunks on each side that count as a chunk's surroundings. Measured: two are worth 1.4 points any@5 more than one. */
export const CONTEXT_RADIUS = 2

/** A question's terms as one field of the bank knows them, by term id. */
interface ScoredTerm {
  readonly weight: number
  readonly documentFrequency: number
}

/**
 * BM25 of one field of given chunks, exactly as the store's search gives it.
 *
 * @returns score by chunk id; chunks without any of the terms are absent
 */
export function scoreField(
  matches: LexicalMatches,
  field: 0 | 1,
  chunkIds: Iterable<number>,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const known = statistics.fields.get(field)
  const scores = new Map<number, number>()
  if (known === undefined) return scores
  const byId = termsById(terms, known)
  const postings = postingsByChunk(matches, byId)
  for (const chunkId of chunkIds) {
    const own = postings.get(chunkId)
    if (own !== undefined) scores.set(chunkId, bm25Of([own], own[0]?.length ?? 0, byId, known))
  }
  return scores
}

/**
 * BM25 of each chunk together with its surroundings, as if they were one text: occurrences and lengths are summed over the
 * `CONTEXT_RADIUS` chunks before and after in the document, document frequencies stay those of single chunks, and the mean length is
 * that of a chunk times the mean number of chunks in the windows scored. No index of windows is needed.
 *
 * @param matches of the chunks, within the radius at least
 */
export function scoreContext(
  matches: LexicalMatches,
  chunkIds: Iterable<number>,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const known = statistics.fields.get(0)
  const scores = new Map<number, number>()
  if (known === undefined) return scores
  const byId = termsById(terms, known)
  const postings = postingsByChunk(matches, byId)
  const windows = windowsOf(matches.places, chunkIds)
  const members = windows.reduce((sum, window) => sum + window.members.length, 0)
  const averageLength = known.averageLength * Math.max(1, members / Math.max(1, windows.length))
  for (const window of windows) {
    const own = window.members.flatMap(({ chunkId }) => {
      const ofMember = postings.get(chunkId)
      return ofMember === undefined ? [] : [ofMember]
    })
    if (own.length === 0) continue
    const length = window.members.reduce((sum, { bodyLength }) => sum + bodyLength, 0)
    scores.set(window.chunkId, bm25Of(own, length, byId, { ...known, averageLength }))
  }
  return scores
}

function windowsOf(
  places: readonly ChunkPlace[],
  chunkIds: Iterable<number>,
): { readonly chunkId: number; readonly members: readonly ChunkPlace[] }[] {
  const byPlace = new Map(places.map((place) => [`${place.documentId}:${place.ordinal}`, place]))
  const byChunk = new Map(places.map((place) => [place.chunkId, place]))
  return [...new Set(chunkIds)].flatMap((chunkId) => {
    const center = byChunk.get(chunkId)
    if (center === undefined) return []
    const members: ChunkPlace[] = []
    for (let step = -CONTEXT_RADIUS; step <= CONTEXT_RADIUS; step++) {
      const member = byPlace.get(`${center.documentId}:${center.ordinal + step}`)
      if (member !== undefined) members.push(member)
    }
    return [{ chunkId, members }]
  })
}

/** Ids under which either field knows the terms. */
export function knownTermIds(terms: readonly WeightedTerm[], statistics: TermStatistics): number[] {
  return [...statistics.fields.values()].flatMap((known) =>
    terms.flatMap(({ term }) => known.terms.get(term)?.termId ?? []),
  )
}

function termsById(terms: readonly WeightedTerm[], known: FieldStatistics): Map<number, ScoredTerm> {
  const byId = new Map<number, ScoredTerm>()
  for (const { term, weight } of terms) {
    const found = known.terms.get(term)
    if (found === undefined) continue
    const before = byId.get(found.termId)?.weight ?? 0
    byId.set(found.termId, { weight: before + weight, documentFrequency: found.documentFrequency })
  }
  return byId
}

/** Postings of the terms by chunk; a chunk without any is absent. */
function postingsByChunk(
  matches: LexicalMatches,
  byId: ReadonlyMap<number, ScoredTerm>,
): Map<number, TermPosting[]> {
  const byChunk = new Map<number, TermPosting[]>()
  for (const posting of matches.postings) {
    if (!byId.has(posting.termId)) continue
    const before = byChunk.get(posting.chunkId)
    if (before === undefined) byChunk.set(posting.chunkId, [posting])
    else before.push(posting)
  }
  return byChunk
}

function bm25Of(
  members: readonly (readonly TermPosting[])[],
  length: number,
  byId: ReadonlyMap<number, ScoredTerm>,
  known: FieldStatistics,
): number {
  const frequencies = new Map<number, number>()
  for (const { termId, frequency } of members.flat()) {
    frequencies.set(termId, (frequencies.get(termId) ?? 0) + frequency)
  }
  let score = 0
  for (const [termId, frequency] of frequencies) {
    const term = byId.get(termId)
    if (term === undefined) continue
    // Of superseded text alone a term has frequency 0; concurrent writers may push it below for a moment.
    score += term.weight * termWeight(frequency, length, known, Math.max(0, term.documentFrequency))
  }
  return score
}
