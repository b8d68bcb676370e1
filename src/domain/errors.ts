/**
 * Every error that Prolepsis raises on purpose. `docs/errors.md` explains each code; surfaces map codes to exit
 * codes and statuses in one table each.
 */
export const ERROR_CODES = [
  // the caller's input
  'EMPTY_TEXT', // nothing to see in what is to be retained or asked
  'INVALID_TEXT', // a NUL or a lone surrogate, or bytes that are not valid UTF-8
  'TEXT_TOO_LARGE', // over the size limit
  'INVALID_ARGUMENT', // any other value that does not fit; details.option names it
  'UNKNOWN_OPTION',
  'INVALID_TIME',
  'UNSUPPORTED_MEDIA', // binary, or a media type that no extractor reads
  'UNREADABLE_FILE', // permission, link loop, vanished, changed while read
  'NOT_FOUND', // a ref, receipt or file that does not exist
  'BANK_NOT_FOUND',
  'BANK_EXISTS',
  // configuration
  'INVALID_CONFIG',
  'MODEL_NOT_FOUND', // the embedder's files are missing or damaged
  'MODEL_MISMATCH', // the bank was filled with another embedding model or dimension
  'MIGRATION_INCOMPLETE', // a cut-over to another embedding model while vectors are missing
  'MODEL_FAILED', // the embedder raised or returned the wrong shape
  // language, embedding and reranking models of a provider
  'MODEL_NOT_CONFIGURED', // the call needs a language model and the memory has none
  'PROVIDER_UNKNOWN', // a model's name without provider, or of a provider that there is not
  'PROVIDER_NOT_INSTALLED', // the provider's package is not there
  'MODEL_KEY_MISSING', // the provider's key is not in the environment
  'MODEL_REFUSED', // the provider refused for good: key, model's name, request
  'MODEL_UNAVAILABLE', // the provider is overloaded, limits the rate or cannot be reached; the call can be repeated
  'MODEL_TIMEOUT', // no whole reply in time; the call can be repeated
  'MODEL_REPLY_INVALID', // the reply is empty or is not what was asked for
  'BUDGET_EXCEEDED', // the day's or the document's budget is spent
  'RECORDING_MISSING', // a replaying model has no answer to this request
  // the store
  'STORE_LOCKED', // another process holds the folder and could not be reached
  'STORE_OWNER_LOST', // the owning process ended while it served us; the call can be repeated
  'STORE_RESTARTED', // the embedded engine was stopped by a deadline; the call can be repeated
  'STORE_NEWER', // the schema or the engine is from a newer version
  'STORE_OLDER_ENGINE', // the data folder was written by an older PostgreSQL major: export there, import here
  'STORE_READ_ONLY',
  'STORE_FULL', // no space left on the device
  'STORE_DAMAGED',
  'STORE_UNREACHABLE', // the server does not answer or refuses the login
  'STORE_MISUSE', // a query from outside while the same code holds a transaction
  'STORE_FAILED', // anything else that the database reported
  'DEADLINE_EXCEEDED',
  'CLOSED', // the memory was closed
  'CANCELLED', // the caller's AbortSignal
  'EVAL_INVALID', // a file of questions that cannot be read as such
  'FOLDER_BUSY', // another sweeper holds the folder
  'IMPORT_INVALID', // a line of an import that is not ours or is damaged
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

export interface ErrorOptions {
  /** What the reader can do about it, one sentence. */
  readonly hint?: string
  readonly cause?: unknown
  /** True when the same call may succeed if simply repeated. */
  readonly retryable?: boolean
  /** Machine-readable facts: the option's name, the path, the offset… Never secrets, never stored text. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** The one error family. Match on `code`, never on the message. */
export class ProlepsisError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined
  readonly retryable: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ProlepsisError'
    this.code = code
    this.hint = options.hint
    this.retryable = options.retryable ?? false
    this.details = options.details ?? {}
  }

  toJSON(): Record<string, unknown> {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      retryable: this.retryable,
      ...(Object.keys(this.details).length === 0 ? {} : { details: this.details }),
    }
  }
}

/** True for an error of this family, also across two copies of the package. */
export function isProlepsisError(error: unknown): error is ProlepsisError {
  return error instanceof Error && error.name === 'ProlepsisError' && 'code' in error
}

/** Whether it says that a model cannot be had, or fails: another one, or none, may do. */
export function isModelError(error: unknown): error is ProlepsisError {
  return isProlepsisError(error) && /^(MODEL|PROVIDER)_/.test(error.code)
}

/** Throws CANCELLED when the signal has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) {
    throw new ProlepsisError('CANCELLED', 'The call was cancelled.', {
      hint: 'What was committed before stays; repeat the call to go on.',
      cause: signal.reason,
    })
  }
}
