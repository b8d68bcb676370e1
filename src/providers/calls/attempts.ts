import { isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
import type { Clock } from '../../domain/ports.ts'
import { modelErrorOf } from '../model-errors.ts'
import { systemTimer, type Timer } from './timer.ts'
import type { WaitingLine } from './waiting-line.ts'

/** The world of calls of any model: language, embedding, reranking. */
export interface AttemptWorld {
  /** Shared by all models and banks of a memory. */
  readonly line: WaitingLine
  readonly clock: Clock
  /** In [0, 1). @default Math.random */
  readonly random?: () => number
  /** @default the system's */
  readonly timer?: Timer
}

export interface AttemptOptions {
  readonly modelId: string
  /** Somebody waits: comes before work in the background, and waiting for its turn counts as time. */
  readonly interactive: boolean
  /** In all. */
  readonly attempts: number
  /** Of everything together, pauses included. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** One call under way: its clock runs, its signal ends it. */
export interface Attempting {
  readonly signal: AbortSignal
  /** Left of its time, milliseconds. */
  remainingMs(): number
  /** Settles as `work` does, or as soon as the call is cancelled or out of time, whatever the model does. */
  race<T>(work: Promise<T>): Promise<T>
  /** Takes a place in the line; gives it back. */
  enter(): Promise<() => void>
  /** What was thrown as an error of ours: CANCELLED and MODEL_TIMEOUT where those ended it. */
  errorOf(thrown: unknown): ProlepsisError
  /** Whether to try again, after its pause; false when nothing can change, attempts are used up, or the pause is longer than the time left. */
  pauseAfter(error: ProlepsisError, attempt: number): Promise<boolean>
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/** Runs `work` with the clock of one call; the model's signal fires when it ends without a result. */
export async function underLimits<T>(
  world: AttemptWorld,
  options: AttemptOptions,
  work: (attempting: Attempting) => Promise<T>,
): Promise<T> {
  const begun = beginCall(world, options)
  try {
    return await work(begun.attempting)
  } catch (thrown) {
    throw begun.attempting.errorOf(thrown)
  } finally {
    begun.end()
  }
}

/** For a call that outlives one function (a stream): `end` stops its clock and, where something still runs, the model. */
export function beginCall(
  world: AttemptWorld,
  options: AttemptOptions,
): { readonly attempting: Attempting; end(): void } {
  const { clock, line, random = Math.random, timer = systemTimer } = world
  const { modelId, interactive, attempts, timeoutMs, signal } = options
  const controller = new AbortController()
  let startedAt = clock.now()
  let stopTimer = (): void => undefined
  const startClock = (): void => {
    stopTimer()
    startedAt = clock.now()
    stopTimer = timer.after(timeoutMs, () => controller.abort(timeoutOf(modelId, timeoutMs)))
  }
  const cancel = (): void => controller.abort(cancelledBy(signal?.reason))
  if (signal?.aborted === true) cancel()
  signal?.addEventListener('abort', cancel, { once: true })
  if (interactive) startClock()
  let hasEntered = false

  const race = <T>(running: Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const abort = (): void => reject(controller.signal.reason)
      if (controller.signal.aborted) abort()
      controller.signal.addEventListener('abort', abort, { once: true })
      running.then(resolve, reject).finally(() => controller.signal.removeEventListener('abort', abort))
    })
  const attempting: Attempting = {
    signal: controller.signal,
    remainingMs: () => (hasEntered || interactive ? timeoutMs - (clock.now() - startedAt) : timeoutMs),
    race,
    async enter() {
      if (controller.signal.aborted) throw controller.signal.reason
      const leave = await line.enter({ interactive, signal: controller.signal })
      // work in the background may wait long for its turn: its time begins with it
      if (!hasEntered && !interactive) startClock()
      hasEntered = true
      return leave
    },
    errorOf(thrown) {
      const reason: unknown = controller.signal.aborted ? controller.signal.reason : thrown
      return isProlepsisError(reason) ? reason : modelErrorOf(reason, { modelId })
    },
    async pauseAfter(error, attempt) {
      if (!error.retryable || attempt >= attempts || controller.signal.aborted) return false
      const told = error.details.retryAfterMs
      const grown = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
      // half of it at least: enough of a spread that callers who failed together do not come back together
      const pause = Math.max(typeof told === 'number' ? told : 0, grown * (0.5 + random() / 2))
      if (pause >= attempting.remainingMs()) return false
      let stop = (): void => undefined
      try {
        await race(
          new Promise<void>((resolve) => {
            stop = timer.after(pause, resolve)
          }),
        )
      } finally {
        stop()
      }
      return true
    },
  }
  const end = (): void => {
    stopTimer()
    signal?.removeEventListener('abort', cancel)
    // ends what the model may still do for it; after a result it does nothing
    if (!controller.signal.aborted) controller.abort(cancelledBy('the call has ended'))
  }
  return { attempting, end }
}

function timeoutOf(modelId: string, timeoutMs: number): ProlepsisError {
  return new ProlepsisError(
    'MODEL_TIMEOUT',
    `The model ${modelId} gave no whole reply within ${timeoutMs} ms.`,
    {
      hint: 'Repeat the call, or give it more time (setting model_timeout_ms).',
      retryable: true,
      details: { modelId, timeoutMs },
    },
  )
}

function cancelledBy(cause: unknown): ProlepsisError {
  return new ProlepsisError('CANCELLED', 'The call was cancelled.', {
    hint: 'What was committed before stays; repeat the call to go on.',
    cause,
  })
}
