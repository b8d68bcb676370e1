import { callerQuestions } from '../store/queries/cues.ts'
import type { ExactScores } from './complete.ts'
import type { RecallDeps } from './deps.ts'

/** A question that is the same text has a cosine of 1 but for rounding, and for what a conversation before it blends in. */
const NEAR_COSINE = 0.9

/**
 * Chunks that the caller gave one of these very questions (letter case, punctuation and spacing aside): the caller's word that they answer it.
 * Only candidates are looked at: with vectors the question itself makes its chunk one, by words alone it may be crowded out. Reads nothing
 * unless some candidate's question comes near.
 */
export async function askedChunks(
  { store }: Pick<RecallDeps, 'store'>,
  queries: readonly string[],
  { channels }: Pick<ExactScores, 'channels'>,
): Promise<ReadonlySet<number>> {
  const near = nearChunks(channels)
  if (near.length === 0) return new Set()
  const asked = new Set(queries.map(plain))
  const questions = await callerQuestions(store.database, store.bankId, near)
  return new Set(questions.filter(({ text }) => asked.has(plain(text))).map(({ chunkId }) => chunkId))
}

function nearChunks(channels: ExactScores['channels']): number[] {
  const questions = channels.get('question')
  if (questions !== undefined) {
    return [...questions].filter(([, cosine]) => cosine >= NEAR_COSINE).map(([chunkId]) => chunkId)
  }
  // no vectors tell: every candidate whose cues hold words of the question
  return [...(channels.get('cue') ?? [])].filter(([, score]) => score > 0).map(([chunkId]) => chunkId)
}

/** Marks alone (`???`) stay as they are, so that they equal only themselves. */
function plain(text: string): string {
  const lower = text.normalize('NFKC').toLowerCase()
  const words = lower.replace(/[^\p{L}\p{M}\p{N}\p{S}]+/gu, ' ').trim()
  return words === '' ? lower.trim() : words
}

/**
 * The final scores, those of asked chunks over all others and in their own order among themselves; in [0, 1] where the scores are.
 *
 * @param ceiling the greatest that a score can be, or null
 */
export function scoresWithAsked(
  scores: readonly number[],
  isAsked: readonly boolean[],
  ceiling: number | null,
): readonly number[] {
  if (!isAsked.includes(true)) return scores
  let [best, least] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const score of scores) {
    best = Math.max(best, score)
    least = Math.min(least, score)
  }
  const span = best - least
  const room = ceiling === null ? span || 1 : ceiling - best
  return scores.map((score, i) =>
    isAsked[i] ? best + room * (0.5 + (span === 0 ? 0 : (0.5 * (score - least)) / span)) : score,
  )
}
