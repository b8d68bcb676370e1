import { CHANNELS, type Channel } from '../domain/recall.ts'
import { mentionsOfChunks } from '../store/queries/entities.ts'
import { scoreLexical } from '../store/queries/lexical-search.ts'
import { scoreVectors, type VectorScore } from '../store/queries/vectors-search.ts'
import type { ChannelLists } from './channels.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import type { Probe } from './probe.ts'
import { QUERY_KINDS, SYMMETRIC_KINDS } from './request.ts'

/** Exact scores of given chunks, channel by channel. A chunk without an entry in a channel is absent from its map. */
export interface ExactScores {
  readonly channels: ReadonlyMap<Channel, ReadonlyMap<number, number>>
  /** The ordinal of the cue that scored, by channel and chunk. */
  readonly ordinals: ReadonlyMap<Channel, ReadonlyMap<number, number>>
}

/**
 * The exact score of every chunk of the union in every channel that answered: few rows, all by key. A channel whose completion
 * fails keeps what its own list said.
 */
export async function completeScores(
  deps: Pick<RecallDeps, 'store'>,
  lists: ChannelLists,
  probe: Probe,
  chunkIds: readonly number[],
  degradation: Degradation,
): Promise<ExactScores> {
  const { database, bankId, space } = deps.store
  const channels = new Map<Channel, Map<number, number>>()
  const ordinals = new Map<Channel, Map<number, number>>()
  for (const [channel, hits] of lists) {
    channels.set(channel, new Map(hits.map((hit) => [hit.chunkId, hit.score])))
  }
  const dense = async (symmetric: boolean): Promise<void> => {
    const kinds = (symmetric ? SYMMETRIC_KINDS : QUERY_KINDS).filter((kind) => lists.has(kind))
    const vectors = await probe.vectors
    if (kinds.length === 0 || vectors === null) return
    const met = symmetric ? vectors.symmetric : vectors.query
    const rows = await scoreVectors(database, bankId, space, { vectors: met, kinds, chunkIds })
    for (const row of rows) {
      channels.get(row.kind)?.set(row.chunkId, row.score)
      setOrdinal(ordinals, row)
    }
  }
  const lexical = async (channel: 'body' | 'cue'): Promise<void> => {
    const terms = await probe.terms
    if (!lists.has(channel) || terms.length === 0) return
    const field = channel === 'body' ? 0 : 1
    channels.set(channel, await scoreLexical(database, bankId, { field, terms, chunkIds }))
  }
  const people = async (): Promise<void> => {
    if (!lists.has('entity') || probe.people.length === 0) return
    const named = new Set(probe.people.map((person) => person.entityId))
    const best = new Map<number, Map<number, number>>()
    for (const { chunkId, entityId, role } of await mentionsOfChunks(database, bankId, chunkIds)) {
      if (!named.has(entityId)) continue
      const ofChunk = best.get(chunkId) ?? new Map<number, number>()
      ofChunk.set(entityId, Math.max(ofChunk.get(entityId) ?? 0, role === 'speaker' ? 1 : 0.5))
      best.set(chunkId, ofChunk)
    }
    channels.set(
      'entity',
      new Map([...best].map(([id, scores]) => [id, [...scores.values()].reduce((a, b) => a + b, 0)])),
    )
  }
  await Promise.all([
    degradation.attempt('completion of content and window', () => dense(false)),
    degradation.attempt('completion of cues', () => dense(true)),
    degradation.attempt('completion of body', () => lexical('body')),
    degradation.attempt('completion of cue', () => lexical('cue')),
    degradation.attempt('completion of entity', people),
  ])
  return { channels: inOrder(channels), ordinals }
}

function setOrdinal(ordinals: Map<Channel, Map<number, number>>, row: VectorScore): void {
  const ofKind = ordinals.get(row.kind) ?? new Map<number, number>()
  ofKind.set(row.chunkId, row.ordinal)
  ordinals.set(row.kind, ofKind)
}

function inOrder(channels: ReadonlyMap<Channel, Map<number, number>>): Map<Channel, Map<number, number>> {
  return new Map(
    CHANNELS.flatMap((channel) => {
      const scores = channels.get(channel)
      return scores === undefined ? [] : [[channel, scores] as const]
    }),
  )
}
