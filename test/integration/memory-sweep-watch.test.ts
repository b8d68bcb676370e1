import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/domain/ports.ts'
import {
  createMemory,
  type EngineEvent,
  type Memory,
  type Sweeper,
  type SweepPass,
  type SweepWatchOptions,
} from '../../src/index.ts'
import { depsOf } from '../../src/memory/scope.ts'
import { scopeOf } from '../../src/memory/scopes.ts'
import { type WatchDeps, watchFolder } from '../../src/retain/sweep/watch-folder.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'

// files have the system's time: so has the memory, unless a test holds it
let heldTime: number | null = null
const { bank, embedder } = useTestMemory({ clock: { now: () => heldTime ?? Date.now() } })

let root: string
let sweepers: Sweeper[] = []
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'prolepsis-watch-')))
})
afterEach(async () => {
  heldTime = null
  for (const sweeper of sweepers) await sweeper.stop()
  sweepers = []
  rmSync(root, { recursive: true, force: true })
})

const put = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
const sources = async (memory: Memory) => (await memory.documents({ limit: 1000 })).map((one) => one.source)

interface Watched {
  readonly sweeper: Sweeper
  /** Passes up to the one that is wanted, which is the last. */
  until(wanted: (pass: SweepPass) => boolean): Promise<readonly SweepPass[]>
}

async function watch(memory: Memory, options: SweepWatchOptions = {}): Promise<Watched> {
  const sweeper = await memory.sweep.watch(root, options)
  sweepers.push(sweeper)
  const passes = sweeper.passes[Symbol.asyncIterator]()
  return {
    sweeper,
    async until(wanted) {
      const seen: SweepPass[] = []
      for (;;) {
        const { value, done } = await passes.next()
        if (done) throw new Error(`the sweeper ended after ${JSON.stringify(seen)}`)
        seen.push(value)
        if (wanted(value)) return seen
      }
    },
  }
}
const last = (passes: readonly SweepPass[]): SweepPass => passes.at(-1)!
/** The folder is watched, and all that is in it was read. */
const isStill = ({ reason, files, created, updated, unchanged }: SweepPass) =>
  reason !== 'start' && created + updated + unchanged === files

