import { checkPrompts } from '../domain/prompt-files.ts'
import { CHANNELS, FORMULATOR_CHOICES, FUSIONS, RECALL_MODES, type RecallOptions } from '../domain/recall.ts'
import { assertWellFormedJson } from '../domain/well-formed.ts'
import { assertKnown, assertObject, invalid, oneOf, whole } from './check-values.ts'
import { DEFAULT_RERANK_TOP, MAX_LIMIT, MAX_WEIGHT } from './request.ts'

/** What a bank may set: the defaults of its recalls, and texts in place of prompts. */
const BANK_SETTINGS = [
  ...(['fusion', 'mode', 'limit', 'tokenBudget', 'weights'] as const),
  ...(['formulator', 'rerank', 'prompts'] as const),
] as const

/**
 * Checks settings of a bank, as `create`, `configure` and `import` take them; null stands for "not set".
 *
 * @throws ProlepsisError UNKNOWN_OPTION naming the nearest key, INVALID_ARGUMENT for a value; details.option names it
 */
export function checkBankSettings(settings: unknown): Readonly<Record<string, unknown>> {
  assertObject(settings, 'settings')
  assertKnown(settings, BANK_SETTINGS, 'the settings of a bank')
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null),
  )
  // a key that is there has a value: undefined would be lost on its way to the store
  const empty = Object.keys(given).find((key) => given[key] === undefined)
  if (empty !== undefined) throw invalid(empty, `${empty} has no value.`, 'Give null to remove a setting.')
  assertWellFormedJson(given, 'settings')
  oneOf(given.fusion, FUSIONS, 'fusion')
  oneOf(given.mode, RECALL_MODES, 'mode')
  whole(given.limit, 'limit', 1, MAX_LIMIT)
  whole(given.tokenBudget, 'tokenBudget', 0, Number.MAX_SAFE_INTEGER)
  if (given.weights !== undefined) checkWeights(given.weights)
  oneOf(given.formulator, FORMULATOR_CHOICES, 'formulator')
  checkRerank(given.rerank)
  if (given.prompts !== undefined) checkPrompts(given.prompts)
  return { ...settings }
}

/** How many of the best are to be reranked; 0: none. @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT */
export function checkRerank(rerank: unknown): number {
  if (rerank === undefined || rerank === false) return 0
  if (rerank === true) return DEFAULT_RERANK_TOP
  if (typeof rerank !== 'object' || rerank === null) {
    throw invalid('rerank', 'rerank must be true, false or { top }.')
  }
  assertObject(rerank, 'rerank')
  assertKnown(rerank, ['top'], 'rerank')
  const { top }: { readonly top?: unknown } = rerank
  return whole(top, 'rerank.top', 1, MAX_LIMIT) ?? DEFAULT_RERANK_TOP
}

/** @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT */
export function checkWeights(weights: unknown): Readonly<Record<string, unknown>> {
  assertObject(weights, 'weights')
  assertKnown(weights, CHANNELS, 'weights')
  const given: Readonly<Record<string, unknown>> = { ...weights }
  for (const [channel, weight] of Object.entries(given)) {
    if (weight === undefined) continue
    if (typeof weight !== 'number' || !Number.isFinite(weight) || weight < 0 || weight > MAX_WEIGHT) {
      throw invalid(`weights.${channel}`, `weights.${channel} must be a number from 0 to ${MAX_WEIGHT}.`)
    }
  }
  return given
}

/**
 * The options of a call over the settings of its bank: what the call gives wins, and its weights multiply those of the bank.
 *
 * @param settings as the store has them; `validateRecall` checks the result
 */
export function overBankSettings(
  settings: Readonly<Record<string, unknown>>,
  options: RecallOptions,
): RecallOptions {
  if (Object.keys(settings).length === 0) return options
  assertObject(options, 'options')
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const { prompts: _prompts, ...ofRecall } = checkBankSettings(settings)
  const merged: RecallOptions = { ...ofRecall, ...Object.fromEntries(given) }
  const { weights } = settings
  if (weights === undefined || options.weights === undefined) return merged
  const product: Record<string, unknown> = { ...checkWeights(weights) }
  for (const [channel, weight] of Object.entries(checkWeights(options.weights))) {
    if (typeof weight !== 'number') continue
    const ofBank = product[channel]
    product[channel] = typeof ofBank === 'number' ? Math.min(MAX_WEIGHT, ofBank * weight) : weight
  }
  return { ...merged, weights: product }
}
