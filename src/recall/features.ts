import { agreesWithDates, type NamedDates, tellsTime } from '../domain/analysis/time-questions.ts'
import { CUE_KINDS, type CueKind } from '../domain/cue.ts'
import { CHANNELS, type Channel } from '../domain/recall.ts'
import { standardise } from '../math/standardise.ts'
import type { CandidateChunk } from '../store/queries/candidate-chunks.ts'
import type { StoredChunk } from '../store/queries/chunks.ts'
import type { Person } from '../store/queries/entities.ts'
import { entityNorm } from '../store/queries/entity-norm.ts'

/** A candidate with all that the store knows of its chunk, as training sees it. */
export type StoredCandidateChunk = StoredChunk & CandidateChunk

/** What features read: candidates without their text, unless the question asks for a time. */
export type FeaturePool = CandidatePool<CandidateChunk>

/** All candidates of one recall with their exact scores: what features are made from. */
export interface CandidatePool<Chunk extends CandidateChunk = StoredCandidateChunk> {
  readonly chunks: readonly Chunk[]
  /** Exact score by channel and chunk id; see `completeScores`. */
  readonly scores: ReadonlyMap<Channel, ReadonlyMap<number, number>>
  /** People that the question names, as the bank knows them. */
  readonly people: readonly Person[]
  /** Months and years that the question names. */
  readonly dates: NamedDates
  readonly asksForTime: boolean
}

/** One number a candidate, in the order of `pool.chunks`. */
export type FeatureColumn = ArrayLike<number>

export interface Feature {
  readonly name: string
  /** The channels it speaks for: their weights of a call multiply its weight. Empty: it speaks for none. */
  readonly channels: readonly Channel[]
  column(pool: FeaturePool): FeatureColumn
}

/**
 * Every feature of the fusion, by name. Adding one here makes it visible in `parts.features` and to training; it counts once it has a
 * weight in `fusion-weights.ts`.
 *
 * - `z_<channel>`: the channel's score, standardised over the candidates; see `standardScores` for candidates without an entry
 * - `same_speaker`, `other_speaker`: the question names exactly one speaker, and the chunk is that speaker's, or another's
 * - `date_in`, `date_out`: the question names a month or year, and the chunk's time is in it, or is not
 * - `when_time`, `when_notime`: the question asks for a time, and the chunk tells one, or does not
 * - `named`: share of the people named in the question who speak or are named in the chunk
 *
 * Reciprocal ranks were tried: they add nothing.
 */
export const FEATURES: readonly Feature[] = [
  ...CHANNELS.map(
    (channel): Feature => ({
      name: `z_${channel}`,
      channels: [channel],
      column: (pool) => standardScores(pool, channel),
    }),
  ),
  { name: 'same_speaker', channels: [], column: (pool) => speakerFlags(pool, true) },
  { name: 'other_speaker', channels: [], column: (pool) => speakerFlags(pool, false) },
  { name: 'date_in', channels: [], column: (pool) => dateFlags(pool, true) },
  { name: 'date_out', channels: [], column: (pool) => dateFlags(pool, false) },
  { name: 'when_time', channels: [], column: (pool) => timeFlags(pool, true) },
  { name: 'when_notime', channels: [], column: (pool) => timeFlags(pool, false) },
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

/**
 * A channel's scores over the candidates, standardised. A candidate without an entry counts
 * - in a lexical channel and among the named: as 0, no shared term or name;
 * - among cues, when it has cues of another kind: as the worst there is, since a turn that answers no question is told apart by just that
 *   (LoCoMo any@5 86.3, as the mean 85.1);
 * - where it has no vector of the sort at all (prose has no windows and few cues): as its own content stands, so that in a mixed bank
 *   neither sort of text is favoured.
 */
function standardScores(pool: FeaturePool, channel: Channel): FeatureColumn {
  const scores = pool.scores.get(channel)
  if (scores === undefined || scores.size === 0) return new Float64Array(pool.chunks.length)
  if (!isStandIn(channel)) {
    return standardise(pool.chunks.map(({ chunkId }) => scores.get(chunkId) ?? 0))
  }
  const counted = pool.chunks.filter(({ chunkId }) => hasSort(pool, channel, chunkId))
  const worst = counted.reduce((least, { chunkId }) => Math.min(least, scores.get(chunkId) ?? 1), 1)
  const standard = standardise(counted.map(({ chunkId }) => scores.get(chunkId) ?? worst))
  const byChunk = new Map(counted.map(({ chunkId }, i) => [chunkId, standard[i] ?? 0]))
  const content = counted.length === pool.chunks.length ? null : standardScores(pool, 'content')
  return pool.chunks.map(({ chunkId }, i) => byChunk.get(chunkId) ?? content?.[i] ?? 0)
}

/** Channels of vectors that a chunk may lack as a sort. */
function isStandIn(channel: Channel): channel is CueKind | 'window' {
  return channel === 'window' || CUE_CHANNELS.has(channel)
}

const CUE_CHANNELS: ReadonlySet<Channel> = new Set(CUE_KINDS)

function hasSort(pool: FeaturePool, channel: CueKind | 'window', chunkId: number): boolean {
  const kinds: readonly Channel[] = channel === 'window' ? [channel] : CUE_KINDS
  return kinds.some((kind) => pool.scores.get(kind)?.has(chunkId) === true)
}

function speakerFlags(pool: FeaturePool, same: boolean): number[] {
  const speakers = pool.people.filter((person) => person.isSpeaker)
  const asked = speakers.length === 1 ? speakers[0]?.norm : undefined
  return pool.chunks.map(({ speaker }) => {
    if (asked === undefined || speaker === null) return 0
    return (entityNorm(speaker) === asked) === same ? 1 : 0
  })
}

function dateFlags(pool: FeaturePool, agree: boolean): number[] {
  return pool.chunks.map((chunk) => {
    const { happenedAt } = chunk
    return happenedAt !== null && agreesWithDates(pool.dates, happenedAt) === agree ? 1 : 0
  })
}

function timeFlags(pool: FeaturePool, tells: boolean): number[] {
  return pool.chunks.map((chunk) =>
    pool.asksForTime && chunk.said !== null && tellsTime(chunk.said) === tells ? 1 : 0,
  )
}

/** Every feature of every candidate, in the order of FEATURES. */
export function featureColumns(pool: FeaturePool): readonly FeatureColumn[] {
  return FEATURES.map((feature) => feature.column(pool))
}

/** The features of candidate `i` by name. */
export function featuresByName(columns: readonly FeatureColumn[], i: number): Record<string, number> {
  return Object.fromEntries(FEATURES.map((feature, f) => [feature.name, columns[f]?.[i] ?? 0]))
}
