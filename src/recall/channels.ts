import { CHANNELS, type Channel } from '../domain/recall.ts'
import { searchPeople } from '../store/queries/entities.ts'
import { searchLexical } from '../store/queries/lexical-search.ts'
import { searchVectors } from '../store/queries/vectors-search.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { Probe } from './probe.ts'
import { QUERY_KINDS, type RecallRequest } from './request.ts'

/** How many of each channel's best enter the union. More were tried: as good, and dearer. */
export const CHANNEL_DEPTH = 30

/** A recall that returns more than that looks deeper, so that one channel alone can fill it. */
export function channelDepth(request: Pick<RecallRequest, 'limit'>): number {
  return Math.max(CHANNEL_DEPTH, request.limit)
}

export interface ChannelHit {
  readonly chunkId: number
  readonly score: number
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
  const searched = await Promise.all(
    active.map(async (channel) => ({
      channel,
      hits: await degradation.attempt(channel, () => searchChannel(deps, request, probe, channel, depth)),
    })),
  )
  const lists = new Map<Channel, readonly ChannelHit[]>()
  for (const { channel, hits } of searched) if (hits !== null) lists.set(channel, hits)
  if (lists.size === 0 && degradation.firstError !== null) throw degradation.firstError
  return lists
}

async function searchChannel(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  channel: Channel,
  limit: number,
): Promise<readonly ChannelHit[] | null> {
  const { database, bankId, space } = deps.store
  const { filter } = request
  switch (channel) {
    case 'content':
    case 'window':
    case 'question':
    case 'statement':
    case 'concept': {
      const vectors = await probe.vectors
      if (vectors === null) return null
      const met = QUERY_KINDS.includes(channel) ? vectors.query : vectors.symmetric
      return searchVectors(database, bankId, space, { vectors: met, kind: channel, filter, limit })
    }
    case 'body':
    case 'cue': {
      const field = channel === 'body' ? 0 : 1
      const terms = await probe.terms
      return (await searchLexical(database, bankId, { field, terms, filter, limit })).hits
    }
    case 'entity': {
      const entityIds = probe.people.map((person) => person.entityId)
      return searchPeople(database, bankId, { entityIds, filter, limit })
    }
  }
}
