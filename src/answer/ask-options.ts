import type { AskOptions } from '../domain/answer.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { checkPrompts, type PromptName, type PromptTexts } from '../domain/prompt-files.ts'
import type { RecallOptions } from '../domain/recall.ts'

/** Options of an answer, checked, with every default filled in; recall checks its own. */
export interface AskRequest {
  /** Without limit and budget, which grow with the recalls. */
  readonly recall: RecallOptions
  readonly limit: number
  readonly tokenBudget: number
  readonly expand: number
  readonly hops: number
  /** Null: the default, in banks in which it means something. */
  readonly floor: number | null
  readonly feedback: boolean
  readonly prompts: PromptTexts | undefined
  readonly signal: AbortSignal | undefined
}

export const ASK_DEFAULTS: Readonly<
  Pick<AskRequest, 'limit' | 'tokenBudget' | 'expand' | 'hops' | 'feedback'>
> = { limit: 20, tokenBudget: 8_000, expand: 1, hops: 1, feedback: true }

/**
 * Least probability of the best passage. It is 0.44 and 0.62 in the median where there is an answer, 0.016 and 0.023 for questions of another set
 * (docs/evaluation.md, "Abstention"): below 0.01 hardly an answer is lost, and a call is saved for many foreign questions.
 */
export const DEFAULT_FLOOR = 0.01
/** In smaller banks the probability comes out too low to set a threshold on it. */
export const FLOOR_FROM_CHUNKS = 200

const ASK_PROMPTS: readonly PromptName[] = ['answer', 'check', 'formulate', 'rerank']
const MAX_HOPS = 5
const MAX_EXPAND = 50
/** As recall has it. */
export const MAX_LIMIT = 500
const MAX_TOKENS = 1_000_000

/** @throws ProlepsisError INVALID_ARGUMENT, UNKNOWN_OPTION; details.option names it */
export function readAskOptions(options: AskOptions): AskRequest {
  assertOptions(options, 'ask')
  const { hops, floor, feedback, prompts, tokenBudget, expand, limit, ...rest } = options
  if ('receipt' in rest) {
    throw new ProlepsisError(
      'UNKNOWN_OPTION',
      'ask has no option "receipt": each of its recalls writes one.',
      {
        hint: 'Leave it out.',
        details: { option: 'receipt' },
      },
    )
  }
  const texts = prompts === undefined ? undefined : checkPrompts(prompts, 'prompts', ASK_PROMPTS)
  const { formulate, rerank } = texts ?? {}
  const ofRecall = {
    ...(formulate === undefined ? {} : { formulate }),
    ...(rerank === undefined ? {} : { rerank }),
  }
  return {
    recall: { ...rest, prompts: ofRecall },
    limit: wholeOption(limit, 'limit', 1, MAX_LIMIT) ?? ASK_DEFAULTS.limit,
    tokenBudget: wholeOption(tokenBudget, 'tokenBudget', 1, MAX_TOKENS) ?? ASK_DEFAULTS.tokenBudget,
    expand: wholeOption(expand, 'expand', 0, MAX_EXPAND) ?? ASK_DEFAULTS.expand,
    hops: wholeOption(hops, 'hops', 0, MAX_HOPS) ?? ASK_DEFAULTS.hops,
    floor: shareOption(floor, 'floor') ?? null,
    feedback: flagOption(feedback, 'feedback') ?? ASK_DEFAULTS.feedback,
    prompts: texts,
    signal: signalOption(rest.signal),
  }
}

// Each check takes a value that a caller gave and its option's name, and gives it back typed, or throws.

export function assertOptions(options: unknown, call: string): asserts options is object {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return
  throw invalid('options', `The options of ${call} must be an object.`)
}

export function wholeOption(value: unknown, option: string, low: number, high: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= low && value <= high) return value
  throw invalid(option, `${option} must be a whole number from ${low} to ${high}.`)
}

function shareOption(value: unknown, option: string): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value >= 0 && value <= 1) return value
  throw invalid(option, `${option} must be a number from 0 to 1.`)
}

function flagOption(value: unknown, option: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw invalid(option, `${option} must be true or false.`)
}

export function signalOption(value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value
  throw invalid('signal', 'signal must be an AbortSignal.')
}

export function functionOption<F>(value: F | undefined, option: string): F | undefined {
  if (value === undefined || typeof value === 'function') return value
  throw invalid(option, `${option} must be a function.`)
}

function invalid(option: string, message: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', message, {
    hint: 'See docs/library.md, "Answers", for what each option takes.',
    details: { option },
  })
}
