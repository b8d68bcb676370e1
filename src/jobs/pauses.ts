import { type ErrorCode, isProlepsisError } from '../domain/errors.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Pause before the second attempt, doubled each time up to the longest; after so many attempts the job is dead. */
interface Pauses {
  readonly first: number
  readonly longest: number
  readonly attempts: number
}

/** The model or the store is away for a while. */
const AWAY: Pauses = { first: 5 * SECOND, longest: HOUR, attempts: 50 }
/** Somebody has to mend the key, the model's name or the account; then the jobs go on by themselves. */
const REFUSED: Pauses = { first: 2 * MINUTE, longest: HOUR, attempts: 50 }
/** Each attempt is paid for. */
const USELESS: Pauses = { first: 30 * SECOND, longest: HOUR, attempts: 12 }
/** What nobody expected: a fault of ours may pass, but not by patience. */
const UNKNOWN: Pauses = { first: 5 * SECOND, longest: 10 * MINUTE, attempts: 5 }

const BY_CODE: Readonly<Partial<Record<ErrorCode, Pauses>>> = {
  MODEL_UNAVAILABLE: AWAY,
  MODEL_TIMEOUT: AWAY,
  STORE_OWNER_LOST: AWAY,
  STORE_RESTARTED: AWAY,
  STORE_UNREACHABLE: AWAY,
  STORE_LOCKED: AWAY,
  STORE_FULL: AWAY,
  STORE_FAILED: AWAY,
  DEADLINE_EXCEEDED: AWAY,
  MODEL_REFUSED: REFUSED,
  MODEL_KEY_MISSING: REFUSED,
  MODEL_NOT_CONFIGURED: REFUSED,
  PROVIDER_UNKNOWN: REFUSED,
  PROVIDER_NOT_INSTALLED: REFUSED,
  MODEL_NOT_FOUND: REFUSED,
  MODEL_MISMATCH: REFUSED,
  RECORDING_MISSING: REFUSED,
  MODEL_REPLY_INVALID: USELESS,
}

/** What no attempt changes. */
const FINAL: ReadonlySet<string> = new Set<ErrorCode>([
  'INVALID_ARGUMENT',
  'UNKNOWN_OPTION',
  'INVALID_CONFIG',
  'INVALID_TEXT',
  'NOT_FOUND',
  'STORE_READ_ONLY',
  'STORE_MISUSE',
])

export interface Failure {
  readonly error: unknown
  /** Attempts that were made, this one included. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly now: number
  /** In [0, 1). */
  readonly random: number
}

export type Verdict =
  | { readonly state: 'dead' }
  /** `counts`: whether the attempt is used up. */
  | { readonly state: 'waiting'; readonly runAfter: number; readonly counts: boolean }

/**
 * What becomes of a job whose attempt failed. Pauses double from attempt to attempt and are spread by ±25 %, so that jobs that failed together
 * do not come back together; what a vendor asks for (`details.retryAfterMs`) is heeded, up to a day. The day's budget is spent until the next day (UTC) and uses up no attempt.
 */
export function judgeFailure({ error, attempts, maxAttempts, now, random }: Failure): Verdict {
  const known = isProlepsisError(error) ? error : null
  if (known?.code === 'BUDGET_EXCEEDED') {
    // the budget of a document does not come back
    if (known.details.budget === 'document') return { state: 'dead' }
    return { state: 'waiting', runAfter: nextDay(now) + Math.floor(random * MINUTE), counts: false }
  }
  if (known !== null && FINAL.has(known.code)) return { state: 'dead' }
  const pauses = (known === null ? undefined : BY_CODE[known.code]) ?? UNKNOWN
  if (attempts >= Math.min(maxAttempts, pauses.attempts)) return { state: 'dead' }
  const own = Math.min(pauses.first * 2 ** Math.min(attempts - 1, 30), pauses.longest)
  const asked = known?.details.retryAfterMs
  const least = typeof asked === 'number' && asked > 0 ? Math.min(asked, DAY) : 0
  const pause = Math.max(Math.round(own * (0.75 + random / 2)), least)
  return { state: 'waiting', runAfter: now + pause, counts: true }
}

/** Midnight, UTC. */
function nextDay(now: number): number {
  return (Math.floor(now / DAY) + 1) * DAY
}
