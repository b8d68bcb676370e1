import { VECTOR_KINDS, type VectorKind } from '../domain/cue.ts'
import type { Filter } from '../domain/filter.ts'
import type { PromptTexts } from '../domain/prompt-files.ts'
import {
  CHANNELS,
  type Channel,
  type FormulatorChoice,
  type Fusion,
  type HistoryMessage,
  type RecallMode,
} from '../domain/recall.ts'

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
  /** Null: as the memory is set. */
  readonly formulator: FormulatorChoice | null
  readonly prompts: PromptTexts
  /** How many of the best are reranked; 0: none. */
  readonly rerank: number
  readonly receipt: boolean
  readonly signal: AbortSignal | undefined
}

export const RECALL_DEFAULTS: Readonly<
  Pick<RecallRequest, 'limit' | 'mode' | 'fusion' | 'expand' | 'receipt'>
> = { limit: 10, mode: 'hybrid', fusion: 'learned', expand: 0, receipt: true }

/** Most passages of one recall: the union of candidates is not larger than a few hundred. */
export const MAX_LIMIT = 500
export const MAX_EXPAND = 50
/** How many candidates are reranked where a call says only that they are. */
export const DEFAULT_RERANK_TOP = 30
/** Greatest multiplier of a channel's weight. */
export const MAX_WEIGHT = 1000

/** Channels that a mode leaves on. */
export const MODE_CHANNELS: Readonly<Record<RecallMode, readonly Channel[]>> = {
  hybrid: CHANNELS,
  semantic: ['content', 'window', 'question', 'statement', 'concept'],
  lexical: ['body', 'cue', 'text', 'context', 'document'],
}

/**
 * Multipliers of a call that gives none. In `hybrid` window vectors are off: beside the surroundings' BM25 they gain nothing that
 * pays for a search; and body and cue are one text: apart, the body's BM25 costs 3 points any@5 (LoCoMo, standard). Words alone are
 * another matter: there the chunk itself has to hold them.
 */
export const DEFAULT_WEIGHTS: Readonly<Record<RecallMode, Readonly<Record<Channel, number>>>> = {
  hybrid: channelWeights({ window: 0, body: 0, cue: 0 }),
  semantic: channelWeights({}),
  lexical: channelWeights({ text: 0, context: 0, document: 0 }),
}

function channelWeights(others: Partial<Record<Channel, number>>): Record<Channel, number> {
  return {
    ...{ content: 1, window: 1, question: 1, statement: 1, concept: 1 },
    ...{ body: 1, cue: 1, text: 1, context: 1, document: 1, entity: 1 },
    ...others,
  }
}

/** The request as it stands when no vector could be made: words alone. */
export function withoutVectors(request: RecallRequest): RecallRequest {
  const { body, cue, text } = request.weights
  const alone = { body: Math.max(body, text), cue: Math.max(cue, text), text: 0, context: 0, document: 0 }
  return { ...request, weights: { ...request.weights, ...alone } }
}

/** The request without the dense channels of which the bank has no vectors: there is nothing to search. */
export function withKinds(request: RecallRequest, kinds: ReadonlySet<VectorKind>): RecallRequest {
  const weights = { ...request.weights }
  for (const kind of VECTOR_KINDS) if (!kinds.has(kind)) weights[kind] = 0
  return { ...request, weights }
}
