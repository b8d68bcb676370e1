import { timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { ProlepsisError } from '../../../../domain/errors.ts'
import { packError } from '../../../error-wire.ts'
import type { RawDatabase, RawTransaction } from '../raw-database.ts'
import { FrameReader, sendFrame } from './frames.ts'
import { closeSocket, prepareSocket } from './socket-path.ts'
import type { OwnerReply, OwnerRequest } from './wire.ts'

export interface OwnerServiceOptions {
  readonly socket: string
  readonly nonce: string
  /** Resolves to the open store: whoever connects earlier waits. Rejects when it cannot be opened. */
  readonly store: Promise<ServedStore>
  /** A client's transaction without a statement for this long is rolled back. @default 30,000 */
  readonly idleTransactionMs?: number | undefined
  readonly call: (name: string, payload: unknown) => Promise<unknown>
}

export interface ServedStore {
  readonly raw: RawDatabase
  readonly schemaVersion: number
}

export interface OwnerService {
  /** Turns new work away; what is under way goes on. */
  retire(): void
  close(): Promise<void>
  readonly clients: number
}

const NONCE_LENGTH = 32
const DEFAULT_IDLE_TRANSACTION_MS = 30_000

/** Serves the embedded store to other processes of this user. Keeps the process alive only while a client works. */
export async function startOwnerService(options: OwnerServiceOptions): Promise<OwnerService> {
  const clients = new Set<OwnerConnection>()
  let retired = false
  const server = createServer((socket) => {
    const connection = new OwnerConnection(socket, options, () => retired)
    clients.add(connection)
    socket.on('close', () => clients.delete(connection))
  })
  await listen(server, options.socket)
  server.unref()
  return {
    get clients() {
      return clients.size
    },
    retire() {
      retired = true
    },
    async close() {
      retired = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const client of clients) client.end()
      await closed
      await closeSocket(options.socket)
    },
  }
}

