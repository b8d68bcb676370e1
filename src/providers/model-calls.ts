import type { z } from 'zod'
import type { GeneratePart, TokenUsage } from './language-model.ts'

/**
 * Calls of a language model for one bank, under one policy: retries of what can be retried (Retry-After heeded), time limits,
 * cancellation, concurrency, budgets by day and by document, room for thinking, tolerant reading of JSON, a line in the trace for every attempt.
 */
export interface ModelCalls {
  readonly modelId: string
  /** @throws ProlepsisError MODEL_REFUSED, MODEL_UNAVAILABLE, MODEL_TIMEOUT, MODEL_REPLY_INVALID (empty), BUDGET_EXCEEDED, CANCELLED */
  generate(call: ModelCall): Promise<ModelReply<string>>
  /**
   * The reply as `schema` reads it: fences, prose around, thinking, trailing commas and a cut end are forgiven. What cannot be read is asked
   * once more, told what was wrong; then MODEL_REPLY_INVALID, `details.errorKind` `empty`, `prose`, `malformed` or `schema`.
   *
   * @throws ProlepsisError as `generate`
   */
  generateObject<T>(call: ModelCall & { readonly schema: z.ZodType<T> }): Promise<ModelReply<T>>
  /** Text as it comes. It is not retried once the first piece has come. @throws ProlepsisError as `generate` */
  stream(call: ModelCall): AsyncIterable<GeneratePart>
}

export interface ModelCall {
  /** `questions`, `formulate`, `answer`, `check`, `map`, `reduce`, `rerank`, `draft`. */
  readonly purpose: string
  readonly system: string
  readonly prompt: string
  /** Most tokens of the reply itself; room for thinking is added by the policy. */
  readonly maxOutputTokens: number
  /** @default 0 */
  readonly temperature?: number
  /** Of the whole call, retries included. @default the setting */
  readonly timeoutMs?: number
  /** Attempts in all. @default the setting; 1 for `formulate`, which has the rules to fall back on */
  readonly attempts?: number
  readonly signal?: AbortSignal | undefined
  /** Joins the call with what it belongs to. */
  readonly traceId: string
  /** Documents whose text the prompt holds: `forget` finds the call by them. */
  readonly documentIds?: readonly number[]
  readonly jobId?: number
  /** What may still be spent on this document. @default no limit */
  readonly remaining?: Spending
}

/** Tokens in and out together; money only where the price is known. */
export interface Spending {
  readonly tokens: number | null
  readonly costUsd: number | null
}

export interface ModelReply<T> {
  readonly value: T
  /** Everything that it took, failed attempts included. Tokens that the model does not tell are estimated from the texts. */
  readonly usage: TokenUsage
  /** Attempts that were made. */
  readonly calls: number
}
