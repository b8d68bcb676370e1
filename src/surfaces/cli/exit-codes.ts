import type { ErrorCode } from '../../index.ts'

export const EXIT = { done: 0, failed: 1, wrongUse: 2, notFound: 3, interrupted: 130 } as const

const WRONG_USE: readonly ErrorCode[] = [
  'INVALID_ARGUMENT',
  'UNKNOWN_OPTION',
  'INVALID_TIME',
  'INVALID_CONFIG',
  'EMPTY_TEXT',
  'MODEL_NOT_CONFIGURED',
  'PROVIDER_UNKNOWN',
  'MODEL_KEY_MISSING',
  'EVAL_INVALID',
]
const NOT_FOUND: readonly ErrorCode[] = ['NOT_FOUND', 'BANK_NOT_FOUND']

/** The one table from error codes to exit codes. */
export function exitCodeOf(code: ErrorCode): number {
  if (WRONG_USE.includes(code)) return EXIT.wrongUse
  if (NOT_FOUND.includes(code)) return EXIT.notFound
  if (code === 'CANCELLED') return EXIT.interrupted
  return EXIT.failed
}
