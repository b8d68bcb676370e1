import type { VectorKind } from '../domain/cue.ts'
import { CHANNELS, type Channel } from '../domain/recall.ts'
import { searchPeople } from '../store/queries/entities.ts'
import { searchLexical } from '../store/queries/lexical-search.ts'
import { searchVectors } from '../store/queries/vectors-search.ts'
import type { ChannelHit } from './channel-hit.ts'
import { searchContext } from './context-channel.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { QueryVectors } from './embed-query.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'

/** How many of each channel's best enter the union. More were tried: as good, and dearer. */
export const CHANNEL_DEPTH = 30

/** A recall that returns more than that looks deeper, so that one channel alone can fill it. */
export function channelDepth(request: Pick<RecallRequest, 'limit'>): number {
  return Math.max(CHANNEL_DEPTH, request.limit)
}

/** Each channel's own list, best first; a channel that is off, failed or has nothing to go by is absent. */
export type ChannelLists = ReadonlyMap<Channel, readonly ChannelHit[]>

/**
 * Runs every channel that is on, side by side; each is bounded by `depth` and fails alone. The lexical ones run while the
 * question is being embedded.
 *
 * @throws the first error when every channel that had something to go by failed
 */
export async function searchChannels(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  degradation: Degradation,
  depth: number,
): Promise<ChannelLists> {
  const active = CHANNELS.filter((channel) => request.weights[channel] > 0)
  // Body and context both start from the body's postings: one search serves both.
  const body =
    active.includes('body') || active.includes('context') ? searchBody(deps, request, probe, depth) : null
  body?.catch(() => undefined)
  const searched = await Promise.all(
    active.map(async (channel) => ({
      channel,
      hits: await degradation.attempt(channel, () =>
        searchChannel(deps, request, probe, channel, depth, body),
      ),
    })),
  )
  const lists = new Map<Channel, readonly ChannelHit[]>()
  for (const { channel, hits } of searched) if (hits !== null) lists.set(channel, hits)
  if (lists.size === 0 && degradation.firstError !== null) throw degradation.firstError
  return lists
}

async function searchBody(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  limit: number,
): Promise<readonly ChannelHit[] | null> {
  const { database, bankId } = deps.store
  const terms = await probe.terms
  if (terms.length === 0) return null
  return (await searchLexical(database, bankId, { field: 0, terms, filter: request.filter, limit })).hits
}

async function searchChannel(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  channel: Channel,
  limit: number,
  body: Promise<readonly ChannelHit[] | null> | null,
): Promise<readonly ChannelHit[] | null> {
  const { database, bankId, space } = deps.store
  const { filter } = request
  switch (channel) {
    case 'content':
    case 'window':
    case 'question':
    case 'statement':
    case 'concept': {
      const vectors = vectorsFor(channel, await probe.vectors)
      if (vectors === null) return null
      return searchVectors(database, bankId, space, { vectors, kind: channel, filter, limit })
    }
    case 'body':
      return body
    case 'context': {
      const seeds = await body
      return seeds === null ? null : searchContext(deps, request, probe, seeds, limit)
    }
    case 'cue': {
      const terms = await probe.terms
      if (terms.length === 0) return null
      return (await searchLexical(database, bankId, { field: 1, terms, filter, limit })).hits
    }
    case 'entity': {
      const entityIds = probe.people.map((person) => person.entityId)
      if (entityIds.length === 0) return null
      return searchPeople(database, bankId, { entityIds, filter, limit })
    }
  }
}

/** The question's vectors that meet stored vectors of a kind. */
export function vectorsFor(kind: VectorKind, vectors: QueryVectors | null): readonly Float32Array[] | null {
  if (vectors === null) return null
  return kind === 'content' || kind === 'window' ? vectors[kind] : vectors.cues
}
