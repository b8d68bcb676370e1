import { ProlepsisError } from '../../domain/errors.ts'
import type { TokenUsage } from '../language-model.ts'
import type { Spending } from '../model-calls.ts'

/** US dollars for a million tokens; null where nobody knows. */
export interface Prices {
  readonly input: number | null
  readonly output: number | null
}

/** What one attempt took. Tokens are always numbers: what the model does not say is estimated from the texts. */
export interface Spent {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number | null
  /** Null: neither told nor to be computed. */
  readonly costUsd: number | null
}

export const NOTHING_SPENT: Spent = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: null,
  costUsd: null,
}

/**
 * Tokens of a text, on the high side: one for three characters of the Latin script, one for each other character. Budgets are judged by it
 * before a call, and where the model does not say what it took.
 */
export function estimateTokens(text: string): number {
  let latin = 0
  let others = 0
  for (const char of text) {
    if (char.codePointAt(0)! < 0x250) latin++
    else others++
  }
  return Math.ceil(latin / 3) + others
}

/** @param reply what came, or null when nothing did */
export function spentOn(
  request: { readonly system: string; readonly prompt: string },
  reply: { readonly text: string; readonly usage: TokenUsage } | null,
  prices: Prices,
): Spent {
  const usage = reply?.usage
  const inputTokens = usage?.inputTokens ?? estimateTokens(request.system) + estimateTokens(request.prompt)
  const outputTokens = usage?.outputTokens ?? estimateTokens(reply?.text ?? '')
  return {
    ...{ calls: 1, inputTokens, outputTokens, reasoningTokens: usage?.reasoningTokens ?? null },
    costUsd: usage?.costUsd ?? costOf(inputTokens, outputTokens, prices),
  }
}

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: sumOf(a.reasoningTokens, b.reasoningTokens),
    costUsd: sumOf(a.costUsd, b.costUsd),
  }
}

const sumOf = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0)

function costOf(inputTokens: number, outputTokens: number, { input, output }: Prices): number | null {
  return input === null || output === null ? null : (inputTokens * input + outputTokens * output) / 1e6
}

/** A limit on tokens and money, and what counts against it. Null: no limit. */
export interface Budget {
  readonly of: 'day' | 'document'
  readonly limit: Spending
  /** Money null: none was told. */
  readonly spent: { readonly tokens: number; readonly costUsd: number }
}

/**
 * Judges a call before it is made: by what was spent, and by what its prompt will take at least. A reply is never cut by a budget; what it
 * takes counts against the next call.
 *
 * @throws ProlepsisError BUDGET_EXCEEDED, `details` `budget` (`day`, `document`), `unit` (`tokens`, `usd`), `limit`, `used`
 */
export function assertWithin(
  budget: Budget,
  next: { readonly tokens: number; readonly costUsd: number | null },
  modelId: string,
): void {
  const { limit, spent } = budget
  const judge = (unit: 'tokens' | 'usd', most: number | null, used: number, wanted: number): void => {
    if (most === null || used + wanted <= most) return
    const amount = (n: number): string =>
      unit === 'tokens' ? `${n} tokens` : `$${Number(Math.max(0, n).toFixed(4))}`
    // the document's limit is what is left of it
    const left =
      budget.of === 'day' ? `${amount(used)} of ${amount(most)} are spent` : `${amount(most - used)} are left`
    throw new ProlepsisError(
      'BUDGET_EXCEEDED',
      `The budget of the ${budget.of} does not allow another call of ${modelId}: ${left}, and it takes at least ${amount(wanted)}.`,
      {
        hint:
          budget.of === 'day'
            ? 'It is free again tomorrow (UTC); or raise day_tokens or day_cost_usd.'
            : 'Raise document_tokens or document_cost_usd, then retry its job.',
        details: { budget: budget.of, unit, limit: most, used, wanted },
      },
    )
  }
  judge('tokens', limit.tokens, spent.tokens, next.tokens)
  judge('usd', limit.costUsd, spent.costUsd, next.costUsd ?? 0)
}
