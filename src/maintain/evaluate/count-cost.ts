import type { ModelCost } from '../../domain/evaluation.ts'
import type { TraceRecord } from '../../observability/trace.ts'

export type TraceListener = (record: TraceRecord) => void

/** Adds up the model calls of one trace, failed ones included, until it is stopped. */
export function countingCost(
  hear: (listener: TraceListener) => () => void,
  traceId: string,
): { cost(): ModelCost; stop(): void } {
  const cost = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 }
  const stop = hear((record) => {
    if (record.type !== 'model-call' || record.traceId !== traceId) return
    cost.calls += 1
    cost.inputTokens += record.inputTokens ?? 0
    cost.outputTokens += record.outputTokens ?? 0
    cost.costUsd += record.costUsd ?? 0
  })
  return { cost: () => ({ ...cost }), stop }
}
