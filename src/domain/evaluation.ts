import type { Channel, Formulator, HistoryMessage } from './recall.ts'

/** What a question should bring back: a chunk of this source, or just the one that a ref names, or that holds a passage. */
export interface Expectation {
  readonly source: string
  /** `kelly.md#3`. */
  readonly ref?: string
  /** Text that stands in the chunk; case and runs of white space do not count. */
  readonly passage?: string
}

/** A question with what it should bring back. */
export interface EvaluationCase {
  /** @default q1, q2, … by place */
  readonly id?: string
  readonly question: string
  readonly history?: readonly HistoryMessage[]
  /** Stand-alone questions beside it: then none are formulated. */
  readonly queries?: readonly string[]
  /** One at least. */
  readonly expect: readonly Expectation[]
  /** Figures are also given by class. */
  readonly class?: string
  /** For people. */
  readonly answer?: string
}

/** Shares are from 0 to 1. */
export interface RetrievalFigures {
  readonly cases: number
  /** By k: share of the cases with something expected among the first k. */
  readonly any: Readonly<Record<string, number>>
  /** By k: mean share of what is expected that is among the first k. */
  readonly recall: Readonly<Record<string, number>>
  /** Mean of 1 / rank of the first that is expected, 0 where none is among those that were returned. */
  readonly mrr: number
}

export interface CaseResult {
  readonly id: string
  readonly question: string
  readonly class: string | null
  /** Of the first that is expected, from 1; null for a miss. */
  readonly rank: number | null
  /** How many of what is expected came back. */
  readonly found: number
  readonly expected: number
  /** What the bank does not have: that it was not found is no miss, and it counts nowhere. */
  readonly absent: readonly Expectation[]
  /** Rank in each channel's own list, null for a miss; only channels that had one. */
  readonly channels: Partial<Readonly<Record<Channel, number | null>>>
  readonly formulatedBy: Formulator
  readonly degraded: readonly string[]
  readonly tookMs: number
}

export interface ModelCost {
  /** Attempts, failed ones included. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars, where the price is known. */
  readonly costUsd: number
}

export interface EvaluationReport {
  /** Its model calls are in the trace by it; its recalls are not, and leave no receipts. */
  readonly traceId: string
  readonly ks: readonly number[]
  readonly cases: readonly CaseResult[]
  /** Cases of which the bank has nothing that is expected: they are in no figure. */
  readonly absent: number
  readonly overall: RetrievalFigures
  readonly byClass: Readonly<Record<string, RetrievalFigures>>
  /** Each channel's own list alone; a channel without one for a case misses it. */
  readonly byChannel: Partial<Readonly<Record<Channel, RetrievalFigures>>>
  /** Recall with the channel switched off; only under `ablate`. */
  readonly without: Partial<Readonly<Record<Channel, RetrievalFigures>>>
  readonly p50Ms: number
  readonly p95Ms: number
  /** Mean tokens of what came back. */
  readonly tokens: number
  readonly cost: ModelCost
}

/** Questions drafted from a bank's own chunks, for a person to edit. */
export interface DraftedEvaluation {
  readonly traceId: string
  readonly cases: readonly EvaluationCase[]
  /** `rules`: made of the chunks' own cues, so far easier than what people ask. */
  readonly by: 'model' | 'rules'
  /** Chunks for which no fit question came. */
  readonly dropped: number
  readonly cost: ModelCost
}
