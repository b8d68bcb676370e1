import { ProlepsisError } from '../../domain/errors.ts'
import { didYouMean } from '../../domain/nearest-name.ts'
import { CHANNELS, type Channel, type RecallOptions } from '../../domain/recall.ts'
import { checkKeys } from '../check-options.ts'
import type { EvaluateOptions } from './evaluate.ts'

const MOST_K = 500
const RECALL_NAMES = [
  ...['tokenBudget', 'mode', 'fusion', 'weights', 'tags', 'where', 'during', 'source', 'minTrust'],
  ...['people', 'formulator', 'rerank', 'prompts'],
]

export interface EvaluateRequest {
  /** Ascending, distinct. */
  readonly ks: readonly number[]
  /** What is in it, recall checks. */
  readonly recall: RecallOptions
  readonly ablate: readonly Channel[]
  readonly signal: AbortSignal | undefined
}

/** @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT */
export function readEvaluateOptions(options: EvaluateOptions): EvaluateRequest {
  checkKeys(options, ['ks', 'recall', 'ablate', 'onProgress', 'signal'], 'evaluate')
  const { recall = {}, ablate = false, signal } = options
  checkKeys(recall, RECALL_NAMES, 'recall in evaluate')
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalid('signal', 'must be an AbortSignal')
  return { ks: readKs(options.ks), recall, ablate: readAblate(ablate), signal }
}

function readKs(ks: unknown): readonly number[] {
  if (ks === undefined) return [5, 10, 20]
  const isK = (k: unknown): k is number =>
    typeof k === 'number' && Number.isInteger(k) && k >= 1 && k <= MOST_K
  if (!Array.isArray(ks) || ks.length === 0 || !ks.every(isK))
    throw invalid('ks', `must be a list of whole numbers from 1 to ${MOST_K}`)
  return [...new Set(ks)].sort((a, b) => a - b)
}

function readAblate(ablate: unknown): readonly Channel[] {
  if (typeof ablate === 'boolean') return ablate ? CHANNELS : []
  if (!Array.isArray(ablate)) throw invalid('ablate', 'must be true, false or a list of channels')
  return ablate.map((name: unknown) => {
    const known = CHANNELS.find((channel) => channel === name)
    if (known !== undefined) return known
    const shown = String(name).slice(0, 60)
    throw new ProlepsisError('INVALID_ARGUMENT', `ablate: there is no channel "${shown}".`, {
      hint: didYouMean(shown, CHANNELS, `Channels: ${CHANNELS.join(', ')}.`),
      details: { option: 'ablate' },
    })
  })
}

function invalid(option: string, what: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${option} ${what}.`, {
    hint: 'For example { ks: [5, 10], ablate: true }.',
    details: { option },
  })
}