describe('by what the system tells', () => {
  test('adds, changes, renames and deletions come by themselves, in new folders too', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    // nobody writes it any more
    utimesSync(join(root, 'a.txt'), new Date(0), new Date(0))
    const { sweeper, until } = await watch(memory)
    expect(sweeper).toMatchObject({ root, by: 'events' })
    expect(last(await until(({ reason }) => reason === 'start'))).toMatchObject({ created: 1 })
    // the folder is watched from here on
    await until(isStill)

    put('a.txt', 'Alpha stands there.')
    await until(({ updated }) => updated === 1)
    put('new/deep/b.txt', 'Beta stands here.')
    await until(({ created }) => created === 1)
    put('new/deep/c.txt', 'Gamma stands here.')
    await until(({ created }) => created === 1)
    expect(await sources(memory)).toEqual(['a.txt', 'new/deep/b.txt', 'new/deep/c.txt'])

    const before = embedder.calls.length
    renameSync(join(root, 'new'), join(root, 'old'))
    const moves = (await until(({ moved }) => moved.length > 0)).flatMap(({ moved }) => moved)
    if (moves.length < 2) await until(({ moved }) => moved.length > 0)
    expect(embedder.calls.length).toBe(before)
    // what has moved is followed
    put('old/deep/b.txt', 'Beta stands there.')
    await until(({ updated }) => updated === 1)

    rmSync(join(root, 'old/deep/c.txt'))
    expect(last(await until(({ missing }) => missing.length > 0)).deleted).toEqual([])
    const [confirmed] = (await until(({ deleted }) => deleted.length > 0)).slice(-1)
    expect(confirmed).toMatchObject({ deleted: ['old/deep/c.txt'] })
    expect(await sources(memory)).toEqual(['a.txt', 'old/deep/b.txt'])
    expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
  })

  test('an atomic save is one change, and a swap file wakes nobody', async () => {
    const memory = bank()
    put('a.txt', 'The first edition.')
    put('b.txt', 'Another one.')
    const { until } = await watch(memory)
    await until(isStill)
    put('.a.txt.swp', 'passing')
    put('a.txt~', readFileSync(join(root, 'a.txt'), 'utf8'))
    put('a.txt.tmp', 'The second edition.')
    renameSync(join(root, 'a.txt.tmp'), join(root, 'a.txt'))
    const passes = await until(({ updated }) => updated > 0)
    expect(passes.every(({ missing, created, moved }) => missing.length + created + moved.length === 0)).toBe(
      true,
    )
    expect(await memory.versions('a.txt')).toHaveLength(2)
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt'])
  })

  test('folders that are left out are not watched; recall works throughout', async () => {
    const memory = bank()
    put('.gitignore', 'dist\n')
    put('dist/out.txt', 'Built.')
    for (let at = 0; at < 120; at++) put(`${at}.txt`, `Sheet ${at} of the pile.`)
    const { until } = await watch(memory)
    const recalls: Promise<unknown>[] = []
    for (let at = 0; at < 5; at++) recalls.push(memory.recall(`sheet ${at}`, { receipt: false }))
    await Promise.all(recalls)
    await until(isStill)
    for (let at = 0; at < 5; at++) put(`dist/${at}.txt`, 'Built anew.')
    put('0.txt', 'Sheet 0 was written anew.')
    const passes = await until(({ updated }) => updated === 1)
    expect(passes.every(({ files }) => files === 120)).toBe(true)
    expect((await memory.recall('sheet 0 was written anew', { limit: 1 })).passages[0]?.source).toBe('0.txt')
  })

  test('a folder that vanishes is waited for: nothing is deleted, and it goes on when it is back', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    const { until } = await watch(memory)
    await until(isStill)
    renameSync(root, `${root}-away`)
    await until(({ away }) => away !== null)
    await until(({ away, reason }) => away !== null && reason === 'again')
    expect(await sources(memory)).toHaveLength(2)
    renameSync(`${root}-away`, root)
    expect(last(await until(({ away }) => away === null))).toMatchObject({
      unchanged: 2,
      read: 0,
      deleted: [],
    })
    await until(isStill)
    put('a.txt', 'Alpha stands there.')
    await until(({ updated }) => updated === 1)
  })

  test('a folder that takes the place of another is watched, the root too', async () => {
    const memory = bank()
    const aside = mkdtempSync(join(tmpdir(), 'prolepsis-aside-'))
    put('a.txt', 'Alpha stands here.')
    put('sub/b.txt', 'Beta stands here.')
    const { until } = await watch(memory)
    await until(isStill)
    try {
      mkdirSync(join(aside, 'sub'))
      writeFileSync(join(aside, 'sub/b.txt'), 'Beta stands in another folder.')
      renameSync(join(root, 'sub'), join(aside, 'old'))
      renameSync(join(aside, 'sub'), join(root, 'sub'))
      await until(({ updated }) => updated === 1)
      await until(isStill)
      put('sub/b.txt', 'Beta was written there in place.')
      await until(({ updated }) => updated === 1)
      put('sub/c.txt', 'Gamma stands there.')
      await until(({ created }) => created === 1)

      rmSync(join(root, 'sub'), { recursive: true })
      put('sub/deep/d.txt', 'Delta stands here.')
      await until(({ created }) => created === 1)
      await until(isStill)
      put('sub/deep/new/e.txt', 'Epsilon stands here.')
      await until(({ created }) => created === 1)

      renameSync(root, join(aside, 'root'))
      put('a.txt', 'Alpha stands in another root.')
      put('sub/deep/d.txt', 'Delta stands in another root.')
      await until(({ updated }) => updated > 0)
      await until(isStill)
      put('a.txt', 'Alpha was written there in place.')
      await until(({ updated }) => updated === 1)
      expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
    } finally {
      rmSync(aside, { recursive: true, force: true })
    }
  })

  test('a model that fails is no end: what it could not do is done later', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    const { until } = await watch(memory)
    await until(isStill)
    const { embed } = embedder
    const broken = embedder as { embed: typeof embed }
    broken.embed = async () => {
      throw new Error('out of order')
    }
    put('b.txt', 'Beta stands here.')
    const pass = last(await until(({ failed }) => failed.length > 0))
    expect(pass.failed).toEqual([{ path: 'b.txt', code: 'MODEL_FAILED', reason: expect.any(String) }])
    broken.embed = embed
    expect(last(await until(({ created }) => created === 1)).reason).toBe('again')
  })
})

test('by polling: what changes is seen without the system telling', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  const { sweeper, until } = await watch(memory, { pollMs: 100 })
  expect(sweeper.by).toBe('polling')
  await until(({ created }) => created === 1)
  put('sub/b.txt', 'Beta stands here.')
  expect(last(await until(({ created }) => created === 1)).reason).toBe('poll')
  rmSync(join(root, 'a.txt'))
  await until(({ missing }) => missing.length === 1)
  await until(({ deleted }) => deleted.length === 1)
})

async function watchWithin(
  memory: Memory,
  { clock, ...bounds }: Pick<WatchDeps, 'mostWatched' | 'putOffMs'> & { readonly clock?: Clock },
  emit: (event: EngineEvent) => void = () => undefined,
  options: SweepWatchOptions = {},
): Promise<Sweeper> {
  const limits = {
    maxFileBytes: 1_000_000,
    exclude: [],
    dataDir: null,
    home: '/none',
    holder: 'this test',
    isGone: () => false,
  }
  const sweeper = await watchFolder(
    {
      run: async (work) =>
        work({
          ...(await depsOf(scopeOf(memory), 'write')),
          ...limits,
          ...(clock === undefined ? {} : { clock }),
        }),
      events: { emit },
      followUp: async () => undefined,
      onEnd: () => undefined,
      ...bounds,
    },
    root,
    options,
  )
  sweepers.push(sweeper)
  return sweeper
}

