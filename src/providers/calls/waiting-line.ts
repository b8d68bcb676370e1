import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'

/**
 * Limits the calls of a model that are under way at once. Those that somebody waits for come before work in the background, which leaves
 * one place free for them where there are several.
 */
export interface WaitingLine {
  /** Runs `work` when there is room. @throws ProlepsisError CANCELLED by the signal while it waits; CLOSED */
  run<T>(work: () => Promise<T>, options: LineOptions): Promise<T>
  /** Takes a place, and gives what gives it back. Idempotent. @throws ProlepsisError as `run` */
  enter(options: LineOptions): Promise<() => void>
  /** Refuses whoever waits, and newcomers; does not wait for what runs. */
  close(): void
}

export interface LineOptions {
  readonly interactive: boolean
  readonly signal?: AbortSignal | undefined
}

interface Waiter {
  enter(): void
  refuse(): void
}

/** @param places calls at once, above 0 */
export function createWaitingLine(places: number): WaitingLine {
  const waiting: { readonly interactive: Waiter[]; readonly background: Waiter[] } = {
    interactive: [],
    background: [],
  }
  const kept = places > 1 ? 1 : 0
  let free = places
  let closed = false

  const next = (): void => {
    while (free > 0) {
      const waiter = waiting.interactive.shift() ?? (free > kept ? waiting.background.shift() : undefined)
      if (waiter === undefined) return
      free--
      waiter.enter()
    }
  }
  const place = (): (() => void) => {
    let held = true
    return () => {
      if (!held) return
      held = false
      free++
      next()
    }
  }
  const line: WaitingLine = {
    async enter({ interactive, signal }) {
      throwIfAborted(signal)
      if (closed) throw lineClosed()
      const queue = interactive ? waiting.interactive : waiting.background
      await new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          const at = queue.indexOf(waiter)
          if (at >= 0) queue.splice(at, 1)
          signal?.removeEventListener('abort', abort)
        }
        const abort = (): void => {
          leave()
          // its reason is the caller's, or that time ran out
          reject(signal?.reason)
        }
        const waiter: Waiter = {
          enter() {
            leave()
            resolve()
          },
          refuse() {
            leave()
            reject(lineClosed())
          },
        }
        signal?.addEventListener('abort', abort, { once: true })
        queue.push(waiter)
        next()
      })
      return place()
    },
    async run(work, options) {
      const leave = await line.enter(options)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    close() {
      closed = true
      for (const waiter of [...waiting.interactive, ...waiting.background]) waiter.refuse()
    },
  }
  return line
}

const lineClosed = (): ProlepsisError =>
  new ProlepsisError('CLOSED', 'The memory was closed while a call of a model waited its turn.', {
    hint: 'Jobs that were not done stay in line for the next memory that opens the store.',
  })
