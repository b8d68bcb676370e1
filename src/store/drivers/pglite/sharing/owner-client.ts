import { createConnection, type Socket } from 'node:net'
import { ProlepsisError, throwIfAborted } from '../../../../domain/errors.ts'
import type { QueryOptions } from '../../../database.ts'
import { unpackError } from '../../../error-wire.ts'
import type { RawDatabase, RawResult, RawTransaction } from '../raw-database.ts'
import type { LockRecord } from './folder-lock.ts'
import { FrameReader, sendFrame } from './frames.ts'
import { NeverRan } from './never-ran.ts'
import type { OwnerReply, OwnerRequest } from './wire.ts'

export interface OwnerClient extends RawDatabase {
  /** Schema version that the owner's program knows. */
  readonly schemaVersion: number
  readonly ownerPid: number
  call(name: string, payload: unknown, options: QueryOptions): Promise<unknown>
}

type Body = OwnerRequest extends infer Request
  ? Request extends OwnerRequest
    ? Omit<Request, 'id'>
    : never
  : never

/** Connects to the owner; null when nobody listens there. @throws what kept the owner from opening the store. */
export async function connectToOwner(record: LockRecord): Promise<OwnerClient | null> {
  const socket = await connect(record.socket)
  if (socket === null) return null
  const client = new OwnerConnectionClient(socket)
  socket.write(record.nonce)
  return (await client.greeted()) ? client : null
}

/** Whether somebody listens on the socket of that record. */
export async function ownerListens(record: LockRecord): Promise<boolean> {
  const socket = await connect(record.socket)
  socket?.destroy()
  return socket !== null
}

function connect(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => resolve(socket))
    // Refused, or no such file: nobody is there (yet, or any more).
    socket.once('error', () => resolve(null))
  })
}

interface Pending {
  resolve(value: unknown): void
  reject(error: unknown): void
}

class OwnerConnectionClient implements OwnerClient {
  readonly #socket: Socket
  readonly #frames = new FrameReader()
  readonly #pending = new Map<number, Pending>()
  readonly #hello: Promise<boolean>
  #greet: ((outcome: boolean | ProlepsisError) => void) | undefined
  #nextId = 1
  #lost = false
  schemaVersion = 0
  ownerPid = 0

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    this.#hello = new Promise((resolve, reject) => {
      this.#greet = (outcome) => {
        this.#greet = undefined
        if (this.#pending.size === 0) socket.unref()
        if (typeof outcome === 'boolean') resolve(outcome)
        else reject(outcome)
      }
    })
    socket.on('data', (chunk: Buffer) => {
      try {
        // The owner is of this package; the nonce and the folder's rights have shown that it is of this user.
        for (const message of this.#frames.push(chunk)) this.#receive(message as OwnerReply)
      } catch {
        // Not our protocol (an owner of another Node that writes what this one cannot read): 'close' tells the calls.
        socket.destroy()
      }
    })
    // A broken connection is followed by 'close', where the calls learn of it.
    socket.on('error', () => undefined)
    socket.on('close', () => this.#lose())
  }

  greeted(): Promise<boolean> {
    return this.#hello
  }

  async run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult> {
    return this.#run(sql, parameters, options, undefined)
  }

  async script(sql: string, options: QueryOptions): Promise<void> {
    await this.#request({ op: 'script', sql, deadlineMs: options.deadlineMs, tx: undefined }, options)
  }

  async begin(options: QueryOptions): Promise<RawTransaction> {
    // An owner answers a `begin` with a number, always; alike below.
    const tx = (await this.#request({ op: 'begin' }, options)) as number
    return {
      run: (sql, parameters, own) => this.#run(sql, parameters, own, tx),
      script: async (sql, own) => {
        await this.#request({ op: 'script', sql, deadlineMs: own.deadlineMs, tx }, own)
      },
      copyIn: async (sql, bytes, own) =>
        (await this.#request({ op: 'copy', sql, bytes, deadlineMs: own.deadlineMs, tx }, own)) as number,
      commit: async () => {
        await this.#request({ op: 'commit', tx }, {})
      },
      rollback: async () => {
        await this.#request({ op: 'rollback', tx }, {})
      },
    }
  }

  async *dump(): AsyncIterable<Uint8Array> {
    const dump = this.#nextId
    try {
      for (;;) {
        const chunk = (await this.#request({ op: 'dump', dump }, {})) as Uint8Array | null
        if (chunk === null) return
        yield chunk
      }
    } finally {
      if (!this.#lost) await this.#request({ op: 'dump-end', dump }, {})
    }
  }

  call(name: string, payload: unknown, options: QueryOptions): Promise<unknown> {
    return this.#request({ op: 'call', name, payload }, options)
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return
    await new Promise<void>((resolve) => {
      this.#socket.once('close', () => resolve())
      this.#socket.ref()
      this.#socket.end()
    })
  }

  describe(): Readonly<Record<string, unknown>> {
    return { role: 'client', owner: this.ownerPid }
  }

  async #run(
    sql: string,
    parameters: readonly (string | null)[],
    options: QueryOptions,
    tx: number | undefined,
  ): Promise<RawResult> {
    const body = { op: 'run', sql, parameters, deadlineMs: options.deadlineMs, tx } as const
    return (await this.#request(body, options)) as RawResult
  }

  async #request(body: Body, options: QueryOptions): Promise<unknown> {
    throwIfAborted(options.signal)
    if (this.#lost) throw new NeverRan(ownerLost())
    const id = this.#nextId
    this.#nextId += 1
    const cancel = (): void => {
      if (!this.#lost) sendFrame(this.#socket, { id, op: 'cancel' } satisfies OwnerRequest)
    }
    options.signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject })
        this.#socket.ref()
        sendFrame(this.#socket, { ...body, id } satisfies OwnerRequest)
      })
    } finally {
      options.signal?.removeEventListener('abort', cancel)
    }
  }

  #receive(reply: OwnerReply): void {
    switch (reply.op) {
      case 'hello':
        this.schemaVersion = reply.schemaVersion
        this.ownerPid = reply.pid
        this.#greet?.(true)
        return
      case 'refused':
        this.#greet?.(unpackError(reply.error))
        this.#socket.end()
        return
      case 'answer':
        this.#settle(reply.id)?.resolve(reply.value)
        return
      case 'error': {
        const error = unpackError(reply.error)
        this.#settle(reply.id)?.reject(reply.neverRan ? new NeverRan(error) : error)
      }
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#socket.unref()
    return pending
  }

  #lose(): void {
    this.#lost = true
    this.#greet?.(false)
    for (const pending of this.#pending.values()) pending.reject(ownerLost())
    this.#pending.clear()
  }
}

export function ownerLost(): ProlepsisError {
  return new ProlepsisError(
    'STORE_OWNER_LOST',
    'The process that owns the data folder ended before it answered: the call may have run or not.',
    { hint: 'Check, or repeat the call if that does no harm.', retryable: true },
  )
}
