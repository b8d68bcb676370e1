import { type CollectionStatistics, inverseDocumentFrequency, termWeight } from '../math/bm25.ts'
import type { DocumentMatch, DocumentStatistics } from '../store/queries/document-matches.ts'
import type { ChunkPlace, LexicalMatches, TermPosting } from '../store/queries/lexical-matches.ts'
import type { WeightedTerm } from '../store/queries/lexical-search.ts'
import type { FieldStatistics, TermStatistics } from '../store/queries/term-statistics.ts'

/** Chunks on each side that count as a chunk's surroundings. Measured: two are worth 1.4 points any@5 more than one. */
export const CONTEXT_RADIUS = 2

/**
 * A neighbour of more terms than a chat turn has is no surroundings: sections and functions say by themselves what they are about, and
 * would lend their words to the ones beside them.
 */
const MAX_NEIGHBOUR_TERMS = 64

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
 * `CONTEXT_RADIUS` chunks before and after in the document, up to the first long one, document frequencies stay those of single chunks, and the mean length is
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

/**
 * BM25 of each chunk's body and cues as one text: occurrences and lengths of the two fields are added. The number of chunks with a term
 * in either field is taken as the larger of the two, since cues mostly say what the body says.
 */
export function scoreText(
  matches: LexicalMatches,
  chunkIds: Iterable<number>,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const body = statistics.fields.get(0)
  const cue = statistics.fields.get(1)
  const scores = new Map<number, number>()
  if (body === undefined && cue === undefined) return scores
  const known = {
    count: Math.max(body?.count ?? 0, cue?.count ?? 0),
    averageLength:
      ((body?.averageLength ?? 0) * (body?.count ?? 0) + (cue?.averageLength ?? 0) * (cue?.count ?? 0)) /
      Math.max(1, body?.count ?? 0, cue?.count ?? 0),
  }
  // Both ids of a term count as one: that of the body where it has one.
  const byId = new Map<number, ScoredTerm>()
  const alias = new Map<number, number>()
  for (const { term, weight } of terms) {
    const ofBody = body?.terms.get(term)
    const ofCue = cue?.terms.get(term)
    const termId = ofBody?.termId ?? ofCue?.termId
    if (termId === undefined) continue
    if (ofCue !== undefined) alias.set(ofCue.termId, termId)
    const documentFrequency = Math.max(ofBody?.documentFrequency ?? 0, ofCue?.documentFrequency ?? 0)
    byId.set(termId, { weight: (byId.get(termId)?.weight ?? 0) + weight, documentFrequency })
  }
  const joined = matches.postings.map((posting) => ({
    ...posting,
    termId: alias.get(posting.termId) ?? posting.termId,
  }))
  const postings = postingsByChunk({ places: [], postings: joined }, byId)
  const places = new Map(matches.places.map((place) => [place.chunkId, place]))
  for (const chunkId of new Set(chunkIds)) {
    const own = postings.get(chunkId)
    const place = places.get(chunkId)
    if (own === undefined || place === undefined) continue
    scores.set(chunkId, bm25Of([own], place.bodyLength + place.cueLength, byId, known))
  }
  return scores
}

/**
 * BM25 of whole documents, lengths in bytes. How many documents hold a term is not kept; it is estimated from how many chunks do, as if
 * these were strewn over the documents at random: D·(1 − (1 − n/N)^(N/D)), at most n. (MemAware session any@10: exact 69.7 / 65.8 / 12.1,
 * estimated 69.7 / 65.8 / 12.9, the chunks' own frequencies 70.3 / 63.7 / 10.7.)
 *
 * @returns score by document id
 */
export function scoreDocuments(
  documents: readonly DocumentMatch[],
  of: DocumentStatistics,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const known = statistics.fields.get(0)
  const scores = new Map<number, number>()
  if (known === undefined || of.count < 1) return scores
  const chunks = Math.max(known.count, of.count)
  const strewn = (n: number): number => {
    const share = Math.min(1, Math.max(0, n) / chunks)
    return Math.min(Math.max(0, n), of.count * (1 - (1 - share) ** (chunks / of.count)))
  }
  const byId = new Map<number, ScoredTerm>()
  for (const [termId, term] of termsById(terms, known)) {
    byId.set(termId, { ...term, documentFrequency: strewn(term.documentFrequency) })
  }
  const collection = { count: of.count, averageLength: of.averageBytes }
  for (const { documentId, byteLength, termIds, frequencies } of documents) {
    const own = termIds.map((termId, i) => ({ termId, frequency: frequencies[i] ?? 0 }))
    const score = bm25Of([own], byteLength, byId, collection)
    if (score > 0) scores.set(documentId, score)
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
    const members = [center]
    for (const side of [-1, 1]) {
      for (let step = 1; step <= CONTEXT_RADIUS; step++) {
        const member = byPlace.get(`${center.documentId}:${center.ordinal + side * step}`)
        if (member === undefined || member.bodyLength > MAX_NEIGHBOUR_TERMS) break
        members.push(member)
      }
    }
    return [{ chunkId, members }]
  })
}

/**
 * What the question's terms weigh together in the body: Σ weight · inverse document frequency, a term that the bank does not know being the
 * rarest there is. 0 for a bank that knows none.
 */
export function termMass(terms: readonly WeightedTerm[], statistics: TermStatistics): number {
  const known = statistics.fields.get(0)
  if (known === undefined) return 0
  return terms.reduce((sum, { term, weight }) => {
    const frequency = known.terms.get(term)?.documentFrequency ?? 0
    return sum + weight * inverseDocumentFrequency(known.count, Math.min(Math.max(0, frequency), known.count))
  }, 0)
}

/** Ids under which the fields know the terms; without a field: either. */
export function knownTermIds(
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
  field?: 0 | 1,
): number[] {
  return [...statistics.fields].flatMap(([of, known]) =>
    field === undefined || of === field
      ? terms.flatMap(({ term }) => known.terms.get(term)?.termId ?? [])
      : [],
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
  members: readonly (readonly Pick<TermPosting, 'termId' | 'frequency'>[])[],
  length: number,
  byId: ReadonlyMap<number, ScoredTerm>,
  known: CollectionStatistics,
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
