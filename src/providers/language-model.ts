/**
 * Writes text. Injected: an adapter to a vendor, a recording, the deterministic fake, or a function of the caller's. A model only makes the
 * call: retries, time limits, budgets, parsing and the trace are those of `model-calls.ts`, once for all models.
 */
export interface LanguageModel {
  /** Stable name, `provider:model`: part of what decides whether a text was paid for already. */
  readonly modelId: string
  /** Its results tell `usage.costUsd`: a budget in money then needs no prices. @default false */
  readonly reportsCost?: boolean
  /** One attempt. @throws ProlepsisError MODEL_REFUSED, MODEL_UNAVAILABLE (with `details.retryAfterMs` where the vendor said so); CANCELLED */
  generate(request: GenerateRequest): Promise<GenerateResult>
  /** The same, piece by piece; the last part is `end`. @default `generate` in one piece */
  stream?(request: GenerateRequest): AsyncIterable<GeneratePart>
}

export interface GenerateRequest {
  /** What the call is for: `questions`, `formulate`, `answer`… A recording and a fake may tell calls apart by it. */
  readonly purpose: string
  /** Instructions. Never holds stored text. */
  readonly system: string
  /** What is to be worked on; stored text stands in fenced blocks. */
  readonly prompt: string
  /** JSON Schema of the reply when JSON is asked for. A model that can be held to one is; the reply is read tolerantly all the same. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  /** Most tokens of the reply, thinking included. */
  readonly maxOutputTokens: number
  /** @default 0 */
  readonly temperature?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface GenerateResult {
  /** Without the model's thinking where the vendor keeps it apart. */
  readonly text: string
  readonly finishReason: FinishReason
  readonly usage: TokenUsage
}

export const FINISH_REASONS = ['stop', 'length', 'content-filter', 'other'] as const
export type FinishReason = (typeof FINISH_REASONS)[number]

/** Null where the model does not say. */
export interface TokenUsage {
  readonly inputTokens: number | null
  /** Thinking included. */
  readonly outputTokens: number | null
  readonly reasoningTokens: number | null
  /** US dollars, where the vendor tells them with the reply. */
  readonly costUsd: number | null
}

export type GeneratePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'end'; readonly finishReason: FinishReason; readonly usage: TokenUsage }

export const NO_USAGE: TokenUsage = {
  inputTokens: null,
  outputTokens: null,
  reasoningTokens: null,
  costUsd: null,
}
