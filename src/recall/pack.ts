import type { Analyser } from '../domain/analysis/analyser.ts'
import { diverseKnapsack } from '../math/diverse-knapsack.ts'
import { sigmoid } from '../math/logistic.ts'
import type { Candidate } from './rank.ts'
import type { RecallRequest } from './request.ts'

/** Share of its value that an exact repetition of a better passage loses. */
const REDUNDANCY = 0.7

export interface Packed {
  /** Best first. */
  readonly chosen: readonly Candidate[]
  /** Tokens of the chosen chunks. */
  readonly tokens: number
}

/**
 * Chooses whole chunks for the limit and the token budget. Without a budget: the best `limit`. With one: the knapsack that is
 * worth most, where a chunk that repeats a better one (by shared terms) is worth less.
 */
export function pack(
  candidates: readonly Candidate[],
  request: Pick<RecallRequest, 'limit' | 'tokenBudget' | 'fusion'>,
  analyser: Analyser,
): Packed {
  const { limit, tokenBudget } = request
  const chosen =
    tokenBudget === null
      ? candidates.slice(0, limit)
      : packBudget(packingPool(candidates, limit), limit, tokenBudget, request, analyser)
  return { chosen, tokens: chosen.reduce((sum, { chunk }) => sum + chunk.tokens, 0) }
}

/** The candidates that a budget may choose from: those far below the limit never make a better package. */
export function packingPool(candidates: readonly Candidate[], limit: number): readonly Candidate[] {
  return candidates.slice(0, Math.max(40, 3 * limit))
}

function packBudget(
  pool: readonly Candidate[],
  limit: number,
  budget: number,
  request: Pick<RecallRequest, 'fusion'>,
  analyser: Analyser,
): readonly Candidate[] {
  const items = pool.map(({ score, chunk }) => ({
    // A sum of standard scores has no zero of its own; a sigmoid keeps its order and makes it positive.
    value: request.fusion === 'standard' ? sigmoid(score) : Math.max(score, 0),
    size: chunk.tokens,
  }))
  const alike = sharedTerms(pool, analyser)
  return diverseKnapsack(items, { budget, maxItems: limit }, alike, REDUNDANCY).flatMap((i) => pool[i] ?? [])
}

/** Jaccard's share of common terms of two candidates, each pair computed once, when asked. */
export function sharedTerms(
  pool: readonly Candidate[],
  analyser: Analyser,
): (i: number, j: number) => number {
  const sets: Set<string>[] = []
  const termsOf = (i: number): Set<string> => (sets[i] ??= new Set(analyser.terms(pool[i]?.chunk.text ?? '')))
  const known = new Map<number, number>()
  return (i, j) => {
    const key = Math.min(i, j) * pool.length + Math.max(i, j)
    const found = known.get(key)
    if (found !== undefined) return found
    const [a, b] = [termsOf(i), termsOf(j)]
    let common = 0
    for (const term of a) if (b.has(term)) common++
    const either = a.size + b.size - common
    const share = either === 0 ? 0 : common / either
    known.set(key, share)
    return share
  }
}
