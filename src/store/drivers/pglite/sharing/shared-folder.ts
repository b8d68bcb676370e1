import { isProlepsisError, ProlepsisError } from '../../../../domain/errors.ts'
import type { QueryOptions } from '../../../database.ts'
import type { RawDatabase, RawResult, RawStatements, RawTransaction } from '../raw-database.ts'
import { type HeldLock, type LockRecord, takeLock } from './folder-lock.ts'
import { NeverRan } from './never-ran.ts'
import { connectToOwner, type OwnerClient, ownerListens } from './owner-client.ts'
import { type OwnerService, startOwnerService } from './owner-service.ts'
import { SharedServiceTable } from './service-table.ts'
import { socketPath } from './socket-path.ts'

/** The store as its owner has it. */
export interface OwnedStore {
  readonly raw: RawDatabase
  readonly schemaVersion: number
  /** Ends the engine where it stands, without writing any more. */
  readonly kill: () => Promise<void>
}

export interface SharedFolderOptions {
  readonly root: string
  /** Folder of the lock files and of the socket. */
  readonly runFolder: string
  /** Opens the engine and brings the schema up to date. Called only while this process holds the lock. */
  readonly openAsOwner: () => Promise<OwnedStore>
  /** Checks that this program can work with the schema that the owner serves. */
  readonly joinAsClient: (client: OwnerClient) => Promise<void>
  readonly onOwnerChange: (owner: boolean) => void
  /** How long to look for an owner that lives but does not answer. @default 15,000 */
  readonly joinTimeoutMs?: number | undefined
  /** @default 30,000 */
  readonly idleTransactionMs?: number | undefined
  /** @default 5,000 */
  readonly heartbeatMs?: number | undefined
}

type Member =
  | {
      readonly role: 'owner'
      readonly raw: RawDatabase
      readonly lock: HeldLock
      readonly service: OwnerService
      readonly kill: () => Promise<void>
    }
  | { readonly role: 'client'; readonly raw: OwnerClient }

const MAX_ATTEMPTS = 5
const HEARTBEAT_MS = 5_000
// Two missed heartbeats and some: how long another machine's silent owner is watched before it counts as gone.
const SILENCE_MS = 12_000

