import { CHANNELS, type RecallOptions, type RecallQuery } from '../domain/recall.ts'
import type { Memory } from '../memory-api.ts'
import { recallCandidates } from '../recall/candidates.ts'
import type { CandidatePool } from '../recall/features.ts'
import { callOn } from './scope.ts'
import { scopeOf } from './scopes.ts'

/**
 * Everything that a recall found with its exact scores, before fusion: what the weights of fusion are trained on. Options that
 * concern fusion and packing play no part.
 *
 * @throws ProlepsisError as `recall`
 */
export function recallPool(
  memory: Memory,
  query: RecallQuery,
  options: RecallOptions = {},
): Promise<CandidatePool> {
  return callOn(scopeOf(memory), 'recall', async (deps) => {
    const { candidates, probe, termMass } = await recallCandidates(deps, query, options)
    const { people, dates, asksForTime } = probe
    const scores = new Map(
      CHANNELS.flatMap((channel) => {
        const own = candidates.flatMap(({ chunk, parts }) => {
          const score = parts.channels[channel]
          return score === undefined ? [] : [[chunk.chunkId, score] as const]
        })
        return own.length === 0 ? [] : [[channel, new Map(own)] as const]
      }),
    )
    return { chunks: candidates.map(({ chunk }) => chunk), scores, people, dates, asksForTime, termMass }
  })
}
