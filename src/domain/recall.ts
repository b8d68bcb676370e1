import type { Span } from './chunk.ts'
import type { Metadata } from './document.ts'
import type { Filter } from './filter.ts'
import type { PromptTexts } from './prompt-files.ts'
import type { Trust } from './trust.ts'

export const CHANNELS = [
  'content',
  'window',
  'question',
  'statement',
  'concept',
  'body',
  'cue',
  'text',
  'context',
  'document',
  'entity',
] as const
/**
 * Dense channels by vector kind. BM25: over `body` and `cue` apart; `text`, the two as one text; `context`, a chunk with the two chunks
 * before and after it; `document`, all of its document. `entity` is the named people.
 */
export type Channel = (typeof CHANNELS)[number]

export const RECALL_MODES = ['hybrid', 'semantic', 'lexical'] as const
export type RecallMode = (typeof RECALL_MODES)[number]
export const FUSIONS = ['learned', 'standard', 'rrf'] as const
export type Fusion = (typeof FUSIONS)[number]

/** Who may turn a message into questions. */
export const FORMULATOR_CHOICES = ['model', 'rules'] as const
export type FormulatorChoice = (typeof FORMULATOR_CHOICES)[number]

export const FORMULATORS = ['rules', 'model', 'cache', 'caller'] as const
/** Who wrote the questions that went out; `cache`: a model, for the same message and history a moment ago. */
export type Formulator = (typeof FORMULATORS)[number]

export const FORMULATE_FAILURES = [
  'empty',
  'prose',
  'malformed',
  'schema',
  'timeout',
  'unavailable',
  'refused',
  'budget',
] as const
/** Why the rules stood in for a model: its reply was blank, prose, broken JSON or not questions; or none came. */
export type FormulateFailure = (typeof FORMULATE_FAILURES)[number]

export interface HistoryMessage {
  readonly role: string
  readonly content: string
}

/** What is asked: a message, or a message with its history, or ready stand-alone questions beside it. */
export type RecallQuery =
  | string
  | {
      readonly message: string
      readonly history?: readonly HistoryMessage[]
      readonly queries?: readonly string[]
    }

/** ISO 8601 with any offset (none = UTC), or Date. */
export type TimeInput = string | Date

export interface RecallOptions extends Omit<Filter, 'during' | 'asOf'> {
  /** Time the text speaks of: from inclusive, to exclusive. */
  readonly during?: { readonly from?: TimeInput; readonly to?: TimeInput }
  /** As memory stood then: the versions that were valid at that time. */
  readonly asOf?: TimeInput
  /** Most passages to return. @default 10 */
  readonly limit?: number
  /** Most tokens (of the embedder's tokeniser) in all passages together. @default none */
  readonly tokenBudget?: number
  /** @default 'hybrid' */
  readonly mode?: RecallMode
  /** @default 'learned' */
  readonly fusion?: Fusion
  /** Multiplier of a channel's weight, ≥ 0; 0 switches the channel off. @default 1; in mode `hybrid` 0 for `window`, `body`, `cue`, in mode `lexical` 0 for `text`, `context`, `document` */
  readonly weights?: Partial<Readonly<Record<Channel, number>>>
  /** Neighbouring chunks (each side) to add to a passage where the budget allows. @default 0 */
  readonly expand?: number
  /**
   * Who turns the message into stand-alone questions, where the query brings none: the language model, or the rules. The message itself
   * is always asked too. @default the setting `formulator`: the model where there is one
   */
  readonly formulator?: FormulatorChoice
  /**
   * Let the reranking model order the best `top` candidates anew by their whole text, 1 to 500. @default off; `top` 30
   */
  readonly rerank?: boolean | { readonly top?: number }
  /** Texts in place of the prompts `formulate` and `rerank`. @default those of the bank, else of the package */
  readonly prompts?: Pick<PromptTexts, 'formulate' | 'rerank'>
  /** Write a receipt. @default true */
  readonly receipt?: boolean
  readonly signal?: AbortSignal
}

