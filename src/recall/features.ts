import { agreesWithDates, type NamedDates, tellsTime } from '../domain/analysis/time-questions.ts'
import { CUE_KINDS, type CueKind } from '../domain/cue.ts'
import { CHANNELS, type Channel } from '../domain/recall.ts'
import { moments, standardise } from '../math/standardise.ts'
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
  /** Σ weight · inverse document frequency of the question's terms, those that the bank does not know counted; see `termMass`. */
  readonly termMass: number
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
 * - `speaker`, `date`, `when`: hints of the question, which only take away, so that a question without any is as sure of its answer: 0 where it
 *   gives none or the chunk fits, −1 where the chunk does not, −½ where that cannot be said. `speaker`: the question names exactly one
 *   speaker, whose words the chunk is; `date`: a month or year, in which the chunk happened; `when`: it asks for a time, and the chunk tells one
 * - `named`: share of the people named in the question who speak or are named in the chunk
 * - the same for all candidates of a question, so that they move the probability and not the order: `candidates`: ln of how many there are;
 *   `best_cosine`: the greatest cosine of any; `best_match`: the greatest share of the question's words, by weight, that any holds
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
  { name: 'speaker', channels: [], column: speakerFit },
  { name: 'date', channels: [], column: dateFit },
  { name: 'when', channels: [], column: timeFit },
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
  { name: 'candidates', channels: [], column: (pool) => forAll(pool, Math.log(pool.chunks.length)) },
  { name: 'best_cosine', channels: [], column: (pool) => forAll(pool, bestCosine(pool)) },
  { name: 'best_match', channels: [], column: (pool) => forAll(pool, bestMatch(pool)) },
]

/**
 * A channel's scores over the candidates, standardised. A candidate without an entry counts
 * - in a lexical channel and among the named: as 0, no shared term or name;
 * - in a turn of a chat: as the worst there is, since a turn that answers no question is told apart by just that (LoCoMo any@5 86.3, as
 *   the mean 85.1); but where others have questions of the caller or of a model and this one has not been asked for, as elsewhere;
 * - elsewhere, where it has no vector of the sort at all (prose has no windows and few cues): as its own content stands, so that in a bank
 *   of chat and prose neither is favoured.
 *
 * A dense channel in which fewer than two candidates have an entry is 0 throughout.
 */
function standardScores(pool: FeaturePool, channel: Channel): FeatureColumn {
  const scores = pool.scores.get(channel)
  const present = pool.chunks.filter(({ chunkId }) => scores?.has(chunkId) === true).length
  if (scores === undefined || present === 0) return new Float64Array(pool.chunks.length)
  if (!isStandIn(channel)) {
    const values = pool.chunks.map(({ chunkId }) => scores.get(chunkId) ?? 0)
    return LEXICAL_CHANNELS.has(channel) ? spread(values, LEAST_SPREAD * pool.termMass) : standardise(values)
  }
  if (present < 2) return new Float64Array(pool.chunks.length)
  const waits = pool.chunks.some(({ enriched }) => enriched)
  const counted = pool.chunks.filter(
    ({ chunkId, speaker, enriched }) =>
      scores.has(chunkId) || ((!waits || enriched) && (speaker !== null || hasSort(pool, channel, chunkId))),
  )
  const worst = counted.reduce((least, { chunkId }) => Math.min(least, scores.get(chunkId) ?? 1), 1)
  const standard = standardise(counted.map(({ chunkId }) => scores.get(chunkId) ?? worst))
  const byChunk = new Map(counted.map(({ chunkId }, i) => [chunkId, standard[i] ?? 0]))
  const content = counted.length === pool.chunks.length ? null : standardScores(pool, 'content')
  return pool.chunks.map(({ chunkId }, i) => byChunk.get(chunkId) ?? content?.[i] ?? 0)
}

/**
 * Deviation of a lexical channel below which its scores are not stretched to 1, as a share of what the question's terms weigh together: in
 * a small bank, or of a long message, the only chunk that holds one word of many would else stand out as far as one that holds
 * them all. (MTRAG-UN any@5 / @10: 95.7 / 97.3 without, 96.8 / 98.4 with; LoCoMo alike.)
 */
const LEAST_SPREAD = 0.15

/** Standard scores, shrunk where the values differ by less than `least`. */
function spread(values: readonly number[], least: number): Float64Array {
  const { deviation } = moments(values)
  const standard = standardise(values)
  return deviation < least ? standard.map((z) => (z * deviation) / least) : standard
}

const LEXICAL_CHANNELS: ReadonlySet<Channel> = new Set(['body', 'cue', 'text', 'context', 'document'])

/** Share of the candidates that have questions of the caller or of a model: how far the weights for those count. */
export function enrichedShare(chunks: readonly Pick<CandidateChunk, 'enriched'>[]): number {
  return chunks.length === 0 ? 0 : chunks.filter(({ enriched }) => enriched).length / chunks.length
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

function speakerFit(pool: FeaturePool): number[] {
  const speakers = pool.people.filter((person) => person.isSpeaker)
  const asked = speakers.length === 1 ? speakers[0]?.norm : undefined
  return pool.chunks.map(({ speaker }) =>
    asked === undefined ? 0 : penalty(speaker === null ? null : entityNorm(speaker) === asked),
  )
}

function dateFit(pool: FeaturePool): number[] {
  const { months, years } = pool.dates
  return pool.chunks.map(({ happenedAt }) =>
    months.length + years.length === 0
      ? 0
      : penalty(happenedAt === null ? null : agreesWithDates(pool.dates, happenedAt)),
  )
}

function timeFit(pool: FeaturePool): number[] {
  return pool.chunks.map(({ said }) =>
    pool.asksForTime ? penalty(said === null ? null : tellsTime(said)) : 0,
  )
}

/** @param fits null when it cannot be said */
function penalty(fits: boolean | null): number {
  return fits === null ? -0.5 : fits ? 0 : -1
}

function forAll(pool: FeaturePool, value: number): Float64Array {
  return new Float64Array(pool.chunks.length).fill(value)
}

function bestCosine(pool: FeaturePool): number {
  return greatest(['content' as const, ...CUE_KINDS].map((channel) => bestIn(pool, channel)))
}

/** BM25 gives a text of mean length that holds each of the question's terms once just `termMass`. */
function bestMatch(pool: FeaturePool): number {
  return pool.termMass > 0 ? Math.min(1, bestIn(pool, 'body') / pool.termMass) : 0
}

function bestIn(pool: FeaturePool, channel: Channel): number {
  return greatest(pool.scores.get(channel)?.values() ?? [])
}

function greatest(values: Iterable<number>): number {
  let most = 0
  for (const value of values) most = Math.max(most, value)
  return most
}

/** Every feature of every candidate, in the order of FEATURES. */
export function featureColumns(pool: FeaturePool): readonly FeatureColumn[] {
  return FEATURES.map((feature) => feature.column(pool))
}

/** The features of candidate `i` by name. */
export function featuresByName(columns: readonly FeatureColumn[], i: number): Record<string, number> {
  return Object.fromEntries(FEATURES.map((feature, f) => [feature.name, columns[f]?.[i] ?? 0]))
}