test('more than the system should watch is polled, and it says so', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  put('b.txt', 'Beta stands here.')
  const warned: EngineEvent[] = []
  const sweeper = await watchWithin(memory, { mostWatched: 2 }, (event) => void warned.push(event))
  for await (const pass of sweeper.passes) {
    expect(pass.error).toBeNull()
    if (sweeper.by === 'polling') break
  }
  expect(warned).toMatchObject([
    { type: 'warning', code: 'SWEEP_POLLING', message: expect.stringContaining('30 s') },
  ])
})

test('a file that is being written is left until its writer pauses', async () => {
  const memory = bank()
  const { until } = await watch(memory, { pollMs: 100 })
  await until(({ reason }) => reason === 'start')
  heldTime = Date.now()
  const written = new Date(heldTime)
  put('a.txt', 'It begins')
  utimesSync(join(root, 'a.txt'), written, written)
  // as long as a write is not old
  for (let pass = 0; pass < 4; pass++) {
    appendFileSync(join(root, 'a.txt'), ' and goes on')
    utimesSync(join(root, 'a.txt'), written, written)
    await until(({ created }) => created === 0)
  }
  heldTime += 60_000
  await until(({ created }) => created === 1)
  const text = readFileSync(join(root, 'a.txt'), 'utf8')
  expect((await memory.document('a.txt'))?.text).toBe(text)
  expect(await memory.versions('a.txt')).toHaveLength(1)
})

test('a file that is written all the time is read all the same, after a while', async () => {
  const memory = bank()
  put('a.txt', 'It begins and goes on')
  const clock = { now: () => statSync(join(root, 'a.txt')).mtimeMs }
  const sweeper = await watchWithin(memory, { clock, putOffMs: 300 }, undefined, { pollMs: 100 })
  const seen: number[] = []
  for await (const { created } of sweeper.passes) {
    seen.push(created)
    if (created === 1 || seen.length === 1000) break
  }
  expect(seen[0]).toBe(0)
  expect(seen.at(-1)).toBe(1)
})

describe('one sweeper a folder', () => {
  test('held while it is watched, given up at the end; passes end then', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    const sweeper = await memory.sweep.watch(root)
    expect(await codeOf(memory.sweep(root))).toBe('FOLDER_BUSY')
    expect(await codeOf(memory.sweep.watch(root))).toBe('FOLDER_BUSY')
    expect((await memory.sweep.status())[0]?.holder).toContain(`process ${process.pid} `)
    await sweeper.stop()
    await sweeper.stop()
    for await (const pass of sweeper.passes) expect(pass.root).toBe(root)
    expect((await memory.sweep.status())[0]).toMatchObject({ holder: null, heldUntil: null })
    expect((await memory.sweep(root)).away).toBeNull()
  })

  test('a signal stops it, within a pass too; closing the memory does', async () => {
    for (let at = 0; at < 200; at++) put(`${at}.txt`, `Sheet ${at} of the pile.`)
    const stop = new AbortController()
    const memory = await createMemory({ inMemory: true, embedder: createFakeEmbedder() })
    const sweeper = await memory.sweep.watch(root, {
      signal: stop.signal,
      onProgress: ({ done }) => done > 3 && stop.abort(),
    })
    for await (const pass of sweeper.passes) expect(pass.error).toBeNull()
    await sweeper.stop()
    const kept = (await sources(memory)).length
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(200)
    const second = await memory.sweep.watch(root)
    await memory.close()
    for await (const pass of second.passes) expect(pass.error).toBeNull()
    expect(await codeOf(memory.sweep.watch(root))).toBe('CLOSED')
  })
})

test('what is wrong from the start is an error at once', async () => {
  const memory = bank()
  expect(await codeOf(memory.sweep.watch('/'))).toBe('INVALID_ARGUMENT')
  expect(await codeOf(memory.sweep.watch(join(root, 'none')))).toBe('NOT_FOUND')
  expect(await codeOf(memory.sweep.watch(root, { pollMs: 5 }))).toBe('INVALID_ARGUMENT')
  expect(await codeOf(memory.sweep.watch(root, { intervalMs: 1.5 }))).toBe('INVALID_ARGUMENT')
  expect(await codeOf(memory.sweep.watch(root, { poll: 5 } as never))).toBe('UNKNOWN_OPTION')
  expect(await memory.sweep.status()).toEqual([])
})
