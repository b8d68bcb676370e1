import { type ErrorCode, isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
import type { IdGenerator } from '../../domain/ports.ts'
import type { TraceSink } from '../../observability/trace.ts'
import {
  type GenerateRequest,
  type GenerateResult,
  type LanguageModel,
  NO_USAGE,
  type TokenUsage,
} from '../language-model.ts'
import type { ModelCall } from '../model-calls.ts'
import type { AttemptOptions, AttemptWorld } from './attempts.ts'
import { attemptsOf, type CallPolicy, dayOf, isInteractive, type UsageBook } from './call-policy.ts'
import type { JsonSchema } from './fit-schema.ts'
import { addSpent, assertWithin, estimateTokens, NOTHING_SPENT, type Spent, spentOn } from './spending.ts'

export interface ModelCallsOptions extends AttemptWorld {
  readonly model: LanguageModel
  readonly policy: CallPolicy
  readonly ids: IdGenerator
  readonly trace: TraceSink
  /** Whose calls these are. */
  readonly bank: { readonly bankId: number; readonly bank: string }
  readonly usage: UsageBook
}

/** What all calls of one `ModelCalls` share. */
export interface CallsWorld extends ModelCallsOptions {
  readonly underWay: UnderWay
}

export type Request = ModelCall & { readonly jsonSchema?: JsonSchema }

/** Of one call: what its attempts took together. */
export interface SpendingBook {
  total: Spent
}

export function limitsOf({ model, policy }: ModelCallsOptions, call: ModelCall): AttemptOptions {
  return {
    modelId: model.modelId,
    interactive: isInteractive(call.purpose),
    attempts: call.attempts ?? attemptsOf(call.purpose, policy),
    timeoutMs: call.timeoutMs ?? policy.timeoutMs,
    signal: call.signal,
  }
}

export function withSpentTold(error: unknown, call: ModelCall, spent: Spent): unknown {
  if (!isProlepsisError(error)) return error
  const { code, message, hint, retryable, details, cause } = error
  return new ProlepsisError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...{ retryable, cause, details: { ...details, purpose: call.purpose, spent } },
  })
}

/** A usage that can be booked: what is no count, or below zero, counts as not told, so that it takes nothing off a budget. */
export function soundUsage(told: TokenUsage): TokenUsage {
  // a stream of the caller's may end without one
  const { inputTokens, outputTokens, reasoningTokens, costUsd } = { ...NO_USAGE, ...told }
  return {
    ...{ inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens) },
    reasoningTokens: countOf(reasoningTokens),
    costUsd: Number.isFinite(costUsd) && Number(costUsd) >= 0 ? costUsd : null,
  }
}

/** No reply is so long, and no column holds more. */
const MOST_TOKENS = 2 ** 31 - 1

const countOf = (tokens: number | null): number | null =>
  Number.isFinite(tokens) && Number(tokens) >= 0 ? Math.min(MOST_TOKENS, Math.round(Number(tokens))) : null

export interface Attempt {
  readonly attempt: number
  readonly startedAt: number
  readonly request: GenerateRequest
  readonly reply: GenerateResult | null
  readonly error: ProlepsisError | null
}

/** Books and traces an attempt. */
export async function settle(
  options: ModelCallsOptions,
  call: ModelCall,
  { attempt, startedAt, request, reply, error }: Attempt,
  book: SpendingBook,
): Promise<void> {
  const { model, policy, clock, ids, trace, bank, usage } = options
  const spent =
    reply === null && !mayHaveWorked(error?.code)
      ? { ...NOTHING_SPENT, calls: 1 }
      : spentOn(request, reply, policy.prices)
  book.total = addSpent(book.total, spent)
  trace.record(bank, {
    type: 'model-call',
    ...{ traceId: call.traceId, callId: ids.next(), purpose: call.purpose, modelId: model.modelId, attempt },
    ...{ at: new Date(startedAt), durationMs: clock.now() - startedAt, errorCode: error?.code ?? null },
    ...{ system: request.system, prompt: request.prompt, reply: reply?.text ?? null },
    finishReason: reply?.finishReason ?? null,
    inputTokens: reply?.usage.inputTokens ?? null,
    outputTokens: reply?.usage.outputTokens ?? null,
    reasoningTokens: reply?.usage.reasoningTokens ?? null,
    costUsd: spent.costUsd,
    error: error?.message ?? null,
    documentIds: call.documentIds ?? [],
    jobId: call.jobId ?? null,
  })
  await usage.add({
    day: dayOf(startedAt),
    ...{ modelId: model.modelId, purpose: call.purpose, calls: 1 },
    ...{ inputTokens: spent.inputTokens, outputTokens: spent.outputTokens, costUsd: spent.costUsd ?? 0 },
  })
}

/** A call that was cut off has been worked on, and is paid for, as far as anybody knows. */
const mayHaveWorked = (code: ErrorCode | undefined): boolean =>
  code === 'MODEL_TIMEOUT' || code === 'CANCELLED'

export function requestOf(policy: CallPolicy, call: Request, signal: AbortSignal): GenerateRequest {
  const { purpose, system, prompt, maxOutputTokens, temperature = 0, jsonSchema } = call
  return {
    ...{ purpose, system, prompt, temperature, signal },
    maxOutputTokens: maxOutputTokens + policy.thinkingTokens,
    ...(jsonSchema === undefined ? {} : { schema: jsonSchema }),
  }
}

/** What the prompts of calls under way take at least: they are in no book yet. */
export interface UnderWay {
  tokens: number
  costUsd: number
}

/**
 * Judges a call that is about to be made, and counts its prompt as under way until the function is called that it gives: calls made at once
 * do not each find the budget as it was before all of them.
 *
 * @param leave gives back the place of the call in the line: done here when it is not made
 * @throws ProlepsisError BUDGET_EXCEEDED
 */
export async function afford(
  { model, policy, clock, usage, underWay }: CallsWorld,
  call: ModelCall,
  spent: Spent,
  leave: () => void,
): Promise<() => void> {
  const tokens = estimateTokens(call.system) + estimateTokens(call.prompt)
  const { input } = policy.prices
  const next = { tokens, costUsd: input === null ? null : (tokens * input) / 1e6 }
  // before the book is read: a call that ends meanwhile is in one of both
  const others = { ...underWay }
  underWay.tokens += tokens
  underWay.costUsd += next.costUsd ?? 0
  const release = (): void => {
    underWay.tokens -= tokens
    underWay.costUsd -= next.costUsd ?? 0
  }
  try {
    if (policy.day.tokens !== null || policy.day.costUsd !== null) {
      const today = await usage.spentOn(dayOf(clock.now()))
      const used = { tokens: today.tokens + others.tokens, costUsd: today.costUsd + others.costUsd }
      assertWithin({ of: 'day', limit: policy.day, spent: used }, next, model.modelId)
    }
    if (call.remaining !== undefined) {
      const own = { tokens: spent.inputTokens + spent.outputTokens, costUsd: spent.costUsd ?? 0 }
      assertWithin({ of: 'document', limit: call.remaining, spent: own }, next, model.modelId)
    }
    return release
  } catch (error) {
    release()
    leave()
    throw error
  }
}
