import { VECTOR_KINDS, type VectorKind } from '../domain/cue.ts'
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
  hybrid: ['content', 'window', 'question', 'statement', 'concept', 'body', 'context', 'cue', 'entity'],
  semantic: ['content', 'window', 'question', 'statement', 'concept'],
  lexical: ['body', 'context', 'cue'],
}

/**
 * Multipliers of a call that gives none. Body BM25 is off where that of the surroundings is on: both together lose 3 points any@5 (LoCoMo,
 * standard). Words alone are another matter: there the chunk itself has to hold them.
 */
export const DEFAULT_WEIGHTS: Readonly<Record<RecallMode, Readonly<Record<Channel, number>>>> = {
  hybrid: channelWeights({ body: 0 }),
  semantic: channelWeights({}),
  lexical: channelWeights({ context: 0 }),
}

function channelWeights(others: Partial<Record<Channel, number>>): Record<Channel, number> {
  return {
    ...{ content: 1, window: 1, question: 1, statement: 1, concept: 1 },
    ...{ body: 1, context: 1, cue: 1, entity: 1 },
    ...others,
  }
}

/** The request as it stands when no vector could be made: words alone. */
export function withoutVectors(request: RecallRequest): RecallRequest {
  const { weights } = request
  return { ...request, weights: { ...weights, body: Math.max(weights.body, weights.context), context: 0 } }
}

/** The request without the dense channels of which the bank has no vectors: there is nothing to search. */
export function withKinds(request: RecallRequest, kinds: ReadonlySet<VectorKind>): RecallRequest {
  const weights = { ...request.weights }
  for (const kind of VECTOR_KINDS) if (!kinds.has(kind)) weights[kind] = 0
  return { ...request, weights }
}
