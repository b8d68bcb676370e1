/** What a database reports, as an error of ours. SQLSTATE decides, never the class or the wording. */
import { errorCodeOf } from '../domain/error-code.ts'
import { type ErrorCode, isProlepsisError, ProlepsisError } from '../domain/errors.ts'

const CODES: Readonly<
  Record<string, { readonly code: ErrorCode; readonly hint: string; readonly retryable?: boolean }>
> = {
  '25006': { code: 'STORE_READ_ONLY', hint: 'Open the store for writing.' },
  '40001': { code: 'STORE_FAILED', hint: 'Repeat the transaction.', retryable: true },
  '40P01': { code: 'STORE_FAILED', hint: 'Repeat the transaction.', retryable: true },
  '42501': { code: 'STORE_READ_ONLY', hint: 'Give the database user the right to write.' },
  '53100': { code: 'STORE_FULL', hint: 'Free space on the device that holds the store.' },
  '53300': {
    code: 'STORE_UNREACHABLE',
    hint: 'The server has no free connection: try again later.',
    retryable: true,
  },
  '57P01': { code: 'STORE_UNREACHABLE', hint: 'The server is stopping: try again later.', retryable: true },
  '57P02': { code: 'STORE_UNREACHABLE', hint: 'The server crashed: try again later.', retryable: true },
  '57P03': { code: 'STORE_UNREACHABLE', hint: 'The server is starting: try again later.', retryable: true },
  XX001: {
    code: 'STORE_DAMAGED',
    hint: 'Restore a backup, or export what can be read and import it into a new store.',
  },
  XX002: { code: 'STORE_DAMAGED', hint: 'Run `prolepsis rebuild-index`.' },
}

const CLASSES: Readonly<
  Record<string, { readonly code: ErrorCode; readonly hint: string; readonly retryable?: boolean }>
> = {
  '08': {
    code: 'STORE_UNREACHABLE',
    hint: 'Check that the server runs and can be reached.',
    retryable: true,
  },
  '28': { code: 'STORE_UNREACHABLE', hint: 'Check user and password in the database URL.' },
  '3D': { code: 'STORE_UNREACHABLE', hint: 'Create the database, or correct its name in the URL.' },
}

// errno values of Node, as they come up through the file system of the embedded engine or a socket
const ERRNO: Readonly<
  Record<string, { readonly code: ErrorCode; readonly hint: string; readonly retryable?: boolean }>
> = {
  ENOSPC: CODES['53100']!,
  EDQUOT: CODES['53100']!,
  EROFS: { code: 'STORE_READ_ONLY', hint: 'Choose a data folder that can be written.' },
  EACCES: { code: 'STORE_READ_ONLY', hint: 'Choose a data folder that can be written.' },
  EPERM: { code: 'STORE_READ_ONLY', hint: 'Choose a data folder that can be written.' },
  ECONNREFUSED: CLASSES['08']!,
  ECONNRESET: CLASSES['08']!,
  ENOTFOUND: CLASSES['08']!,
  ETIMEDOUT: CLASSES['08']!,
  EPIPE: CLASSES['08']!,
}

/** True for a failure that repeating the whole transaction mends. */
export function isSerialisationFailure(error: unknown): boolean {
  const state = isProlepsisError(error) ? error.details.sqlstate : errorCodeOf(error)
  return state === '40001' || state === '40P01'
}

/** Ours passes through; a database's gets a code, a hint, and `details.sqlstate` (and the constraint that was broken). */
export function toStoreError(error: unknown): ProlepsisError {
  if (isProlepsisError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const state = errorCodeOf(error)
  const known =
    (state === undefined
      ? undefined
      : (CODES[state] ?? ERRNO[state] ?? (state.length === 5 ? CLASSES[state.slice(0, 2)] : undefined))) ??
    (/no space left on device/i.test(message) ? CODES['53100'] : undefined)
  const constraint =
    typeof error === 'object' &&
    error !== null &&
    'constraint' in error &&
    typeof error.constraint === 'string'
      ? error.constraint
      : undefined
  return new ProlepsisError(known?.code ?? 'STORE_FAILED', `The database reported: ${message}`, {
    ...(known === undefined ? {} : { hint: known.hint }),
    retryable: known?.retryable ?? false,
    cause: error,
    details: {
      ...(state === undefined ? {} : { sqlstate: state }),
      ...(constraint === undefined ? {} : { constraint }),
    },
  })
}
