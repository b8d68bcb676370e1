import {
  type ChunkPlace,
  type LexicalMatches,
  lexicalMatches,
  type TermPosting,
} from '../store/queries/lexical-matches.ts'
import type { WeightedTerm } from '../store/queries/lexical-search.ts'
import { type TermStatistics, termStatistics } from '../store/queries/term-statistics.ts'
import type { RecallDeps } from './deps.ts'
import { knownTermIds } from './lexical-scores.ts'

/** What one question has read of the bank's full text: no row is read twice. */
export interface LexicalReader {
  /** What the bank knows of the question's terms; read when first asked for. */
  statistics(): Promise<TermStatistics>
  /** Occurrences of the terms in the chunks and at least `radius` chunks before and after each; more than asked for, when more is known. */
  matches(chunkIds: readonly number[], radius: number): Promise<LexicalMatches>
}

export function createLexicalReader(
  { store: { database, bankId } }: Pick<RecallDeps, 'store'>,
  terms: Promise<readonly WeightedTerm[]>,
): LexicalReader {
  const read = createReadPlaces()
  let statistics: Promise<TermStatistics> | null = null
  const knownStatistics = (): Promise<TermStatistics> => {
    statistics ??= terms.then((known) =>
      termStatistics(
        database,
        bankId,
        known.map(({ term }) => term),
      ),
    )
    return statistics
  }
  return {
    statistics: knownStatistics,
    async matches(chunkIds, radius) {
      const missing = read.missing(chunkIds, radius)
      if (missing.length > 0) {
        const termIds = knownTermIds(await terms, await knownStatistics())
        read.add(
          await lexicalMatches(database, bankId, { termIds, chunkIds: missing, radius }),
          missing,
          radius,
        )
      }
      return read.all()
    },
  }
}

interface ReadPlaces {
  missing(chunkIds: readonly number[], radius: number): number[]
  add(matches: LexicalMatches, chunkIds: readonly number[], radius: number): void
  all(): LexicalMatches
}

function createReadPlaces(): ReadPlaces {
  const places = new Map<number, ChunkPlace>()
  const postings: TermPosting[] = []
  /** How far around a place of a document everything has been read. */
  const radii = new Map<string, number>()
  const radiusOf = (chunkId: number): number => {
    const place = places.get(chunkId)
    return place === undefined ? -1 : (radii.get(placeKey(place, 0)) ?? 0)
  }
  return {
    missing: (chunkIds, radius) => chunkIds.filter((chunkId) => radiusOf(chunkId) < radius),
    add(matches, chunkIds, radius) {
      const before = new Set(places.keys())
      for (const place of matches.places) places.set(place.chunkId, place)
      postings.push(...matches.postings.filter((posting) => !before.has(posting.chunkId)))
      for (const chunkId of chunkIds) {
        const place = places.get(chunkId)
        if (place === undefined) continue
        for (let step = -radius; step <= radius; step++) {
          const key = placeKey(place, step)
          radii.set(key, Math.max(radii.get(key) ?? 0, radius - Math.abs(step)))
        }
      }
    },
    all: () => ({ places: [...places.values()], postings }),
  }
}

function placeKey({ documentId, ordinal }: ChunkPlace, step: number): string {
  return `${documentId}:${ordinal + step}`
}
