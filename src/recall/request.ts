import type { VectorKind } from '../domain/cue.ts'
import type { Filter } from '../domain/filter.ts'
import type { Channel, Fusion, HistoryMessage, RecallMode } from '../domain/recall.ts'

/** A recall's question and options, checked, with every default filled in. */
export interface RecallRequest {
  readonly message: string
  readonly history: readonly HistoryMessage[]
  readonly queries: readonly string[]
  readonly filter: Filter
  readonly limit: number
  readonly tokenBudget: number | null
  readonly mode: RecallMode
  readonly fusion: Fusion
  /** Multiplier of each channel's weight, ≥ 0. Channels that are off have 0. */
  readonly weights: Readonly<Record<Channel, number>>
  readonly expand: number
  readonly receipt: boolean
  readonly signal: AbortSignal | undefined
}

export const RECALL_DEFAULTS: Readonly<
  Pick<RecallRequest, 'limit' | 'mode' | 'fusion' | 'expand' | 'receipt'>
> = { limit: 10, mode: 'hybrid', fusion: 'learned', expand: 0, receipt: true }

/** Most passages of one recall: the union of candidates is not larger than a few hundred. */
export const MAX_LIMIT = 500
export const MAX_EXPAND = 50

/** Channels that a mode leaves on. */
export const MODE_CHANNELS: Readonly<Record<RecallMode, readonly Channel[]>> = {
  hybrid: ['content', 'window', 'question', 'statement', 'concept', 'body', 'cue', 'entity'],
  semantic: ['content', 'window', 'question', 'statement', 'concept'],
  lexical: ['body', 'cue'],
}

/** Dense channels that are met with the question under the model's instruction for content. */
export const QUERY_KINDS: readonly VectorKind[] = ['content', 'window']
/** Dense channels that are met with the question as it is: like with like. */
export const SYMMETRIC_KINDS: readonly VectorKind[] = ['question', 'statement', 'concept']
