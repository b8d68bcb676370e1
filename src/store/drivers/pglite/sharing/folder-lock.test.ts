import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type LockOutcome, type LockRecord, takeLock } from './folder-lock.ts'
import { judgeLiveness, ownIdentity } from './process-identity.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prolepsis-lock-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const take = (lives = false): Promise<LockOutcome> =>
  takeLock({ folder, socketFor: (nonce) => join(folder, `${nonce}.sock`), probe: async () => lives })

async function plant(number: number, changes: Partial<LockRecord>): Promise<void> {
  const record: LockRecord = {
    ...ownIdentity(),
    nonce: 'f'.repeat(32),
    socket: join(folder, 'old.sock'),
    released: false,
    ...changes,
  }
  await writeFile(join(folder, `lock.${number}`), JSON.stringify(record))
}

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await new Promise((resolve) => child.once('close', resolve))
  return child.pid ?? 0
}

describe('takeLock', () => {
  it('takes a new folder, and shows who has it to the next', async () => {
    const first = await take()
    expect(first.kind).toBe('held')
    const second = await take()
    expect(second).toMatchObject({ kind: 'other', record: { pid: process.pid, released: false } })
  })

  it('takes over what was released, and clears what is outnumbered', async () => {
    const first = await take()
    if (first.kind === 'held') await first.lock.release()
    await writeFile(join(folder, 'forgotten.sock'), '')
    const second = await take()
    expect(second.kind).toBe('held')
    expect((await readdir(folder)).sort()).toEqual(['lock.2'])
  })

  it('takes over from a process that is gone', async () => {
    await plant(7, { pid: await deadPid() })
    expect((await take()).kind).toBe('held')
    expect(await readdir(folder)).toEqual(['lock.8'])
  })

  it('takes over when the process id belongs to another process now', async () => {
    // Our own pid is alive, but the lock is of a process that started at another time.
    await plant(1, { started: '1' })
    expect((await take()).kind).toBe('held')
  })

  it('takes over after the machine was started anew', async () => {
    await plant(1, { boot: 'another boot' })
    expect((await take()).kind).toBe('held')
  })

  it('asks the probe about an owner on another machine or in another namespace', async () => {
    await plant(1, { host: 'elsewhere' })
    expect((await take(true)).kind).toBe('other')
    expect((await take(false)).kind).toBe('held')
  })

  it('takes over from a lock file that nobody can read, as after a power loss', async () => {
    await writeFile(join(folder, 'lock.3'), '{"pid":')
    expect((await take()).kind).toBe('held')
  })

  it('gives one of many the lock, also over a stale one', async () => {
    for (let round = 0; round < 20; round += 1) {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder)
      if (round % 2 === 1) await plant(round, { started: '1' })
      const outcomes = await Promise.all(Array.from({ length: 12 }, () => take()))
      expect(outcomes.filter((outcome) => outcome.kind === 'held')).toHaveLength(1)
    }
  })

  it('tells an owner that was outnumbered', async () => {
    const outcome = await take()
    if (outcome.kind !== 'held') throw new Error('not held')
    expect(await outcome.lock.isStillOurs()).toBe(true)
    await plant(9, {})
    expect(await outcome.lock.isStillOurs()).toBe(false)
  })

  it('keeps the secret of the ownership from other users', async () => {
    const outcome = await take()
    const { mode } = await (await import('node:fs/promises')).stat(join(folder, 'lock.1'))
    expect(mode & 0o077).toBe(0)
    const stored: unknown = JSON.parse(await readFile(join(folder, 'lock.1'), 'utf8'))
    expect(stored).toEqual(outcome.kind === 'held' ? outcome.lock.record : null)
  })
})

describe('judgeLiveness', () => {
  it('knows this process, and a parent that is not the same', () => {
    expect(judgeLiveness(ownIdentity())).toBe('alive')
    expect(judgeLiveness({ ...ownIdentity(), started: '1' })).toBe('dead')
    expect(judgeLiveness({ ...ownIdentity(), started: null })).toBe('unknown')
  })
})
