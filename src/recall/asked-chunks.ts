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