async function listen(server: Server, socket: string): Promise<void> {
  await prepareSocket(socket)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(socket, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

interface OpenTransaction {
  readonly raw: RawTransaction
  idle: NodeJS.Timeout | undefined
}

interface OpenDump {
  readonly chunks: AsyncIterator<Uint8Array>
  idle: NodeJS.Timeout | undefined
}

/** One client process. */
class OwnerConnection {
  readonly #socket: Socket
  readonly #options: OwnerServiceOptions
  readonly #isRetired: () => boolean
  readonly #frames = new FrameReader()
  readonly #transactions = new Map<number, OpenTransaction>()
  readonly #dumps = new Map<number, OpenDump>()
  readonly #running = new Map<number, AbortController>()
  #greeting = Buffer.alloc(0)
  #welcome = false
  #ending = false
  #nextTransaction = 1

  constructor(socket: Socket, options: OwnerServiceOptions, isRetired: () => boolean) {
    this.#socket = socket
    this.#options = options
    this.#isRetired = isRetired
    socket.unref()
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    // A broken connection is followed by 'close', which cleans up.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#abandon())
  }

  end(): void {
    // Held until it is closed: a program whose last act is to close the store would end in the middle of it.
    this.#ending = true
    this.#socket.ref()
    this.#socket.end()
    // A client that does not read must not keep the owner.
    setTimeout(() => this.#socket.destroy(), 1000).unref()
  }

  #receive(chunk: Buffer): void {
    try {
      const rest = this.#welcome ? chunk : this.#greet(chunk)
      if (rest === undefined) return
      // The client is of this user (it knew the nonce) and of this package.
      for (const message of this.#frames.push(rest)) this.#accept(message as OwnerRequest)
    } catch {
      // Not our protocol, or an end that is out of step: there is nobody to answer.
      this.#socket.destroy()
    }
  }

  /** The nonce comes first, raw: nothing of an unknown sender is deserialised. */
  #greet(chunk: Buffer): Buffer | undefined {
    this.#greeting = Buffer.concat([this.#greeting, chunk])
    if (this.#greeting.length < NONCE_LENGTH) return undefined
    const nonce = this.#greeting.subarray(0, NONCE_LENGTH)
    if (!timingSafeEqual(nonce, Buffer.from(this.#options.nonce))) {
      this.#socket.destroy()
      return undefined
    }
    this.#welcome = true
    this.#options.store.then(
      ({ schemaVersion }) => this.#send({ op: 'hello', pid: process.pid, schemaVersion }),
      (error: unknown) => this.#send({ op: 'refused', error: packError(error) }),
    )
    return this.#greeting.subarray(NONCE_LENGTH)
  }

  #accept(request: OwnerRequest): void {
    if (request.op === 'cancel') {
      this.#running.get(request.id)?.abort()
      return
    }
    const abort = new AbortController()
    this.#running.set(request.id, abort)
    this.#socket.ref()
    void this.#serve(request, abort.signal).then((reply) => {
      this.#running.delete(request.id)
      this.#restIfIdle()
      this.#send(reply)
    })
  }

  async #serve(request: OwnerRequest, signal: AbortSignal): Promise<OwnerReply> {
    const { id } = request
    try {
      return { op: 'answer', id, value: await this.#perform(request, signal) }
    } catch (error) {
      const packed = packError(error)
      // What the closed line turned away has certainly not run.
      return { op: 'error', id, error: packed, neverRan: packed.code === 'CLOSED' }
    }
  }

  async #perform(request: OwnerRequest, signal: AbortSignal): Promise<unknown> {
    const { raw } = await this.#options.store
    switch (request.op) {
      case 'run': {
        const target = request.tx === undefined ? this.#open(raw) : this.#use(request.tx)
        return target.run(request.sql, request.parameters, { signal, deadlineMs: request.deadlineMs })
      }
      case 'script': {
        const target = request.tx === undefined ? this.#open(raw) : this.#use(request.tx)
        return target.script(request.sql, { signal, deadlineMs: request.deadlineMs })
      }
      case 'copy':
        // Copied out of the frame: the bytes go on to another thread.
        return this.#use(request.tx).copyIn(request.sql, new Uint8Array(request.bytes), {
          signal,
          deadlineMs: request.deadlineMs,
        })
      case 'begin':
        return this.#begin(await this.#open(raw).begin({ signal }))
      case 'commit':
        return this.#finish(request.tx, (tx) => tx.commit())
      case 'rollback':
        return this.#finish(request.tx, (tx) => tx.rollback())
      case 'dump':
        return this.#nextOfDump(this.#open(raw), request.dump)
      case 'dump-end':
        return this.#endDump(request.dump)
      case 'call':
        if (this.#isRetired()) throw closing()
        return this.#options.call(request.name, request.payload)
      case 'cancel':
        return undefined
    }
  }

  #open(raw: RawDatabase): RawDatabase {
    if (this.#isRetired()) throw closing()
    return raw
  }

  #begin(raw: RawTransaction): number {
    const number = this.#nextTransaction
    this.#nextTransaction += 1
    if (this.#socket.destroyed) {
      // The client died while it waited in line.
      void raw.rollback().catch(() => undefined)
      return number
    }
    this.#transactions.set(number, { raw, idle: undefined })
    this.#watch(number)
    return number
  }

  #use(number: number): RawTransaction {
    const open = this.#transactions.get(number)
    if (open === undefined) throw transactionGone()
    this.#watch(number)
    return open.raw
  }

  /** Starts the idle deadline anew. While a statement runs, its own deadline is the shorter one. */
  #watch(number: number): void {
    const open = this.#transactions.get(number)
    if (open === undefined) return
    clearTimeout(open.idle)
    open.idle = setTimeout(() => {
      if (this.#running.size > 0) return this.#watch(number)
      void this.#finish(number, (tx) => tx.rollback()).catch(() => undefined)
    }, this.#options.idleTransactionMs ?? DEFAULT_IDLE_TRANSACTION_MS)
    open.idle.unref()
  }

  async #finish(number: number, end: (tx: RawTransaction) => Promise<void>): Promise<void> {
    const open = this.#transactions.get(number)
    if (open === undefined) throw transactionGone()
    clearTimeout(open.idle)
    this.#transactions.delete(number)
    await end(open.raw)
    this.#restIfIdle()
  }

  async #nextOfDump(raw: RawDatabase, number: number): Promise<Uint8Array | null> {
    let dump = this.#dumps.get(number)
    if (dump === undefined) {
      dump = { chunks: raw.dump()[Symbol.asyncIterator](), idle: undefined }
      this.#dumps.set(number, dump)
    }
    clearTimeout(dump.idle)
    const next = await dump.chunks.next()
    if (next.done) {
      this.#dumps.delete(number)
      return null
    }
    // A dump holds up everybody: one that nobody fetches is given up.
    dump.idle = setTimeout(
      () => void this.#endDump(number).catch(() => undefined),
      this.#options.idleTransactionMs ?? DEFAULT_IDLE_TRANSACTION_MS,
    )
    dump.idle.unref()
    return next.value
  }

  async #endDump(number: number): Promise<void> {
    const dump = this.#dumps.get(number)
    if (dump === undefined) return
    clearTimeout(dump.idle)
    this.#dumps.delete(number)
    await dump.chunks.return?.()
    this.#restIfIdle()
  }

  /** The client is gone: nothing of an open transaction stays, and what waits in line leaves it. */
  #abandon(): void {
    for (const abort of this.#running.values()) abort.abort()
    for (const number of [...this.#transactions.keys()]) {
      void this.#finish(number, (tx) => tx.rollback()).catch(() => undefined)
    }
    for (const number of [...this.#dumps.keys()]) void this.#endDump(number).catch(() => undefined)
  }

  #restIfIdle(): void {
    const idle = this.#running.size === 0 && this.#transactions.size === 0 && this.#dumps.size === 0
    if (idle && !this.#ending) this.#socket.unref()
  }

  #send(reply: OwnerReply): void {
    if (!this.#socket.destroyed) sendFrame(this.#socket, reply)
  }
}

function closing(): ProlepsisError {
  return new ProlepsisError('CLOSED', 'The process that owns the data folder is closing it.', {
    retryable: true,
  })
}

function transactionGone(): ProlepsisError {
  return new ProlepsisError(
    'DEADLINE_EXCEEDED',
    'The transaction was rolled back: it had been idle for too long.',
    {
      hint: 'Wait for nothing but the database inside a transaction.',
    },
  )
}
