import type { Filter } from '../domain/filter.ts'
import { chunksThatPass } from '../store/queries/filter-check.ts'
import type { ChunkPlace } from '../store/queries/lexical-matches.ts'
import type { ChannelHit } from './channel-hit.ts'
import type { RecallDeps } from './deps.ts'
import { CONTEXT_RADIUS, scoreContext, scoreText } from './lexical-scores.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'

/** Lists that are found from the best of body and cues, not by a search of the whole bank. */
export interface SeededLists {
  /** BM25 over body and cues as one text. */
  readonly text: ChannelHit[]
  /** BM25 over the surroundings. */
  readonly context: ChannelHit[]
}

/**
 * Whoever scores high by body and cues together scores high by one of them; whoever scores high by its surroundings holds, or stands beside,
 * a chunk that scores high by itself. So the best of body and cues are looked at, and the neighbourhoods of the body's.
 */
export async function searchSeeded(
  deps: Pick<RecallDeps, 'store'>,
  request: Pick<RecallRequest, 'filter'>,
  probe: Probe,
  seeds: { readonly body: readonly ChannelHit[]; readonly cue: readonly ChannelHit[] },
  limit: number,
): Promise<SeededLists> {
  const bodySeeds = seeds.body.map((seed) => seed.chunkId)
  const chunkIds = [...new Set([...bodySeeds, ...seeds.cue.map((seed) => seed.chunkId)])]
  if (chunkIds.length === 0) return { text: [], context: [] }
  const { database, bankId } = deps.store
  const [terms, statistics] = await Promise.all([probe.terms, probe.lexical.statistics()])
  const matches = await probe.lexical.matches(chunkIds, 2 * CONTEXT_RADIUS)
  const near = withinRadius(matches.places, new Set(bodySeeds))
  const allowed = filtersChunks(request.filter)
    ? await chunksThatPass(database, bankId, request.filter, near)
    : new Set(near)
  return {
    text: best(scoreText(matches, chunkIds, terms, statistics), bodySeeds, limit),
    context: best(scoreContext(matches, allowed, terms, statistics), bodySeeds, limit),
  }
}

/** In a short document all windows are one: then the chunk that holds the words itself goes first. */
function best(scores: ReadonlyMap<number, number>, seeds: readonly number[], limit: number): ChannelHit[] {
  const ranks = new Map(seeds.map((chunkId, i) => [chunkId, i]))
  const rank = (hit: ChannelHit): number => ranks.get(hit.chunkId) ?? seeds.length
  return [...scores]
    .map(([chunkId, score]) => ({ chunkId, score }))
    .sort((a, b) => b.score - a.score || rank(a) - rank(b) || a.chunkId - b.chunkId)
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
