import { type ErrorCode, isProlepsisError } from '../../domain/errors.ts'
import { FORMULATE_FAILURES, type FormulateFailure } from '../../domain/recall.ts'

const REFUSALS: readonly ErrorCode[] = [
  'MODEL_REFUSED',
  'MODEL_KEY_MISSING',
  'MODEL_NOT_CONFIGURED',
  'PROVIDER_UNKNOWN',
  'PROVIDER_NOT_INSTALLED',
  'INVALID_CONFIG',
]

/** What kept the model from giving questions. */
export function failureKind(error: unknown): FormulateFailure {
  if (!isProlepsisError(error)) return 'unavailable'
  if (error.code === 'MODEL_REPLY_INVALID') {
    return FORMULATE_FAILURES.find((kind) => kind === error.details.errorKind) ?? 'schema'
  }
  if (error.code === 'MODEL_TIMEOUT') return 'timeout'
  if (error.code === 'BUDGET_EXCEEDED') return 'budget'
  return REFUSALS.includes(error.code) ? 'refused' : 'unavailable'
}
