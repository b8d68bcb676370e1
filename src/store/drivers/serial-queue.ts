import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'

/** A line for one place: first come, first served. */
export class SerialQueue {
  #busy = false
  #closed = false
  readonly #waiting: (() => void)[] = []

  /** Resolves when it is the caller's turn, to the function that gives the place up. @throws CANCELLED, CLOSED. */
  async enter(signal?: AbortSignal): Promise<() => void> {
    throwIfAborted(signal)
    if (this.#closed) throw closed()
    if (this.#busy) {
      await new Promise<void>((resolve, reject) => {
        const turn = (): void => {
          signal?.removeEventListener('abort', leave)
          resolve()
        }
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(turn), 1)
          reject(new ProlepsisError('CANCELLED', 'The call was cancelled.', { cause: signal?.reason }))
        }
        this.#waiting.push(turn)
        signal?.addEventListener('abort', leave, { once: true })
      })
    }
    this.#busy = true
    let held = true
    return () => {
      if (!held) return
      held = false
      const next = this.#waiting.shift()
      // The place passes on without a gap, so that nobody can slip in between.
      if (next === undefined) this.#busy = false
      else next()
    }
  }

  get length(): number {
    return this.#waiting.length + (this.#busy ? 1 : 0)
  }

  /** Lets those in line finish, then runs `last`; whoever comes later gets CLOSED. */
  async close(last: () => Promise<void>): Promise<void> {
    if (this.#closed) return
    const turn = this.enter()
    this.#closed = true
    const release = await turn
    try {
      await last()
    } finally {
      release()
    }
  }
}

function closed(): ProlepsisError {
  return new ProlepsisError('CLOSED', 'The store was closed.', { hint: 'Open it again.' })
}
