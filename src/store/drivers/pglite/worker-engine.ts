import type { Worker } from 'node:worker_threads'
import { isProlepsisError, ProlepsisError } from '../../../domain/errors.ts'
import { unpackError } from '../../error-wire.ts'
import type { DiskReserve } from './disk-reserve.ts'
import type { PgliteEngine } from './engine.ts'
import type { RawResult } from './raw-database.ts'
import { startSessionWorker } from './start-worker.ts'
import { tarFolder } from './tar.ts'
import type { WorkerReply, WorkerRequest, WorkerStart } from './worker-protocol.ts'

export interface WorkerEngineOptions {
  readonly folder: string
  /** @default 32 */
  readonly sharedBuffersMb?: number | undefined
  readonly reserve?: DiskReserve | undefined
}

type Body = WorkerRequest extends infer Request
  ? Request extends WorkerRequest
    ? Omit<Request, 'id'>
    : never
  : never

interface Pending {
  resolve(value: RawResult | number | undefined): void
  reject(error: unknown): void
}

/** PGlite in a thread of its own. The thread keeps the process alive only while a call is under way. */
export async function createWorkerEngine(options: WorkerEngineOptions): Promise<PgliteEngine> {
  const engine = new WorkerEngine(options)
  await engine.open()
  return engine
}

class WorkerEngine implements PgliteEngine {
  readonly #options: WorkerEngineOptions
  #thread: WorkerThread | undefined
  #opening: Promise<void> | undefined
  /** A thread that died by itself, until the system has let go of it. */
  #ending: Promise<void> | undefined
  #closed = false
  #generation = 0

  constructor(options: WorkerEngineOptions) {
    this.#options = options
  }

  /** Looks for itself whether the thread has died: who holds a transaction must learn of it before its next statement runs in another. */
  get generation(): number {
    this.#noticeDeath()
    return this.#generation
  }

  #noticeDeath(): void {
    if (!this.#thread?.dead) return
    this.#ending = this.#thread.stop(crashed(new Error('the thread has ended')))
    this.#thread = undefined
    this.#generation += 1
  }

  async open(): Promise<void> {
    try {
      await this.#start()
    } catch (error) {
      const full = isProlepsisError(error) && error.code === 'STORE_FULL'
      if (!full || !(await this.#options.reserve?.release())) throw error
      await this.#start()
    }
  }

  async #start(): Promise<void> {
    const { folder, sharedBuffersMb } = this.#options
    const thread = new WorkerThread({ folder, sharedBuffersMb })
    try {
      await thread.opened
    } catch (error) {
      await thread.stop(crashed(new Error('it did not open')))
      throw error
    }
    this.#thread = thread
  }

  async run(sql: string, parameters: readonly (string | null)[]): Promise<RawResult> {
    // The worker answers a `run` with a result and a `copy` with a number, always.
    return (await this.#call({ kind: 'run', sql, parameters })) as RawResult
  }

  async copyIn(sql: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    return (await this.#call({ kind: 'copy', sql, bytes }, [bytes.buffer])) as number
  }

  async script(sql: string): Promise<void> {
    await this.#call({ kind: 'script', sql })
  }

  /** Straight from the files: nothing runs meanwhile, and after a checkpoint they are complete. */
  async *dump(): AsyncIterable<Uint8Array> {
    await this.script('checkpoint')
    yield* tarFolder(this.#options.folder)
  }

  async interrupt(reason: ProlepsisError): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    this.#generation += 1
    await thread?.stop(reason)
    if (!this.#closed) await this.#reopen().catch(() => undefined) // the next call tries again, and reports
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const thread = this.#thread
    this.#thread = undefined
    if (thread === undefined) return
    try {
      await thread.call({ kind: 'close' })
    } finally {
      // also when it could not close in order: nothing may go on writing once the lock is given up
      await thread.stop(new ProlepsisError('CLOSED', 'The store was closed.'))
    }
  }

  async kill(reason: ProlepsisError): Promise<void> {
    this.#closed = true
    const thread = this.#thread
    this.#thread = undefined
    await thread?.stop(reason)
  }

  describe(): Readonly<Record<string, unknown>> {
    return { thread: 'worker', restarts: this.#generation }
  }

  #reopen(): Promise<void> {
    // two engines must never have the folder at once
    this.#opening ??= (this.#ending ?? Promise.resolve())
      .then(() => this.open())
      .finally(() => {
        this.#opening = undefined
      })
    return this.#opening
  }

  async #call(body: Body, transfer: readonly ArrayBuffer[] = []): Promise<RawResult | number | undefined> {
    this.#noticeDeath()
    if (this.#thread === undefined && !this.#closed) await this.#reopen()
    if (this.#thread === undefined) throw new ProlepsisError('CLOSED', 'The store was closed.')
    return this.#thread.call(body, transfer)
  }
}

/** One life of the worker. */
class WorkerThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #nextId = 1
  dead = false
  readonly opened: Promise<void>

  constructor(start: WorkerStart) {
    this.#worker = startSessionWorker(start)
    this.opened = this.#wait(0).then(() => undefined)
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply))
    this.#worker.on('error', (error) => this.#die(crashed(error)))
    this.#worker.on('exit', (code) => this.#die(crashed(new Error(`exit code ${code}`))))
  }

  call(body: Body, transfer: readonly ArrayBuffer[] = []): Promise<RawResult | number | undefined> {
    const id = this.#nextId
    this.#nextId += 1
    if (this.dead) return Promise.reject(crashed(new Error('the thread has ended')))
    const result = this.#wait(id)
    this.#worker.postMessage({ ...body, id } satisfies WorkerRequest, [...transfer])
    return result
  }

  async stop(reason: ProlepsisError): Promise<void> {
    this.#die(reason)
    await this.#worker.terminate()
  }

  #wait(id: number): Promise<RawResult | number | undefined> {
    return new Promise((resolve, reject) => {
      if (this.#pending.size === 0) this.#worker.ref()
      this.#pending.set(id, { resolve, reject })
    })
  }

  #settle(reply: WorkerReply): void {
    if (reply.id === 'panic') {
      void this.stop(unpackError(reply.error))
      return
    }
    const pending = this.#pending.get(reply.id)
    this.#pending.delete(reply.id)
    if (this.#pending.size === 0) this.#worker.unref()
    if (reply.ok) pending?.resolve(reply.value)
    else pending?.reject(unpackError(reply.error))
  }

  #die(reason: ProlepsisError): void {
    this.dead = true
    for (const pending of this.#pending.values()) pending.reject(reason)
    this.#pending.clear()
  }
}

function crashed(cause: Error): ProlepsisError {
  return new ProlepsisError(
    'STORE_RESTARTED',
    `The thread of the embedded database ended: ${cause.message}.`,
    {
      hint: 'Repeat the call; what was committed is kept.',
      retryable: true,
      cause,
    },
  )
}
