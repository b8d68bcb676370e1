import type { ProlepsisError } from '../../../../domain/errors.ts'

/** A call of which it is certain that it left nothing behind: it may be repeated with another owner. Inside this folder only. */
export class NeverRan extends Error {
  override readonly cause: ProlepsisError

  constructor(cause: ProlepsisError) {
    super(cause.message)
    this.name = 'NeverRan'
    this.cause = cause
  }
}
