import { type ErrorCode, isProlepsisError } from '../domain/errors.ts'

/** After these there is nothing left to degrade to: the caller gave up, or the memory is closed. */
const FATAL: readonly ErrorCode[] = ['CANCELLED', 'CLOSED', 'STORE_MISUSE']

export function isFatal(error: unknown): boolean {
  return isProlepsisError(error) && FATAL.includes(error.code)
}

/** What did not work as asked in one recall, in words for the reader: `window: STORE_FAILED …`. */
export interface Degradation {
  readonly entries: readonly string[]
  note(entry: string): void
  /** Runs a part that may fail alone: resolves to null and notes the reason when it does. Fatal errors pass through. */
  attempt<T>(name: string, work: () => Promise<T>): Promise<T | null>
  /** The first error that a part raised, or null. */
  readonly firstError: unknown
}

export function createDegradation(): Degradation {
  const entries: string[] = []
  let firstError: unknown = null
  const note = (entry: string): void => {
    if (!entries.includes(entry)) entries.push(entry)
  }
  return {
    entries,
    note,
    get firstError() {
      return firstError
    },
    async attempt(name, work) {
      try {
        return await work()
      } catch (error) {
        if (isFatal(error)) throw error
        firstError ??= error
        note(`${name}: ${reasonOf(error)}`)
        return null
      }
    },
  }
}

/** Code and message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  if (isProlepsisError(error)) return `${error.code} ${error.message}`
  return `STORE_FAILED ${error instanceof Error ? error.message : String(error)}`
}
