import type { Span } from './chunk.ts'
import type { PromptTexts } from './prompt-files.ts'
import type { Passage, RecallOptions } from './recall.ts'
import type { Trust } from './trust.ts'

export const ANSWER_STATUSES = ['answered', 'not-in-memory'] as const
export type AnswerStatus = (typeof ANSWER_STATUSES)[number]

/** Where a sentence of an answer stands in memory: a place that was found there, never the model's word for it. */
export interface Citation {
  readonly ref: string
  readonly chunkId: number
  readonly source: string
  readonly occurredAt: Date | null
  readonly trust: Trust
  /** The chunk's own words, as it has them. */
  readonly quote: string
  /** Where they are in the chunk's text, in UTF-16 units, end exclusive. */
  readonly inChunk: { readonly start: number; readonly end: number }
  /** Where they are in the document. */
  readonly span: Span
  /** `near`: the model's quote differed in a few words, or left some out; `quote` is what stands there. */
  readonly match: 'exact' | 'near'
}

export interface AnswerSentence {
  readonly text: string
  /** At least one. */
  readonly citations: readonly Citation[]
  /**
   * `quoted`: it says a cited sentence in that sentence's words. `checked`: the model, asked again with the cited passages, found it supported.
   * `located`, of `askAll` alone: the quote stands in memory, but the check could not be made; `degraded` says why.
   */
  readonly support: 'quoted' | 'checked' | 'located'
}

/**
 * `no-citation`: no quote of it was found in memory; `unsupported`, `partly`: the check's verdict; `unchecked`: the check gave none;
 * `too-long`, `too-many`: past what an answer may have.
 */
export const DROP_REASONS = [
  'no-citation',
  'unsupported',
  'partly',
  'unchecked',
  'too-long',
  'too-many',
] as const
export type DropReason = (typeof DROP_REASONS)[number]

export interface DroppedSentence {
  readonly text: string
  readonly why: DropReason
}

/** Everything that a call spent on models. */
export interface ModelSpending {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars; null where no price is known. */
  readonly costUsd: number | null
}

export interface QueryResult {
  readonly query: string
  /** The best for this question alone. */
  readonly passages: readonly Pick<Passage, 'ref' | 'chunkId' | 'score'>[]
}

/** What `ask` and `askAll` both give. */
export interface Answer {
  readonly status: AnswerStatus
  /** The sentences as one text; null when memory does not have it. */
  readonly text: string | null
  readonly sentences: readonly AnswerSentence[]
  /** What the model said and the checks took out. */
  readonly dropped: readonly DroppedSentence[]
  readonly usage: ModelSpending
  /** What failed or was cut short on the way, with the reason. */
  readonly degraded: readonly string[]
  readonly traceId: string
  readonly tookMs: number
  /** The answer with numbered marks and the sources that they stand for. */
  toString(): string
}

export interface AskOptions extends Omit<RecallOptions, 'receipt' | 'prompts'> {
  /** Most passages of each recall. @default 20 */
  readonly limit?: number
  /** Most tokens of evidence, neighbours among them, each round. @default 8000 */
  readonly tokenBudget?: number
  /** Neighbouring chunks (each side) that stand beside a passage where the budget allows. @default 1 */
  readonly expand?: number
  /** Most further recalls, when the evidence points on. 0 to 5. @default 1 */
  readonly hops?: number
  /**
   * Least probability of the best passage; below it memory does not have it, and no model is asked. 0 to 1. It counts only where the score is
   * the calibrated probability: fusion `learned`, mode `hybrid`, nothing degraded. @default 0.01 in banks of 200 chunks and more, else 0
   */
  readonly floor?: number
  /** Report cited passages on the receipt: they are strengthened. @default true */
  readonly feedback?: boolean
  /** Texts in place of the prompts `answer`, `check`, `formulate`, `rerank`. @default those of the bank, else of the package */
  readonly prompts?: Pick<PromptTexts, 'answer' | 'check' | 'formulate' | 'rerank'>
}

export interface AskResult extends Answer {
  /** What was recalled, the best first. */
  readonly passages: readonly Passage[]
  /** The questions that went out. */
  readonly queries: readonly string[]
  readonly resultsByQuery: readonly QueryResult[]
  /** One a recall. */
  readonly receipts: readonly string[]
  /** Further recalls that were made. */
  readonly hops: number
}

/** What `ask.stream` gives, in this order; a failure is thrown. */
export type AskEvent =
  | { readonly type: 'recalled'; readonly query: string; readonly passages: readonly Passage[] }
  | { readonly type: 'sentence'; readonly sentence: AnswerSentence }
  | { readonly type: 'done'; readonly result: AskResult }

export interface AskAllOptions
  extends Pick<
    RecallOptions,
    'tags' | 'where' | 'during' | 'asOf' | 'source' | 'minTrust' | 'people' | 'signal'
  > {
  /** Tokens of text in one call of the model. 200 to 1,000,000. @default 12000 */
  readonly batchTokens?: number
  /** Calls under way at once. 1 to 64. @default 4 */
  readonly concurrency?: number
  /** Asked once with the estimate; false ends the call with CANCELLED. @default goes on */
  readonly confirm?: (estimate: AskAllEstimate) => boolean | Promise<boolean>
  readonly onProgress?: (progress: AskAllProgress) => void
  /** Texts in place of the prompts `map`, `reduce`, `check`. @default those of the bank, else of the package */
  readonly prompts?: Pick<PromptTexts, 'map' | 'reduce' | 'check'>
}

/** What reading everything takes, told before it is done. */
export interface AskAllEstimate {
  readonly documents: number
  readonly chunks: number
  /** Of their texts, by the embedder's count. */
  readonly textTokens: number
  readonly batches: number
  /** Batches, and what joining and checking takes at most when each batch finds a fact or two. */
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** US dollars by the settings `input_price` and `output_price`; null without them. */
  readonly costUsd: number | null
}

export interface AskAllProgress {
  readonly stage: 'map' | 'reduce' | 'check'
  readonly done: number
  readonly total: number
  /** Found so far. */
  readonly facts: number
  readonly costUsd: number | null
}

/** Text that no model has read, and why. */
export interface UnreadPart {
  readonly source: string
  /** First and last chunk of it. */
  readonly refs: readonly [string, string]
  readonly code: string
  readonly reason: string
}

export interface AskAllResult extends Answer {
  readonly documents: number
  readonly batches: number
  /** Facts that the batches gave and whose quotes were found. */
  readonly facts: number
  /** Empty when everything was read. */
  readonly incomplete: readonly UnreadPart[]
  readonly estimate: AskAllEstimate
}
