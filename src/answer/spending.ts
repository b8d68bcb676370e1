import type { ModelSpending } from '../domain/answer.ts'
import type { TokenUsage } from '../providers/language-model.ts'

/** Adds up what calls of models took. */
export interface SpendingTally {
  add(usage: TokenUsage, calls: number): void
  total(): ModelSpending
}

export function createTally(): SpendingTally {
  let [calls, inputTokens, outputTokens] = [0, 0, 0]
  let costUsd: number | null = null
  return {
    add(usage, made) {
      calls += made
      inputTokens += usage.inputTokens ?? 0
      outputTokens += usage.outputTokens ?? 0
      if (usage.costUsd !== null) costUsd = (costUsd ?? 0) + usage.costUsd
    },
    total: () => ({ calls, inputTokens, outputTokens, costUsd }),
  }
}
