/**
 * One owner a data folder, without the help of the operating system's locks (Node has none).
 *
 * Lock files are `lock.1`, `lock.2`, … in the `run` folder. Each is made whole and exclusively (a hard link of a
 * finished file), and whoever made the highest number owns the folder. A dead owner's file is left and outnumbered:
 * two that find it stale both try for the next number and one gets it. The highest is never deleted, so that a slow
 * process which tries for a number that has come and gone sees a higher one and gives way.
 */
import { randomBytes } from 'node:crypto'
import { link, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../../../../domain/error-code.ts'
import { ProlepsisError } from '../../../../domain/errors.ts'
import { judgeLiveness, ownIdentity, type ProcessIdentity } from './process-identity.ts'

export interface LockRecord extends ProcessIdentity {
  /** Secret of this ownership: whoever can read the lock file may talk to the owner. */
  readonly nonce: string
  /** Where the owner listens. */
  readonly socket: string
  readonly released: boolean
}

export interface HeldLock {
  readonly record: LockRecord
  /** False when another process has taken over (this one was stopped for long, on another machine's judgement). */
  isStillOurs(): Promise<boolean>
  /** Tells other machines that we live. */
  beat(): Promise<void>
  release(): Promise<void>
}

export type LockOutcome =
  | { readonly kind: 'held'; readonly lock: HeldLock }
  | { readonly kind: 'other'; readonly record: LockRecord }

export interface LockOptions {
  /** The `run` folder, which exists. */
  readonly folder: string
  /** Where an owner with this nonce would listen. */
  readonly socketFor: (nonce: string) => string
  /** Whether an owner of whom the process table says nothing still lives: by its socket, and then its heartbeat. */
  readonly probe: (record: LockRecord, lastBeat: () => Promise<number>) => Promise<boolean>
}

/** Takes the lock if its owner is gone; never waits for a living one. */
export async function takeLock(options: LockOptions): Promise<LockOutcome> {
  const { folder } = options
  for (;;) {
    const highest = await highestLock(folder)
    if (highest > 0) {
      const record = await readLock(folder, highest)
      if (record === undefined) continue // gone meanwhile: there is a higher one
      if (record !== null && !record.released) {
        const liveness = judgeLiveness(record)
        const lives =
          liveness === 'unknown'
            ? await options.probe(record, () => lastBeat(folder, highest))
            : liveness === 'alive'
        if (lives) return { kind: 'other', record }
      }
    }
    const lock = await tryNumber(options, highest + 1)
    if (lock !== null) return { kind: 'held', lock }
  }
}

async function tryNumber(options: LockOptions, number: number): Promise<HeldLock | null> {
  const { folder } = options
  const nonce = randomBytes(16).toString('hex')
  const record: LockRecord = { ...ownIdentity(), nonce, socket: options.socketFor(nonce), released: false }
  if (!(await createExclusively(folder, number, record))) return null
  // Twice the same: a listing may miss what is made and deleted while it runs.
  if ((await highestLock(folder)) !== number || (await highestLock(folder)) !== number) {
    await rm(lockPath(folder, number), { force: true })
    return null
  }
  await removeBelow(folder, number, record.socket)
  return {
    record,
    isStillOurs: async () => (await highestLock(folder)) === number,
    beat: async () => {
      const now = new Date()
      await utimes(lockPath(folder, number), now, now)
    },
    release: async () => {
      const temporary = join(folder, `release.${nonce}`)
      const released = { ...record, released: true }
      try {
        await writeRecord(temporary, released)
        await rename(temporary, lockPath(folder, number))
      } catch (error) {
        await rm(temporary, { force: true })
        const code = errorCodeOf(error)
        if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
        // on a full disk: over the old record, which takes no new space
        await overwriteRecord(lockPath(folder, number), released, JSON.stringify(record).length)
      }
    },
  }
}

async function createExclusively(folder: string, number: number, record: LockRecord): Promise<boolean> {
  const temporary = join(folder, `new.${record.nonce}`)
  await writeRecord(temporary, record)
  try {
    await link(temporary, lockPath(folder, number))
    return true
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EEXIST') return false
    // File systems without hard links: exclusive as well, but for a moment a reader may find it empty.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EOPNOTSUPP') {
      return createInPlace(lockPath(folder, number), record)
    }
    throw error
  } finally {
    await rm(temporary, { force: true })
  }
}

async function createInPlace(path: string, record: LockRecord): Promise<boolean> {
  try {
    await writeRecord(path, record, 'wx')
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    throw error
  }
}

async function overwriteRecord(path: string, record: LockRecord, length: number): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.write(JSON.stringify(record).padEnd(length), 0)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeRecord(path: string, record: LockRecord, flags = 'w'): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.writeFile(JSON.stringify(record))
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Undefined: it is not there any more. Null: nobody's (unreadable for good, as after a power loss). */
async function readLock(folder: string, number: number): Promise<LockRecord | null | undefined> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      const value: unknown = JSON.parse(await readFile(lockPath(folder, number), 'utf8'))
      if (isRecord(value)) return value
    } catch (error) {
      const code = errorCodeOf(error)
      if (code === 'ENOENT') return undefined
      if (code === 'EACCES' || code === 'EPERM') throw foreign(folder, error)
      if (!(error instanceof SyntaxError)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return null
}

function isRecord(value: unknown): value is LockRecord {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Record<string, unknown> // each field is checked here
  return (
    Number.isInteger(record.pid) &&
    typeof record.host === 'string' &&
    typeof record.nonce === 'string' &&
    typeof record.socket === 'string' &&
    typeof record.released === 'boolean' &&
    (record.started === null || typeof record.started === 'string') &&
    (record.boot === null || typeof record.boot === 'string')
  )
}

async function highestLock(folder: string): Promise<number> {
  let highest = 0
  for (const name of await readdir(folder)) {
    const number = /^lock\.(\d+)$/.exec(name)?.[1]
    if (number !== undefined) highest = Math.max(highest, Number(number))
  }
  return highest
}

async function removeBelow(folder: string, number: number, ownSocket: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const lower = /^lock\.(\d+)$/.exec(name)?.[1]
    const isOldLock = lower !== undefined && Number(lower) < number
    const isOldSocket = name.endsWith('.sock') && join(folder, name) !== ownSocket
    if (isOldLock || isOldSocket) await rm(join(folder, name), { force: true })
  }
}

async function lastBeat(folder: string, number: number): Promise<number> {
  return (await stat(lockPath(folder, number)).catch(() => ({ mtimeMs: 0 }))).mtimeMs
}

function lockPath(folder: string, number: number): string {
  return join(folder, `lock.${number}`)
}

function foreign(folder: string, cause: unknown): ProlepsisError {
  return new ProlepsisError('STORE_LOCKED', `The data folder is held by another user (${folder}).`, {
    hint: 'Only one user can use an embedded data folder: choose another, or use a PostgreSQL server.',
    cause,
  })
}
