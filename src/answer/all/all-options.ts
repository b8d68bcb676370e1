import type { AskAllOptions } from '../../domain/answer.ts'
import { isBlank } from '../../domain/blank.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { Filter } from '../../domain/filter.ts'
import { didYouMean } from '../../domain/nearest-name.ts'
import { checkPrompts, type PromptTexts } from '../../domain/prompt-files.ts'
import { assertWellFormed } from '../../domain/well-formed.ts'
import { assertOptions, functionOption, signalOption, wholeOption } from '../ask-options.ts'

/** Options of `askAll`, checked, with every default filled in. */
export interface AskAllRequest {
  readonly question: string
  readonly filter: Filter
  readonly batchTokens: number
  readonly concurrency: number
  readonly confirm: AskAllOptions['confirm']
  readonly onProgress: AskAllOptions['onProgress']
  readonly prompts: PromptTexts | undefined
  readonly signal: AbortSignal | undefined
}

export const ASK_ALL_DEFAULTS: Readonly<Pick<AskAllRequest, 'batchTokens' | 'concurrency'>> = {
  batchTokens: 12_000,
  concurrency: 4,
}

const FILTER_NAMES = ['tags', 'where', 'during', 'asOf', 'source', 'minTrust', 'people'] as const
const OWN_NAMES = ['batchTokens', 'concurrency', 'confirm', 'onProgress', 'prompts', 'signal'] as const

/** Reads a filter as recall does; handed over, since moves know nothing of each other. */
export type ReadFilter = (options: Pick<AskAllOptions, (typeof FILTER_NAMES)[number]>) => Filter

/** @throws ProlepsisError EMPTY_TEXT, INVALID_TEXT, INVALID_ARGUMENT, UNKNOWN_OPTION, INVALID_TIME; details.option names it */
export function readAskAllOptions(
  question: string,
  options: AskAllOptions,
  readFilter: ReadFilter,
): AskAllRequest {
  assertOptions(options, 'askAll')
  const known: readonly string[] = [...FILTER_NAMES, ...OWN_NAMES]
  for (const name of Object.keys(options)) {
    if (known.includes(name)) continue
    throw new ProlepsisError('UNKNOWN_OPTION', `askAll has no option "${name.slice(0, 60)}".`, {
      hint: didYouMean(name, known, `It takes ${known.join(', ')}.`),
      details: { option: name.slice(0, 60) },
    })
  }
  const { batchTokens, concurrency, confirm, onProgress, prompts, signal, ...filter } = options
  return {
    question: readQuestion(question),
    filter: readFilter(filter),
    batchTokens: wholeOption(batchTokens, 'batchTokens', 200, 1_000_000) ?? ASK_ALL_DEFAULTS.batchTokens,
    concurrency: wholeOption(concurrency, 'concurrency', 1, 64) ?? ASK_ALL_DEFAULTS.concurrency,
    confirm: functionOption(confirm, 'confirm'),
    onProgress: functionOption(onProgress, 'onProgress'),
    prompts: prompts === undefined ? undefined : checkPrompts(prompts, 'prompts', ['map', 'reduce', 'check']),
    signal: signalOption(signal),
  }
}

function readQuestion(question: unknown): string {
  const details = { option: 'question' }
  if (typeof question !== 'string') {
    throw new ProlepsisError('INVALID_ARGUMENT', 'The question of askAll must be a string.', {
      hint: 'askAll takes no history: give a question that stands alone.',
      details,
    })
  }
  assertWellFormed(question, 'question')
  if (isBlank(question)) {
    throw new ProlepsisError('EMPTY_TEXT', 'The question is blank: there is nothing to ask.', {
      hint: 'Give the question as text.',
      details,
    })
  }
  return question
}