/** This process's part in a data folder that several share: its owner, or a client of the owner; whichever it is now. */
export class SharedFolder implements RawDatabase {
  readonly services: SharedServiceTable
  readonly #options: SharedFolderOptions
  #member: Promise<Member> | undefined
  #current: Member | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(options: SharedFolderOptions) {
    this.#options = options
    this.services = new SharedServiceTable({
      isOwner: () => this.#current?.role === 'owner',
      forward: (name, payload, own) =>
        this.#again(true, async (member) =>
          member.role === 'owner' ? this.services.handle(name, payload) : member.raw.call(name, payload, own),
        ),
    })
  }

  async open(): Promise<void> {
    await this.#join()
  }

  run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult> {
    return this.#again(isRead(sql), ({ raw }) => raw.run(sql, parameters, options))
  }

  script(sql: string, options: QueryOptions): Promise<void> {
    return this.#again(false, ({ raw }) => raw.script(sql, options))
  }

  /** What was not committed has left nothing: the beginning can be repeated, and the facade repeats the work. */
  async begin(options: QueryOptions): Promise<RawTransaction> {
    const tx = await this.#again(true, ({ raw }) => raw.begin(options))
    const plain = <T>(call: Promise<T>): Promise<T> => call.catch(throwPlain)
    const statements: RawStatements = {
      run: (sql, parameters, own) => plain(tx.run(sql, parameters, own)),
      script: (sql, own) => plain(tx.script(sql, own)),
    }
    return {
      ...statements,
      copyIn: (sql, bytes, own) => plain(tx.copyIn(sql, bytes, own)),
      commit: () => plain(tx.commit()),
      rollback: () => plain(tx.rollback()),
    }
  }

  async *dump(): AsyncIterable<Uint8Array> {
    const { raw } = await this.#join()
    try {
      yield* raw.dump()
    } catch (error) {
      throwPlain(error)
    }
  }

  describe(): Readonly<Record<string, unknown>> {
    const member = this.#current
    if (member === undefined) return { dataDir: this.#options.root, role: 'joining' }
    const clients = member.role === 'owner' ? { role: 'owner', clients: member.service.clients } : {}
    return { dataDir: this.#options.root, ...clients, ...member.raw.describe() }
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  async #leave(): Promise<void> {
    // A join that is under way is waited for; one that failed has left nothing to close.
    const member = await this.#member?.catch(() => undefined)
    clearInterval(this.#heartbeat)
    if (member === undefined) return
    if (member.role === 'client') return member.raw.close()
    member.service.retire()
    try {
      await member.raw.close()
    } finally {
      await member.lock.release().finally(() => member.service.close())
    }
  }

  async #again<T>(repeatable: boolean, call: (member: Member) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const member = await this.#join()
      try {
        return await call(member)
      } catch (error) {
        const lost = isProlepsisError(error) && error.code === 'STORE_OWNER_LOST'
        const mayRepeat = error instanceof NeverRan || (lost && repeatable)
        if (member.role === 'client' && (lost || error instanceof NeverRan)) await this.#forget(member)
        if (!mayRepeat || attempt === MAX_ATTEMPTS || this.#closing !== undefined) throwPlain(error)
      }
    }
  }

  async #forget(member: Member): Promise<void> {
    if (this.#current !== member) return
    this.#current = undefined
    this.#member = undefined
    await member.raw.close()
  }

  #join(): Promise<Member> {
    if (this.#closing !== undefined) {
      return Promise.reject(new ProlepsisError('CLOSED', 'The store was closed.', { hint: 'Open it again.' }))
    }
    this.#member ??= this.#find().then(
      (member) => {
        this.#current = member
        this.#options.onOwnerChange(member.role === 'owner')
        return member
      },
      (error: unknown) => {
        this.#member = undefined // the next call tries again
        throw error
      },
    )
    return this.#member
  }

  /** Takes the lock, or finds the one who has it. */
  async #find(): Promise<Member> {
    const started = performance.now()
    const timeoutMs = this.#options.joinTimeoutMs ?? 15_000
    for (;;) {
      const outcome = await takeLock({
        folder: this.#options.runFolder,
        socketFor: (nonce) => socketPath(this.#options.runFolder, nonce),
        probe: ownerLives,
      })
      if (outcome.kind === 'held') return this.#own(outcome.lock)
      const client = await connectToOwner(outcome.record)
      if (client !== null) {
        try {
          await this.#options.joinAsClient(client)
          return { role: 'client', raw: client }
        } catch (error) {
          await client.close()
          if (!(error instanceof NeverRan) && !isOwnerLost(error)) throw error
        }
      }
      // It is just starting or just ending. Or it lives and is stuck.
      if (performance.now() - started > timeoutMs) throw unreachable(this.#options.root, outcome.record)
      await pause(50)
    }
  }

  async #own(lock: HeldLock): Promise<Member> {
    const opening = new Opening<OwnedStore>()
    let service: OwnerService | undefined
    try {
      // Before the store is open: whoever finds the lock finds somebody who answers.
      service = await startOwnerService({
        socket: lock.record.socket,
        nonce: lock.record.nonce,
        store: opening.promise,
        idleTransactionMs: this.#options.idleTransactionMs,
        call: (name, payload) => this.services.handle(name, payload),
      })
      const store = await this.#options.openAsOwner()
      opening.resolve(store)
      this.#startHeartbeat(lock)
      return { role: 'owner', raw: store.raw, kill: store.kill, lock, service }
    } catch (error) {
      opening.reject(error)
      await lock.release()
      await service?.close()
      throw error
    }
  }

  #startHeartbeat(lock: HeldLock): void {
    const beat = async (): Promise<void> => {
      if (await lock.isStillOurs()) await lock.beat()
      // Another machine took us for dead: two writers would ruin the folder, so this one stops at once.
      else await this.#dethrone()
    }
    this.#heartbeat = setInterval(
      () => void beat().catch(() => undefined), // tried again with the next beat
      this.#options.heartbeatMs ?? HEARTBEAT_MS,
    )
    this.#heartbeat.unref()
  }

  async #dethrone(): Promise<void> {
    const member = this.#current
    if (member?.role !== 'owner') return
    clearInterval(this.#heartbeat)
    this.#current = undefined
    this.#member = undefined
    await member.kill()
    await member.service.close()
  }
}

/** A promise that is settled from outside; its failure need not be awaited by anybody. */
class Opening<T> {
  readonly promise: Promise<T>
  resolve: (value: T) => void = () => undefined
  reject: (error: unknown) => void = () => undefined

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
    this.promise.catch(() => undefined)
  }
}

/** Of an owner that the process table says nothing about: does it answer, or at least its heart beat? */
async function ownerLives(record: LockRecord, lastBeat: () => Promise<number>): Promise<boolean> {
  const before = await lastBeat()
  for (let waited = 0; waited < SILENCE_MS; waited += 500) {
    if (await ownerListens(record)) return true
    await pause(500)
    if ((await lastBeat()) !== before) return true
  }
  return false
}

function isRead(sql: string): boolean {
  return /^\s*select\b/i.test(sql)
}

function isOwnerLost(error: unknown): boolean {
  return isProlepsisError(error) && error.code === 'STORE_OWNER_LOST'
}

function throwPlain(error: unknown): never {
  throw error instanceof NeverRan ? error.cause : error
}

function unreachable(root: string, record: LockRecord): ProlepsisError {
  return new ProlepsisError(
    'STORE_LOCKED',
    `Process ${record.pid} holds the data folder ${root} and does not answer.`,
    {
      hint: 'End that process, or wait for it.',
      retryable: true,
      details: { pid: record.pid, path: root },
    },
  )
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
