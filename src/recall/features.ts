import { CHANNELS, type Channel } from '../domain/recall.ts'
import { reciprocalRank } from '../math/fusion.ts'
import { standardise } from '../math/standardise.ts'
import type { StoredChunk } from '../store/queries/chunks.ts'
import type { Person } from '../store/queries/entities.ts'
import { entityNorm } from '../store/queries/entity-norm.ts'

/** All candidates of one recall with their exact scores: what features are made from. */
export interface CandidatePool {
  readonly chunks: readonly StoredChunk[]
  /** Exact score by channel and chunk id; see `completeScores`. */
  readonly scores: ReadonlyMap<Channel, ReadonlyMap<number, number>>
  /** People that the question names, as the bank knows them. */
  readonly people: readonly Person[]
}

/** One number a candidate, in the order of `pool.chunks`. */
export type FeatureColumn = ArrayLike<number>

export interface Feature {
  readonly name: string
  /** The channels it speaks for: their weights of a call multiply its weight. Empty: it speaks for none. */
  readonly channels: readonly Channel[]
  column(pool: CandidatePool): FeatureColumn
}

/** Damps the head of a list: 1/(10 + rank). */
const RANK_OFFSET = 10

/**
 * Every feature of the fusion, by name. Adding one here makes it visible in `parts.features` and to training; it counts once it has a
 * weight in `fusion-weights.ts`.
 *
 * - `z_<channel>`: the channel's score, standardised over the candidates
 * - `r_<channel>`: 1/(10 + rank among the candidates); 0 for a candidate without an entry
 * - `z_cues`: the best cue of any kind, standardised
 * - `same_speaker`, `other_speaker`: the question names exactly one speaker, and the chunk is that speaker's, or another's
 * - `named`: share of the people named in the question who speak or are named in the chunk
 */
export const FEATURES: readonly Feature[] = [
  ...CHANNELS.map(
    (channel): Feature => ({
      name: `z_${channel}`,
      channels: [channel],
      column: (pool) => standardise(filled(pool, channel)),
    }),
  ),
  ...CHANNELS.map(
    (channel): Feature => ({
      name: `r_${channel}`,
      channels: [channel],
      column: (pool) => reciprocalRanks(pool, channel),
    }),
  ),
  {
    name: 'z_cues',
    channels: ['question', 'statement', 'concept'],
    column: (pool) => {
      const columns = (['question', 'statement', 'concept'] as const)
        .filter((channel) => (pool.scores.get(channel)?.size ?? 0) > 0)
        .map((channel) => filled(pool, channel))
      return standardise(
        pool.chunks.map((_, i) => columns.reduce((best, column) => Math.max(best, column[i] ?? -1), -1)),
      )
    },
  },
  { name: 'same_speaker', channels: [], column: (pool) => speakerFlags(pool, true) },
  { name: 'other_speaker', channels: [], column: (pool) => speakerFlags(pool, false) },
  {
    name: 'named',
    channels: ['entity'],
    column: (pool) =>
      pool.chunks.map((chunk) =>
        pool.people.length === 0
          ? 0
          : (pool.scores.get('entity')?.get(chunk.chunkId) ?? 0) / pool.people.length,
      ),
  },
]

const LEXICAL_OR_NAMED: readonly Channel[] = ['body', 'cue', 'entity']

/**
 * A channel's scores for every candidate. Without an entry: 0 where absence means no shared term or name; in a dense channel
 * (a chunk without such a cue) the worst score present, since nothing speaks for it there.
 */
function filled(pool: CandidatePool, channel: Channel): number[] {
  const scores = pool.scores.get(channel)
  if (scores === undefined || scores.size === 0) return pool.chunks.map(() => 0)
  let worst = 0
  if (!LEXICAL_OR_NAMED.includes(channel)) {
    worst = 1
    for (const chunk of pool.chunks) worst = Math.min(worst, scores.get(chunk.chunkId) ?? 1)
  }
  return pool.chunks.map((chunk) => scores.get(chunk.chunkId) ?? worst)
}

function reciprocalRanks(pool: CandidatePool, channel: Channel): number[] {
  const scores = pool.scores.get(channel)
  const column = new Array<number>(pool.chunks.length).fill(0)
  if (scores === undefined) return column
  const present = pool.chunks.flatMap((chunk, i) => {
    const score = scores.get(chunk.chunkId)
    return score === undefined ? [] : [{ i, score, chunkId: chunk.chunkId }]
  })
  present.sort((a, b) => b.score - a.score || a.chunkId - b.chunkId)
  present.forEach(({ i }, position) => {
    column[i] = reciprocalRank(position + 1, RANK_OFFSET)
  })
  return column
}

function speakerFlags(pool: CandidatePool, same: boolean): number[] {
  const speakers = pool.people.filter((person) => person.isSpeaker)
  const asked = speakers.length === 1 ? speakers[0]?.norm : undefined
  return pool.chunks.map(({ speaker }) => {
    if (asked === undefined || speaker === null) return 0
    return (entityNorm(speaker) === asked) === same ? 1 : 0
  })
}

/** Every feature of every candidate, in the order of FEATURES. */
export function featureColumns(pool: CandidatePool): readonly FeatureColumn[] {
  return FEATURES.map((feature) => feature.column(pool))
}

/** The features of candidate `i` by name. */
export function featuresByName(columns: readonly FeatureColumn[], i: number): Record<string, number> {
  return Object.fromEntries(FEATURES.map((feature, f) => [feature.name, columns[f]?.[i] ?? 0]))
}
