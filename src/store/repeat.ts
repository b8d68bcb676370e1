import { isProlepsisError } from '../domain/errors.ts'
import type { Database } from './database.ts'

export interface RepeatOptions {
  /** @default 5 */
  readonly attempts?: number
  /** Pause before the second attempt; doubled each time, at most 2 s. @default 50 */
  readonly pauseMs?: number
  readonly signal?: AbortSignal
}

/**
 * Runs `work`, and again when it failed with a retryable error (the owner of the folder ended, the engine was restarted,
 * the server hung up). `work` must be idempotent: it may have been done before the error came. It is told which attempt it is, from 1.
 */
export async function repeatable<T>(
  database: Database,
  work: (database: Database, attempt: number) => Promise<T>,
  options: RepeatOptions = {},
): Promise<T> {
  const attempts = options.attempts ?? 5
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(database, attempt)
    } catch (error) {
      const mayRepeat = isProlepsisError(error) && error.retryable && !options.signal?.aborted
      if (!mayRepeat || attempt >= attempts) throw error
      await pause(Math.min(2_000, (options.pauseMs ?? 50) * 2 ** (attempt - 1)))
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
