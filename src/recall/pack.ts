import type { Analyser } from '../domain/analysis/analyser.ts'
import { diverseKnapsack, type Similarity } from '../math/diverse-knapsack.ts'
import { sigmoid } from '../math/logistic.ts'
import { chunksByIds } from '../store/queries/chunks.ts'
import type { RecallDeps } from './deps.ts'
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
export async function packCandidates(
  deps: Pick<RecallDeps, 'store' | 'analyser'>,
  candidates: readonly Candidate[],
  request: PackRequest,
): Promise<Packed> {
  const { limit, tokenBudget } = request
  if (tokenBudget === null) return packed(candidates.slice(0, limit))
  const pool = packingPool(candidates, limit)
  return packed(packBudget(pool, request, tokenBudget, await sharedTerms(deps, pool)))
}

type PackRequest = Pick<RecallRequest, 'limit' | 'tokenBudget' | 'fusion'>

function packed(chosen: readonly Candidate[]): Packed {
  return { chosen, tokens: chosen.reduce((sum, { chunk }) => sum + chunk.tokens, 0) }
}

/** The candidates that a budget may choose from: those far below the limit never make a better package. */
export function packingPool(candidates: readonly Candidate[], limit: number): readonly Candidate[] {
  return candidates.slice(0, Math.max(40, 3 * limit))
}

/** The choice itself. Pure. */
export function packBudget(
  pool: readonly Candidate[],
  request: Pick<RecallRequest, 'limit' | 'fusion'>,
  budget: number,
  alike: Similarity,
): readonly Candidate[] {
  const items = pool.map(({ score, chunk }) => ({
    // A sum of standard scores has no zero of its own; a sigmoid keeps its order and makes it positive.
    value: request.fusion === 'standard' ? sigmoid(score) : Math.max(score, 0),
    size: chunk.tokens,
  }))
  const limits = { budget, maxItems: request.limit }
  return diverseKnapsack(items, limits, alike, REDUNDANCY).flatMap((i) => pool[i] ?? [])
}

/** How alike two members of a pool are, by the terms of their texts. */
export async function sharedTerms(
  deps: Pick<RecallDeps, 'store' | 'analyser'>,
  pool: readonly Candidate[],
): Promise<Similarity> {
  const { database, bankId } = deps.store
  const ids = pool.map(({ chunk }) => chunk.chunkId)
  const texts = new Map(
    (await chunksByIds(database, bankId, ids)).map(({ chunkId, text }) => [chunkId, text]),
  )
  return termOverlap(
    ids.map((id) => texts.get(id) ?? ''),
    deps.analyser,
  )
}

/** Jaccard's share of common terms of two texts, each pair computed once, when asked. */
export function termOverlap(texts: readonly string[], analyser: Analyser): Similarity {
  const sets: Set<string>[] = []
  const termsOf = (i: number): Set<string> => {
    sets[i] ??= new Set(analyser.terms(texts[i] ?? ''))
    return sets[i]
  }
  const known = new Map<number, number>()
  return (i, j) => {
    const key = Math.min(i, j) * texts.length + Math.max(i, j)
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