/** Why a chunk stands where it does. Every number that took part. */
export interface ScoreParts {
  /** Raw score in each channel (cosine, BM25); a channel in which the chunk has no entry is absent. */
  readonly channels: Partial<Readonly<Record<Channel, number>>>
  /** Rank (from 1) within each channel's own list; absent when only completion scored it. */
  readonly ranks: Partial<Readonly<Record<Channel, number>>>
  /** Every feature of the fusion by name, as it went in (standardised scores, reciprocal ranks, flags). */
  readonly features: Readonly<Record<string, number>>
  /** Fused score before lift. */
  readonly fused: number
  /** Multiplier of the lift, 1 = none. */
  readonly lift: number
  /** What the reranking model gave it (greater is better, without a scale of its own); null where it was not asked. */
  readonly rerank: number | null
}

export interface Passage {
  /** `kelly.md#3`: source and ordinal from 1; `kelly.md@2#3` when it is not of the current version. */
  readonly ref: string
  readonly chunkId: number
  readonly text: string
  readonly source: string
  readonly span: Span
  readonly kind: string
  readonly label: string | null
  readonly speaker: string | null
  readonly occurredAt: Date | null
  readonly tags: readonly string[]
  readonly metadata: Metadata
  readonly trust: Trust
  readonly tokens: number
  /** Final score: probability of relevance under `learned`, else a sum without a scale. */
  readonly score: number
  readonly parts: ScoreParts
  /** The cue that met the question best, or null when the text itself did. */
  readonly cue: { readonly kind: string; readonly text: string } | null
  /** Neighbouring text added by `expand`. */
  readonly before: string
  readonly after: string
}

/** How a message became questions. */
export interface FormulationReport {
  readonly by: Formulator
  /** Why the rules stood in for the model that was asked; null where none was, or it answered. */
  readonly errorKind: FormulateFailure | null
  readonly tookMs: number
}

export interface RecallResult {
  /** Report use, citation and feedback against it; null when `receipt: false`. */
  readonly receipt: string | null
  /** The questions that went out, the raw message among them. */
  readonly queries: readonly string[]
  readonly formulation: FormulationReport
  readonly passages: readonly Passage[]
  readonly tokens: number
  /** Channels or stages that failed or were cut short, with the reason: `window: STORE_FAILED …`. */
  readonly degraded: readonly string[]
  /** `events.trace` shows what this call did by it. */
  readonly traceId: string
  readonly tookMs: number
  /** The block to put in a prompt. */
  toString(): string
}

/** The first stage that lost a chunk, and why. */
export interface WhyNot {
  readonly ref: string
  /** `returned` when it was returned after all; `not-found` when nothing in memory answers to it: `ref` is then what was asked. */
  readonly stage: 'filter' | 'channels' | 'rank' | 'budget' | 'returned' | 'not-found'
  readonly reason: string
  /** Rank among all candidates, or null when it was none. */
  readonly rank: number | null
  readonly parts: ScoreParts | null
}

/** How a recall came to its passages, and where a chunk or text fell out of it. */
export interface Explanation {
  readonly receipt: string
  readonly message: string
  readonly queries: readonly string[]
  /** What the conversation before contributed to the question: its last question and the answer to it, with the weight of their words beside the message's 1; 0 where the topic changed. */
  readonly history: readonly { readonly text: string; readonly weight: number }[]
  readonly fusion: Fusion
  /** Weight of each feature in this recall's fusion; under `rrf` of each channel, as `rrf_content`. */
  readonly weights: Readonly<Record<string, number>>
  /** Added to every sum of weighted features: `learned` gives sigmoid(bias + Σ weight · feature), `standard` the sum, `rrf` Σ weight / (60 + rank). */
  readonly bias: number
  readonly passages: readonly {
    readonly ref: string
    readonly rank: number
    readonly score: number
    readonly parts: ScoreParts
  }[]
  readonly whyNot: readonly WhyNot[]
}
