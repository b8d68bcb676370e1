import { ProlepsisError, throwIfAborted } from '../../../domain/errors.ts'
import type { QueryOptions } from '../../database.ts'
import { toStoreError } from '../../database-error.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { PgliteEngine } from './engine.ts'
import type { RawDatabase, RawResult, RawTransaction } from './raw-database.ts'

export interface SerialOptions {
  /** Longest time one statement may run. @default 60,000 */
  readonly deadlineMs?: number | undefined
  /** Told the rows that were changed, so that idle maintenance can count them. */
  readonly onChange?: ((rows: number) => void) | undefined
  readonly onClose?: (() => void) | undefined
}

const DEFAULT_DEADLINE_MS = 60_000
// A cancelled statement that ends by itself within this time costs no restart of the engine (0.7 s).
const CANCEL_GRACE_MS = 200

/** Statements and transactions of one engine wait in one line, first come, first served. */
export class SerialStatements implements RawDatabase {
  readonly #engine: PgliteEngine
  readonly #options: SerialOptions
  readonly #line = new SerialQueue()
  #closing: Promise<void> | undefined

  constructor(engine: PgliteEngine, options: SerialOptions = {}) {
    this.#engine = engine
    this.#options = options
  }

  /** Statements and transactions in line or running. */
  get busy(): number {
    return this.#line.length
  }

  run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult> {
    return this.#alone(options, async () => {
      const result = await this.#guarded(options, () => this.#engine.run(sql, parameters))
      this.#options.onChange?.(result.affected)
      return result
    })
  }

  script(sql: string, options: QueryOptions): Promise<void> {
    return this.#alone(options, () => this.#guarded(options, () => this.#engine.script(sql)))
  }

  async begin(options: QueryOptions): Promise<RawTransaction> {
    const leave = await this.#line.enter(options.signal)
    // before it begins: an engine that dies right after is another one
    const { generation } = this.#engine
    try {
      await this.#guarded({}, () => this.#engine.script('begin'))
    } catch (error) {
      leave()
      throw error
    }
    return this.#transaction(generation, leave)
  }

  #transaction(generation: number, leave: () => void): RawTransaction {
    // Statements of the work function may come at once: they run one after another, each under its own deadline.
    const line = new SerialQueue()
    let changed = 0
    let over = false
    const step = async <T>(options: QueryOptions, call: () => Promise<T>): Promise<T> => {
      const release = await line.enter(options.signal)
      try {
        if (over) throw ended()
        if (this.#engine.generation !== generation) throw restarted()
        return await this.#guarded(options, call)
      } finally {
        release()
      }
    }
    const finish = async (sql: 'commit' | 'rollback'): Promise<void> => {
      const release = await line.enter()
      try {
        if (over) return
        if (this.#engine.generation === generation) await this.#guarded({}, () => this.#engine.script(sql))
        // A restarted engine has rolled back already.
        else if (sql === 'commit') throw restarted()
        if (sql === 'commit') this.#options.onChange?.(changed)
      } finally {
        over = true
        release()
        leave()
      }
    }
    return {
      run: (sql, parameters, options) =>
        step(options, async () => {
          const result = await this.#engine.run(sql, parameters)
          changed += result.affected
          return result
        }),
      script: (sql, options) => step(options, () => this.#engine.script(sql)),
      copyIn: (sql, bytes, options) =>
        step(options, async () => {
          const rows = await this.#engine.copyIn(sql, bytes)
          changed += rows
          return rows
        }),
      commit: () => finish('commit'),
      rollback: () => finish('rollback'),
    }
  }

  async *dump(): AsyncIterable<Uint8Array> {
    const leave = await this.#line.enter()
    try {
      yield* this.#engine.dump()
    } catch (error) {
      throw toStoreError(error)
    } finally {
      leave()
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeEngine()
    return this.#closing
  }

  async #closeEngine(): Promise<void> {
    this.#options.onClose?.()
    // the last checkpoint may find the disk full
    await this.#line
      .close(() => this.#engine.close())
      .catch((error: unknown) => {
        throw toStoreError(error)
      })
  }

  describe(): Readonly<Record<string, unknown>> {
    return this.#engine.describe()
  }

  async #alone<T>(options: QueryOptions, work: () => Promise<T>): Promise<T> {
    const leave = await this.#line.enter(options.signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Runs one engine call under its deadline and signal; both stop the engine where it can be stopped. */
  async #guarded<T>(options: QueryOptions, call: () => Promise<T>): Promise<T> {
    throwIfAborted(options.signal)
    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS
    let restart: Promise<void> | undefined
    const stop = (reason: ProlepsisError): void => {
      restart ??= this.#engine.interrupt?.(reason)
    }
    const deadline = setTimeout(() => stop(tooLong(deadlineMs)), deadlineMs)
    let grace: NodeJS.Timeout | undefined
    const onAbort = (): void => {
      grace = setTimeout(() => stop(cancelled(options.signal)), CANCEL_GRACE_MS)
    }
    options.signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await call()
    } catch (error) {
      throw toStoreError(error)
    } finally {
      clearTimeout(deadline)
      clearTimeout(grace)
      options.signal?.removeEventListener('abort', onAbort)
      await restart
    }
  }
}

function tooLong(deadlineMs: number): ProlepsisError {
  return new ProlepsisError(
    'DEADLINE_EXCEEDED',
    `The statement ran longer than ${deadlineMs} ms and was stopped.`,
    {
      hint: 'Narrow the question or raise the deadline.',
      details: { deadlineMs },
    },
  )
}

function cancelled(signal: AbortSignal | undefined): ProlepsisError {
  return new ProlepsisError('CANCELLED', 'The call was cancelled.', { cause: signal?.reason })
}

function restarted(): ProlepsisError {
  return new ProlepsisError(
    'STORE_RESTARTED',
    'The embedded database was restarted; the transaction is gone.',
    {
      hint: 'Repeat it.',
      retryable: true,
    },
  )
}

function ended(): ProlepsisError {
  return new ProlepsisError('STORE_MISUSE', 'The transaction has ended.', {
    hint: 'Await every statement inside the work function.',
  })
}
