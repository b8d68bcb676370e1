import type { RetrievalFigures } from '../../domain/evaluation.ts'
import { firstRank, type RankedList, retrievalQuality } from '../../math/retrieval-metrics.ts'

/** A list of chunks as the expectations that each fulfils, by their number. */
export interface Ranking extends RankedList<number> {
  readonly rank: number | null
  readonly found: number
}

export function rankingOf(chunkIds: readonly number[], groups: readonly ReadonlySet<number>[]): Ranking {
  const ranked = chunkIds.map((id) => groups.flatMap((group, at) => (group.has(id) ? [at] : [])))
  const gold = groups.map((_, at) => at)
  return { ranked, gold, rank: firstRank({ ranked, gold }), found: new Set(ranked.flat()).size }
}

export function figuresOf(rankings: readonly Ranking[], ks: readonly number[]): RetrievalFigures {
  return { cases: rankings.length, ...retrievalQuality(rankings, ks) }
}
