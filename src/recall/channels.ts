import { CUE_KINDS, type VectorKind } from '../domain/cue.ts'
import { CHANNELS, type Channel } from '../domain/recall.ts'
import { searchPeople } from '../store/queries/entities.ts'
import { searchLexicalFields } from '../store/queries/lexical-search.ts'
import { searchVectorKinds } from '../store/queries/vectors-search.ts'
import type { ChannelHit } from './channel-hit.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { QueryVectors } from './embed-query.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'
import { searchSeeded } from './seeded-channels.ts'

/** How many of each channel's best enter the union. More were tried: as good, and dearer. */
export const CHANNEL_DEPTH = 30
/** Most that a dense channel brings. */
const MAX_DENSE_DEPTH = 100

/** A person in more chunks than this is everywhere: the name does not tell chunks apart, and speaker features do what can be done. */
const MAX_MENTIONS = 100

/** A recall that returns more than that looks deeper, so that one channel alone can fill it. */
export function channelDepth(request: Pick<RecallRequest, 'limit'>): number {
  return Math.max(CHANNEL_DEPTH, request.limit)
}

/** Each channel's own list, best first; a channel that is off, failed or has nothing to go by is absent. */
export type ChannelLists = ReadonlyMap<Channel, readonly ChannelHit[]>

type Lists = Map<Channel, readonly ChannelHit[]>

/** Kinds of stored vector that are met with the same vectors of the question: one statement searches or scores them all. */
export interface DenseGroup {
  readonly kinds: readonly VectorKind[]
  readonly vectors: readonly Float32Array[]
}

export function denseGroups(vectors: QueryVectors, wanted: (kind: VectorKind) => boolean): DenseGroup[] {
  const { content, window, cues } = vectors
  const alike = content !== null && window?.every((vector, i) => vector === content[i]) === true
  const groups = alike
    ? [{ kinds: ['content', 'window'] as const, vectors: content }]
    : [
        { kinds: ['content'] as const, vectors: content },
        { kinds: ['window'] as const, vectors: window },
      ]
  return [...groups, { kinds: CUE_KINDS, vectors: cues }].flatMap((group) => {
    const kinds = group.kinds.filter(wanted)
    return group.vectors === null || kinds.length === 0 ? [] : [{ kinds, vectors: group.vectors }]
  })
}

/**
 * Runs every channel that is on, side by side, those of a sort in one statement; each sort is bounded and fails alone. The lexical
 * ones run while the question is being embedded.
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
  const found = await Promise.all([
    searchDense(deps, request, probe, degradation, Math.min(depth, MAX_DENSE_DEPTH)),
    searchLexical(deps, request, probe, degradation, depth),
    searchNamed(deps, request, probe, degradation, depth),
  ])
  const lists: Lists = new Map()
  for (const channel of CHANNELS) {
    const hits = found.map((some) => some.get(channel)).find((list) => list !== undefined)
    if (hits !== undefined && request.weights[channel] > 0) lists.set(channel, hits)
  }
  if (lists.size === 0 && degradation.firstError !== null) throw degradation.firstError
  return lists
}

async function searchDense(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  degradation: Degradation,
  limit: number,
): Promise<Lists> {
  const { database, bankId, space } = deps.store
  const lists: Lists = new Map()
  const vectors = await probe.vectors
  if (vectors === null) return lists
  const groups = denseGroups(vectors, (kind) => request.weights[kind] > 0)
  await Promise.all(
    groups.map(async (group) => {
      const search = { ...group, filter: request.filter, limit }
      const found = await degradation.attempt(group.kinds.join(', '), () =>
        searchVectorKinds(database, bankId, space, search),
      )
      for (const [kind, hits] of found ?? []) lists.set(kind, hits)
    }),
  )
  return lists
}

async function searchLexical(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  degradation: Degradation,
  limit: number,
): Promise<Lists> {
  const { database, bankId } = deps.store
  const { filter, weights } = request
  const lists: Lists = new Map()
  const terms = await probe.terms
  // Text and surroundings start from the best of body and cues.
  const seeded = weights.text > 0 || weights.context > 0
  const channels = (['body', 'cue'] as const).filter((channel) => weights[channel] > 0 || seeded)
  if (terms.length === 0 || channels.length === 0) return lists
  const requests = channels.map((channel) => ({ field: FIELDS[channel], terms }))
  const found = await degradation.attempt(channels.join(', '), async () => {
    const statistics = await probe.lexical.statistics()
    return searchLexicalFields(database, bankId, requests, { filter, limit, statistics })
  })
  for (const [i, { hits }] of (found ?? []).entries()) lists.set(channels[i]!, hits)
  if (seeded && found !== null) {
    const seeds = { body: lists.get('body') ?? [], cue: lists.get('cue') ?? [] }
    const more = await degradation.attempt('text, context', () =>
      searchSeeded(deps, request, probe, seeds, limit),
    )
    if (more !== null) lists.set('text', more.text).set('context', more.context)
  }
  return lists
}

const FIELDS = { body: 0, cue: 1 } as const

async function searchNamed(
  deps: Pick<RecallDeps, 'store'>,
  request: RecallRequest,
  probe: Probe,
  degradation: Degradation,
  limit: number,
): Promise<Lists> {
  const { database, bankId } = deps.store
  const rare = probe.people.filter((person) => person.mentionCount <= MAX_MENTIONS)
  if (request.weights.entity === 0 || rare.length === 0) return new Map()
  const entityIds = rare.map((person) => person.entityId)
  const hits = await degradation.attempt('entity', () =>
    searchPeople(database, bankId, { entityIds, filter: request.filter, limit }),
  )
  return new Map(hits === null ? [] : [['entity', hits]])
}
