import type { Filter } from '../domain/filter.ts'
import { chunksThatPass } from '../store/queries/filter-check.ts'
import { type ChunkPlace, lexicalMatches } from '../store/queries/lexical-matches.ts'
import type { ChannelHit } from './channel-hit.ts'
import type { RecallDeps } from './deps.ts'
import { CONTEXT_RADIUS, knownTermIds, scoreContext } from './lexical-scores.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'

/**
 * The best chunks by BM25 over their surroundings. Whoever scores high there holds, or stands beside, a chunk that scores high by itself:
 * so the neighbourhoods of the body's best are looked at, not the whole bank.
 */
export async function searchContext(
  deps: Pick<RecallDeps, 'store'>,
  request: Pick<RecallRequest, 'filter'>,
  probe: Probe,
  seeds: readonly ChannelHit[],
  limit: number,
): Promise<ChannelHit[]> {
  if (seeds.length === 0) return []
  const { database, bankId } = deps.store
  const [terms, statistics] = await Promise.all([probe.terms, probe.statistics()])
  const chunkIds = seeds.map((seed) => seed.chunkId)
  const termIds = knownTermIds(terms, statistics)
  const radius = 2 * CONTEXT_RADIUS
  const matches = await lexicalMatches(database, bankId, { termIds, chunkIds, radius })
  const near = withinRadius(matches.places, new Set(chunkIds))
  const allowed = filtersChunks(request.filter)
    ? await chunksThatPass(database, bankId, request.filter, near)
    : new Set(near)
  // In a short document all windows are one: then the chunk that holds the words itself goes first.
  const seedRanks = new Map(chunkIds.map((chunkId, i) => [chunkId, i]))
  const seedRank = (hit: ChannelHit): number => seedRanks.get(hit.chunkId) ?? chunkIds.length
  return [...scoreContext(matches, allowed, terms, statistics)]
    .map(([chunkId, score]) => ({ chunkId, score }))
    .sort((a, b) => b.score - a.score || seedRank(a) - seedRank(b) || a.chunkId - b.chunkId)
    .slice(0, limit)
}

/** Chunks at most CONTEXT_RADIUS from a seed. */
function withinRadius(all: readonly ChunkPlace[], seeds: ReadonlySet<number>): number[] {
  const places = new Map(all.map((place) => [`${place.documentId}:${place.ordinal}`, place.chunkId]))
  const near = new Set<number>()
  for (const { chunkId, documentId, ordinal } of all) {
    if (!seeds.has(chunkId)) continue
    for (let step = -CONTEXT_RADIUS; step <= CONTEXT_RADIUS; step++) {
      const neighbour = places.get(`${documentId}:${ordinal + step}`)
      if (neighbour !== undefined) near.add(neighbour)
    }
  }
  return [...near]
}

/** Whether a chunk may be hidden though its neighbour is seen; the other filters speak of whole documents. */
function filtersChunks(filter: Filter): boolean {
  return filter.during !== undefined || (filter.people?.length ?? 0) > 0
}
