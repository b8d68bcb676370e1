import type { CueKind } from '../domain/cue.ts'
import { CUE_KINDS } from '../domain/cue.ts'
import type { Channel, ScoreParts } from '../domain/recall.ts'
import type { Activity } from '../store/queries/activity.ts'
import type { CandidateChunk } from '../store/queries/candidate-chunks.ts'
import { scoresWithAsked } from './asked-chunks.ts'
import type { ChannelLists } from './channels.ts'
import type { ExactScores } from './complete.ts'
import { featureColumns, featuresByName } from './features.ts'
import { fuse } from './fuse.ts'
import { liftedScore, lifts } from './lift.ts'
import type { Probe } from './probe.ts'
import type { RecallRequest } from './request.ts'

/** A chunk that some channel brought, with every number that took part in its place. */
export interface Candidate {
  readonly chunk: CandidateChunk
  readonly parts: ScoreParts
  /** Final score, lift included. */
  readonly score: number
  /** The cue that met the question better than the text itself did, or null. */
  readonly cue: { readonly kind: CueKind; readonly ordinal: number } | null
}

export interface RankInput {
  readonly request: Pick<RecallRequest, 'fusion' | 'weights'>
  readonly lists: ChannelLists
  readonly scores: ExactScores
  /** The candidates, in any order. */
  readonly chunks: readonly CandidateChunk[]
  readonly probe: Pick<Probe, 'people' | 'dates' | 'asksForTime'>
  readonly activity: ReadonlyMap<number, Activity>
  /** Chunks to which the caller gave this very question: they come first. @default none */
  readonly asked?: ReadonlySet<number>
  /** Share of the candidates with questions of the caller or of a model. @default 0 */
  readonly enriched?: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Features, fusion, lift, the caller's word: the candidates best first, equal scores by chunk id. Pure. */
export function rankCandidates(input: RankInput): Candidate[] {
  const { request, lists, scores, probe } = input
  const chunks = [...input.chunks].sort((a, b) => a.chunkId - b.chunkId)
  const columns = featureColumns({ ...probe, chunks, scores: scores.channels, termMass: scores.termMass })
  const ranks = ranksByChunk(lists)
  const chunkIds = chunks.map((chunk) => chunk.chunkId)
  const fused = fuse(
    request.fusion,
    request.weights,
    columns,
    chunkIds.map((id) => ranks.get(id) ?? {}),
    input.enriched ?? 0,
  )
  const lift = lifts(fused, chunkIds, input.activity, input.now)
  const isAsked = chunkIds.map((id) => input.asked?.has(id) === true)
  const final = scoresWithAsked(
    chunkIds.map((_, i) => liftedScore(request.fusion, fused[i]!, lift[i]!)),
    isAsked,
    request.fusion === 'learned' ? 1 : null,
  )
  const candidates = chunks.map((chunk, i): Candidate => {
    const parts: ScoreParts = {
      channels: channelScores(scores, chunk.chunkId),
      ranks: ranks.get(chunk.chunkId) ?? {},
      features: { ...featuresByName(columns, i), ...(isAsked[i] ? { asked: 1 } : {}) },
      fused: fused[i]!,
      lift: lift[i]!,
      rerank: null,
    }
    return { chunk, parts, score: final[i]!, cue: bestCue(scores, chunk.chunkId) }
  })
  const rank = ({ parts }: Candidate): number => parts.features.asked ?? 0
  return candidates.sort(
    (a, b) => rank(b) - rank(a) || b.score - a.score || a.chunk.chunkId - b.chunk.chunkId,
  )
}

function ranksByChunk(lists: ChannelLists): Map<number, Partial<Record<Channel, number>>> {
  const ranks = new Map<number, Partial<Record<Channel, number>>>()
  for (const [channel, hits] of lists) {
    hits.forEach(({ chunkId }, i) => {
      const ofChunk = ranks.get(chunkId) ?? {}
      ofChunk[channel] = i + 1
      ranks.set(chunkId, ofChunk)
    })
  }
  return ranks
}

function channelScores(scores: ExactScores, chunkId: number): Partial<Record<Channel, number>> {
  const result: Partial<Record<Channel, number>> = {}
  for (const [channel, ofChannel] of scores.channels) {
    const score = ofChannel.get(chunkId)
    if (score !== undefined) result[channel] = score
  }
  return result
}

function bestCue(scores: ExactScores, chunkId: number): Candidate['cue'] {
  let best: Candidate['cue'] = null
  let bestScore = scores.channels.get('content')?.get(chunkId) ?? Number.NEGATIVE_INFINITY
  for (const kind of CUE_KINDS) {
    const score = scores.channels.get(kind)?.get(chunkId)
    const ordinal = scores.ordinals.get(kind)?.get(chunkId)
    if (score !== undefined && ordinal !== undefined && score > bestScore) {
      best = { kind, ordinal }
      bestScore = score
    }
  }
  return best
}
