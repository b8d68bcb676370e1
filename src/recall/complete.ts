import { CHANNELS, type Channel } from '../domain/recall.ts'
import { documentMatches } from '../store/queries/document-matches.ts'
import { mentionsOfChunks } from '../store/queries/entities.ts'
import type { ChunkPlace } from '../store/queries/lexical-matches.ts'
import { scoreVectors, type VectorScore } from '../store/queries/vectors-search.ts'
import { type ChannelLists, type DenseGroup, denseGroups } from './channels.ts'
import type { Degradation } from './degrade.ts'
import type { RecallDeps } from './deps.ts'
import {
  CONTEXT_RADIUS,
  knownTermIds,
  scoreContext,
  scoreDocuments,
  scoreField,
  scoreText,
  termMass,
} from './lexical-scores.ts'
import type { BankOutline } from './people-directory.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'

const LEXICAL: readonly Channel[] = ['body', 'cue', 'text', 'context', 'document']

/** Exact scores of given chunks, channel by channel. A chunk without an entry in a channel is absent from its map. */
export interface ExactScores {
  readonly channels: ReadonlyMap<Channel, ReadonlyMap<number, number>>
  /** The ordinal of the cue that scored, by channel and chunk. */
  readonly ordinals: ReadonlyMap<Channel, ReadonlyMap<number, number>>
  /** What the question's terms weigh together; 0 when no lexical channel ran. */
  readonly termMass: number
}

/**
 * The exact score of every chunk of the union in every channel that answered: few rows, all by key. A channel whose completion
 * fails keeps what its own list said.
 */
export async function completeScores(
  deps: Pick<RecallDeps, 'store'>,
  request: Pick<RecallRequest, 'weights'>,
  outline: Pick<BankOutline, 'documents'>,
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
  let mass = 0
  const vectors = await probe.vectors
  const groups = vectors === null ? [] : denseGroups(vectors, (kind) => lists.has(kind))
  const dense = async (group: DenseGroup): Promise<void> => {
    for (const row of await scoreVectors(database, bankId, space, { ...group, chunkIds })) {
      channels.get(row.kind)?.set(row.chunkId, row.score)
      setOrdinal(ordinals, row)
    }
  }
  const lexical = async (): Promise<void> => {
    if (!LEXICAL.some((channel) => request.weights[channel] > 0)) return
    const [terms, statistics] = await Promise.all([probe.terms, probe.lexical.statistics()])
    mass = termMass(terms, statistics)
    if (knownTermIds(terms, statistics).length === 0) return
    const radius = request.weights.context > 0 ? CONTEXT_RADIUS : 0
    const [matches, documents] = await Promise.all([
      probe.lexical.matches(chunkIds, radius),
      request.weights.document > 0
        ? documentMatches(database, bankId, { termIds: knownTermIds(terms, statistics, 0), chunkIds })
        : [],
    ])
    channels.set('body', scoreField(matches, 0, chunkIds, terms, statistics))
    channels.set('cue', scoreField(matches, 1, chunkIds, terms, statistics))
    channels.set('text', scoreText(matches, chunkIds, terms, statistics))
    if (radius > 0) channels.set('context', scoreContext(matches, chunkIds, terms, statistics))
    if (request.weights.document > 0) {
      const scores = scoreDocuments(documents, outline.documents, terms, statistics)
      channels.set('document', byChunk(scores, matches.places, chunkIds))
    }
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
    ...groups.map((group) =>
      degradation.attempt(`completion of ${group.kinds.join(', ')}`, () => dense(group)),
    ),
    degradation.attempt('completion of lexical channels', lexical),
    degradation.attempt('completion of entity', people),
  ])
  return { channels: inOrder(channels), ordinals, termMass: mass }
}

/** Every chunk of a document has its document's score. */
function byChunk(
  scores: ReadonlyMap<number, number>,
  places: readonly ChunkPlace[],
  chunkIds: readonly number[],
): Map<number, number> {
  const wanted = new Set(chunkIds)
  return new Map(
    places.flatMap(({ chunkId, documentId }) => {
      const score = scores.get(documentId)
      return score === undefined || !wanted.has(chunkId) ? [] : [[chunkId, score] as const]
    }),
  )
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
