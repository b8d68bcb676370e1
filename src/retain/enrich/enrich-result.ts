import { NO_USAGE, type TokenUsage } from '../../providers/language-model.ts'
import type { Accepted } from './accept-reply.ts'
import { DROP_REASONS, type DropReason } from './clean-cues.ts'

export interface EnrichResult {
  /** Of the document. */
  readonly chunks: number
  /** Chunks for which a model wrote. */
  readonly asked: number
  /** Chunks that took over what the bank had paid for already. */
  readonly reused: number
  /** Questions that the model wrote: `kept` and `dropped`. */
  readonly written: number
  readonly kept: number
  readonly dropped: number
  readonly droppedBy: Readonly<Record<DropReason, number>>
  /** Calls of the model, attempts that failed included where they are known. */
  readonly calls: number
  readonly usage: TokenUsage
}

export interface Counts extends Record<'chunks' | 'asked' | 'reused' | 'written' | 'kept' | 'calls', number> {
  readonly droppedBy: Record<DropReason, number>
  usage: TokenUsage
}

export function newCounts(chunks: number): Counts {
  const droppedBy = { length: 0, echo: 0, script: 0, duplicate: 0, excess: 0, roundTrip: 0 }
  return { chunks, asked: 0, reused: 0, written: 0, kept: 0, calls: 0, droppedBy, usage: NO_USAGE }
}

/** Adds what was accepted. */
export function count(counts: Counts, accepted: readonly Accepted[]): void {
  for (const { written, kept, dropped } of accepted) {
    counts.asked++
    counts.written += written
    counts.kept += kept
    for (const reason of dropped) counts.droppedBy[reason]++
  }
}

export function resultOf({ droppedBy, ...counts }: Counts): EnrichResult {
  const dropped = DROP_REASONS.reduce((sum, reason) => sum + droppedBy[reason], 0)
  return { ...counts, dropped, droppedBy: { ...droppedBy } }
}

/** Null where neither says. */
export function sumOf(a: TokenUsage, b: TokenUsage): TokenUsage {
  const sum = (x: number | null, y: number | null): number | null =>
    x === null && y === null ? null : (x ?? 0) + (y ?? 0)
  return {
    inputTokens: sum(a.inputTokens, b.inputTokens),
    outputTokens: sum(a.outputTokens, b.outputTokens),
    reasoningTokens: sum(a.reasoningTokens, b.reasoningTokens),
    costUsd: sum(a.costUsd, b.costUsd),
  }
}
