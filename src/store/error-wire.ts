import { ERROR_CODES, ProlepsisError } from '../domain/errors.ts'
import { toStoreError } from './database-error.ts'

/** An error on its way to another thread or process. */
export interface ErrorMessage {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>
}

export function packError(error: unknown): ErrorMessage {
  const { code, message, hint, retryable, details } = toStoreError(error)
  return { code, message, hint, retryable, details }
}

export function unpackError(packed: ErrorMessage): ProlepsisError {
  const code = ERROR_CODES.find((known) => known === packed.code) ?? 'STORE_FAILED'
  return new ProlepsisError(code, packed.message, {
    ...(packed.hint === undefined ? {} : { hint: packed.hint }),
    retryable: packed.retryable,
    details: packed.details,
  })
}
