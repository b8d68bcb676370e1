import { termWeight } from '../math/bm25.ts'
import type { FieldStatistics, LexicalMatch, TermStatistics } from '../store/queries/lexical-matches.ts'
import type { WeightedTerm } from '../store/queries/lexical-search.ts'

/** Chunks on each side that count as a chunk's surroundings. Measured: two are worth 1.4 points any@5 more than one. */
export const CONTEXT_RADIUS = 2

/** A question's terms as one field of the bank knows them, by term id. */
interface ScoredTerm {
  readonly weight: number
  readonly documentFrequency: number
}

/**
 * BM25 of chunks from their matches, exactly as the store's search gives it.
 *
 * @returns score by chunk id; chunks without any of the terms are absent
 */
export function scoreField(
  matches: readonly LexicalMatch[],
  field: 0 | 1,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const known = statistics.fields.get(field)
  const scores = new Map<number, number>()
  if (known === undefined) return scores
  const byId = termsById(terms, known)
  for (const match of matches) {
    if (match.field !== field) continue
    const score = bm25Of(frequenciesOf([match]), match.length, byId, known)
    if (score > 0) scores.set(match.chunkId, score)
  }
  return scores
}

/**
 * BM25 of each chunk together with its surroundings, as if they were one text: occurrences and lengths are summed over the
 * `CONTEXT_RADIUS` chunks before and after in the document, document frequencies stay those of single chunks, and the mean length is
 * that of the windows scored. No index of windows is needed.
 *
 * @param matches bodies of the chunks and of all their neighbours within the radius
 */
export function scoreContext(
  matches: readonly LexicalMatch[],
  chunkIds: Iterable<number>,
  terms: readonly WeightedTerm[],
  statistics: TermStatistics,
): Map<number, number> {
  const known = statistics.fields.get(0)
  const scores = new Map<number, number>()
  if (known === undefined) return scores
  const byId = termsById(terms, known)
  const bodies = matches.filter((match) => match.field === 0)
  const byPlace = new Map(bodies.map((match) => [`${match.documentId}:${match.ordinal}`, match]))
  const byChunk = new Map(bodies.map((match) => [match.chunkId, match]))
  const windows: { readonly chunkId: number; readonly members: readonly LexicalMatch[] }[] = []
  for (const chunkId of new Set(chunkIds)) {
    const center = byChunk.get(chunkId)
    if (center === undefined) continue
    const members: LexicalMatch[] = []
    for (let step = -CONTEXT_RADIUS; step <= CONTEXT_RADIUS; step++) {
      const member = byPlace.get(`${center.documentId}:${center.ordinal + step}`)
      if (member !== undefined) members.push(member)
    }
    windows.push({ chunkId, members })
  }
  const meanMembers =
    windows.reduce((sum, { members }) => sum + members.length, 0) / Math.max(1, windows.length)
  const ofWindows = { ...known, averageLength: known.averageLength * Math.max(1, meanMembers) }
  for (const { chunkId, members } of windows) {
    const length = members.reduce((sum, member) => sum + member.length, 0)
    const score = bm25Of(frequenciesOf(members), length, byId, ofWindows)
    if (score > 0) scores.set(chunkId, score)
  }
  return scores
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

function frequenciesOf(members: readonly LexicalMatch[]): Map<number, number> {
  const frequencies = new Map<number, number>()
  for (const { termIds, frequencies: counts } of members) {
    termIds.forEach((termId, i) => {
      frequencies.set(termId, (frequencies.get(termId) ?? 0) + (counts[i] ?? 0))
    })
  }
  return frequencies
}

function bm25Of(
  frequencies: ReadonlyMap<number, number>,
  length: number,
  byId: ReadonlyMap<number, ScoredTerm>,
  known: FieldStatistics,
): number {
  let score = 0
  for (const [termId, frequency] of frequencies) {
    const term = byId.get(termId)
    // Of superseded text alone a term has frequency 0; concurrent writers may push it below for a moment.
    if (term !== undefined) {
      score += term.weight * termWeight(frequency, length, known, Math.max(0, term.documentFrequency))
    }
  }
  return score
}
