import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemory, type EngineEvent, type Memory } from '../../src/index.ts'
import { createFakeEmbedder, createFakeLanguageModel } from '../../src/testing.ts'
import { createDataFolder } from '../support/data-folder.ts'
import { storeOf } from '../support/store-of.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const events: EngineEvent[] = []
const used = useTestMemory({ onEvent: (event) => void events.push(event) })
const { bank, embedder, clock } = used

let root: string
beforeEach(() => {
  events.length = 0
  root = realpathSync(mkdtempSync(join(tmpdir(), 'prolepsis-sweep-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
const move = (from: string, to: string) => {
  mkdirSync(dirname(join(root, to)), { recursive: true })
  renameSync(join(root, from), join(root, to))
}
const sources = async (memory: Memory) => (await memory.documents({ limit: 1000 })).map((one) => one.source)
const embedded = () => embedder.calls.reduce((sum, call) => sum + call.texts.length, 0)
const sound = async (memory: Memory) =>
  expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])

describe('one look after the other', () => {
  test('adds and changes are retained; what is as it was is not read', async () => {
    const memory = bank()
    put('a.md', '# Apples\n\nApples are sweet.\n')
    put('sub/b.txt', 'Pears are soft.')
    expect(await memory.sweep(root)).toMatchObject({
      ...{ root, reason: 'call', files: 2, read: 2, created: 2, updated: 0, unchanged: 0 },
      ...{ moved: [], missing: [], deleted: [], failed: [], away: null, error: null },
    })
    const before = embedded()
    expect(await memory.sweep(root)).toMatchObject({ files: 2, read: 0, unchanged: 2, vectors: 0 })
    put('sub/b.txt', 'Pears are hard.')
    put('c.txt', 'Cherries are red.')
    // touched, the same
    utimesSync(join(root, 'a.md'), 1, 1)
    expect(await memory.sweep(root)).toMatchObject({ read: 3, created: 1, updated: 1, unchanged: 1 })
    expect(embedded()).toBeGreaterThan(before)
    expect(await memory.sweep(root)).toMatchObject({ read: 0, unchanged: 3 })
    expect((await memory.document('sub/b.txt'))?.document.version).toBe(2)
    expect(await sources(memory)).toEqual(['a.md', 'c.txt', 'sub/b.txt'])
    expect(events.filter((event) => event.type === 'sweep-end')).toHaveLength(4)
    await sound(memory)
  })

  test('a file that is missing twice is deleted; one that comes back has lost nothing', async () => {
    const memory = bank()
    for (const name of ['a', 'b', 'c']) put(`${name}.txt`, `This is the file ${name}.`)
    await memory.sweep(root)
    const text = readFileSync(join(root, 'b.txt'))
    rmSync(join(root, 'a.txt'))
    rmSync(join(root, 'b.txt'))
    expect(await memory.sweep(root)).toMatchObject({ missing: ['a.txt', 'b.txt'], deleted: [] })
    expect(await sources(memory)).toHaveLength(3)
    put('b.txt', text)
    expect(await memory.sweep(root)).toMatchObject({ missing: [], deleted: ['a.txt'], unchanged: 2 })
    expect(await sources(memory)).toEqual(['b.txt', 'c.txt'])
    expect((await memory.document('b.txt'))?.document.version).toBe(1)
    expect((await memory.versions('a.txt')).map((one) => one.state)).toEqual(['deleted'])
    expect((await memory.sweep(root)).deleted).toEqual([])
    // missing, back, missing: that is once
    rmSync(join(root, 'b.txt'))
    expect((await memory.sweep(root)).missing).toEqual(['b.txt'])
    put('b.txt', text)
    await memory.sweep(root)
    rmSync(join(root, 'b.txt'))
    expect(await memory.sweep(root)).toMatchObject({ missing: ['b.txt'], deleted: [] })
    await sound(memory)
  })

  test('an emptied file is as good as gone; with a text again it is back', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    put('never.txt', ' ')
    await memory.sweep(root)
    put('a.txt', '')
    expect(await memory.sweep(root)).toMatchObject({ missing: ['a.txt'], deleted: [] })
    expect(await memory.sweep(root)).toMatchObject({ missing: [], deleted: ['a.txt'], read: 0 })
    expect(await memory.sweep(root)).toMatchObject({ missing: [], deleted: [] })
    put('a.txt', 'Alpha stands here.')
    expect(await memory.sweep(root)).toMatchObject({ created: 1 })
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt'])
  })

  test('labels that change are given to all', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    await memory.sweep(root, { sourcePrefix: 'docs/', tags: ['x'] })
    expect(await memory.sweep(root, { sourcePrefix: 'docs/', tags: ['y'] })).toMatchObject({
      ...{ read: 1, updated: 1, vectors: 0 },
    })
    expect((await memory.documents())[0]).toMatchObject({ source: 'docs/a.txt', tags: ['y'] })
    expect(await memory.sweep(root, { sourcePrefix: 'docs/', tags: ['y'] })).toMatchObject({ read: 0 })
  })

  test('labels are given to a file later that could not be read meanwhile', async () => {
    const memory = bank()
    chmodSync(root, 0o755)
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    await memory.sweep(root, { tags: ['x'] })
    chmodSync(join(root, 'b.txt'), 0)
    expect(await withoutRootRights(() => memory.sweep(root, { tags: ['y'] }))).toMatchObject({
      failed: [{ path: 'b.txt' }],
    })
    chmodSync(join(root, 'b.txt'), 0o644)
    expect(await memory.sweep(root, { tags: ['y'] })).toMatchObject({ read: 2, updated: 1, unchanged: 1 })
    expect((await memory.documents()).map(({ tags }) => tags)).toEqual([['y'], ['y']])
    expect(await memory.sweep(root, { tags: ['y'] })).toMatchObject({ read: 0 })
  })

  test('a file that an ignore rule leaves out from now on is as good as gone', async () => {
    const memory = bank()
    for (const name of ['a', 'b', 'c']) put(`${name}.txt`, `This is the file ${name}.`)
    await memory.sweep(root)
    put('.gitignore', 'b.txt\n')
    expect(await memory.sweep(root)).toMatchObject({ files: 2, missing: ['b.txt'] })
    expect(await memory.sweep(root)).toMatchObject({ deleted: ['b.txt'] })
  })

  test('what editors leave behind never becomes a document; an atomic save is one change', async () => {
    const memory = bank()
    put('a.txt', 'The first edition.')
    for (const name of [
      '.a.txt.swp',
      'a.txt~',
      '#a.txt#',
      '.#a.txt',
      '4913',
      'a.tmp',
      'a.crdownload',
      '~$a.docx',
      'a.part',
    ])
      put(name, 'A text that is only passing.')
    expect(await memory.sweep(root, { hidden: true })).toMatchObject({ files: 1, created: 1 })
    // written beside and put in its place: another inode
    put('a.txt.tmp', 'The second edition.')
    renameSync(join(root, 'a.txt.tmp'), join(root, 'a.txt'))
    expect(await memory.sweep(root, { hidden: true })).toMatchObject({
      ...{ created: 0, updated: 1, moved: [], missing: [], deleted: [] },
    })
    // as vim does: the old one aside, the new one in its place
    renameSync(join(root, 'a.txt'), join(root, 'a.txt~'))
    put('a.txt', 'The third edition.')
    expect(await memory.sweep(root, { hidden: true })).toMatchObject({ created: 0, updated: 1, moved: [] })
    expect((await memory.versions('a.txt')).map((one) => one.version)).toEqual([3, 2, 1])
    expect(await sources(memory)).toEqual(['a.txt'])
  })

  test('one file’s error stops nothing, and is tried again; a binary one is not read again', async () => {
    const memory = bank()
    put('open/a.md', '# Apples\n\nApples are sweet.\n')
    put('open/secret.md', '# Secret\n')
    put('open/picture.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]))
    put('open/latin.txt', new Uint8Array([0x63, 0x61, 0x66, 0xff, 0xfe, 0x20, 0xe9]))
    put('open/big.txt', 'x'.repeat(2000))
    put('shut/b.md', '# Pears\n')
    // loads what is loaded at need: as nobody it might not be readable
    await memory.sweep(join(root, 'shut'), { sourcePrefix: 'before/' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'open/secret.md'), 0)
    chmodSync(join(root, 'shut'), 0)
    const first = await withoutRootRights(() => memory.sweep(root, { maxBytes: 1000 }))
    expect(first.failed.map(({ path, code }) => [path, code]).sort()).toEqual([
      ['open/latin.txt', 'INVALID_TEXT'],
      ['open/secret.md', 'UNREADABLE_FILE'],
      ['shut', 'UNREADABLE_FILE'],
    ])
    expect(first.skipped.map(({ path }) => path).sort()).toEqual(['open/big.txt', 'open/picture.png'])
    expect(first.created).toBe(1)
    chmodSync(join(root, 'open/secret.md'), 0o644)
    chmodSync(join(root, 'shut'), 0o755)
    const second = await memory.sweep(root, { maxBytes: 1000 })
    expect(second).toMatchObject({
      read: 2,
      created: 2,
      failed: [{ path: 'open/latin.txt', code: 'INVALID_TEXT' }],
    })
    expect(second.skipped.map(({ path }) => path).sort()).toEqual(['open/big.txt', 'open/picture.png'])
    // of a folder that is closed nothing is concluded
    chmodSync(join(root, 'shut'), 0)
    for (let pass = 0; pass < 3; pass++)
      expect(await withoutRootRights(() => memory.sweep(root))).toMatchObject({ missing: [], deleted: [] })
    chmodSync(join(root, 'shut'), 0o755)
    expect((await sources(memory)).sort()).toEqual([
      'before/b.md',
      'open/a.md',
      'open/big.txt',
      'open/secret.md',
      'shut/b.md',
    ])
  })
})

describe('renames', () => {
  test('a folder of 200 files gets another name: nothing is embedded, versions and receipts go along', async () => {
    const memory = bank()
    for (let at = 0; at < 200; at++) {
      const text = `Sheet ${at} of the pile speaks of ${at * 7}.`
      put(
        `old/${at}.${at % 2 === 0 ? 'md' : 'ts'}`,
        at % 2 === 0 ? text : `export const sheet${at} = '${text}'\n`,
      )
    }
    await memory.sweep(root)
    put('old/0.md', 'Sheet 0 was written anew.')
    await memory.sweep(root)
    const { receipt, passages } = await memory.recall('sheet 8 of the pile', { limit: 1 })
    const before = embedder.calls.length
    move('old', 'new/deep')
    const pass = await memory.sweep(root)
    expect(pass).toMatchObject({ created: 0, updated: 0, missing: [], deleted: [], failed: [], vectors: 0 })
    expect(pass.moved).toHaveLength(200)
    expect(embedder.calls.length).toBe(before)
    expect((await sources(memory)).every((source) => source.startsWith('new/deep/'))).toBe(true)
    expect((await memory.versions('new/deep/0.md')).map((one) => one.version)).toEqual([2, 1])
    expect(await memory.versions('old/0.md')).toEqual([])
    const again = await memory.recall('sheet 8 of the pile', { limit: 1, receipt: false })
    expect(again.passages[0]).toMatchObject({
      source: passages[0]!.source.replace('old/', 'new/deep/'),
      text: passages[0]!.text,
    })
    await memory.feedback(receipt!, { used: [again.passages[0]!.ref] })
    expect(await memory.sweep(root)).toMatchObject({ read: 0, unchanged: 200 })
    // and back
    move('new/deep', 'old')
    expect((await memory.sweep(root)).moved).toHaveLength(200)
    expect(embedder.calls.length).toBe(before + 1)
    await sound(memory)
  })

  test('of files of one content each goes where it went; another extension is another text', async () => {
    const memory = bank()
    put('a/one.txt', 'The same text.')
    put('b/two.txt', 'The same text.')
    put('Makefile', 'all:\n\techo built\n')
    put('notes.txt', '# Notes\n\n* one\n* two\n')
    await memory.sweep(root)
    move('a/one.txt', 'c/one.txt')
    move('b/two.txt', 'c/two.txt')
    move('Makefile', 'recipe')
    move('notes.txt', 'notes.md')
    const pass = await memory.sweep(root)
    expect(pass.moved).toEqual([
      { from: 'a/one.txt', to: 'c/one.txt' },
      { from: 'b/two.txt', to: 'c/two.txt' },
    ])
    expect(pass).toMatchObject({ created: 2, missing: ['Makefile', 'notes.txt'] })
    expect((await memory.document('notes.md'))?.document.format).toBe('markdown')
    expect((await memory.sweep(root)).deleted).toEqual(['Makefile', 'notes.txt'])
    await sound(memory)
  })

  test('a new place that has a history of its own is an ordinary change', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    await memory.sweep(root)
    // over another
    move('a.txt', 'b.txt')
    expect(await memory.sweep(root)).toMatchObject({ updated: 1, moved: [], missing: ['a.txt'] })
    await memory.sweep(root)
    // where one was deleted
    move('b.txt', 'a.txt')
    expect(await memory.sweep(root)).toMatchObject({ created: 1, moved: [], missing: ['b.txt'] })
    await memory.sweep(root)
    expect(await sources(memory)).toEqual(['a.txt'])
    // moved and written at once
    move('a.txt', 'z.txt')
    put('z.txt', 'Another text.')
    expect(await memory.sweep(root)).toMatchObject({ created: 1, moved: [], missing: ['a.txt'] })
    await sound(memory)
  })

  test('a document that was retained by hand is neither moved nor deleted', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    await memory.sweep(root)
    await memory.retain('Alpha stands here.', { source: 'a.txt', metadata: { by: 'hand' } })
    move('a.txt', 'c.txt')
    expect(await memory.sweep(root)).toMatchObject({ moved: [], created: 1, missing: ['a.txt'] })
    expect(await memory.sweep(root)).toMatchObject({ deleted: [] })
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })
})

describe('beside index', () => {
  test('an indexed folder is taken over with its vectors, and what was gone by then leaves in two passes', async () => {
    const memory = bank()
    for (const name of ['a', 'b', 'c']) put(`${name}.txt`, `This is the file ${name}.`)
    await memory.index(root)
    rmSync(join(root, 'a.txt'))
    move('b.txt', 'moved/b.txt')
    const before = embedder.calls.length
    expect(await memory.sweep(root)).toMatchObject({
      ...{ created: 0, unchanged: 1, missing: ['a.txt'], moved: [{ from: 'b.txt', to: 'moved/b.txt' }] },
    })
    expect((await memory.sweep(root)).deleted).toEqual(['a.txt'])
    expect(embedder.calls.length).toBe(before)
    expect(await memory.index(root)).toMatchObject({ files: 2, unchanged: 2, deleted: 0 })
    put('d.txt', 'This is the file d.')
    await memory.index(root)
    rmSync(join(root, 'd.txt'))
    expect((await memory.sweep(root)).missing).toEqual(['d.txt'])
    expect(await memory.index(root)).toMatchObject({ deleted: 1 })
    expect(await memory.sweep(root)).toMatchObject({ deleted: [], missing: [] })
  })

  test('two folders under one prefix, or with the same names, leave each other’s documents alone', async () => {
    const memory = bank()
    put('one/a.txt', 'Alpha stands here.')
    put('two/b.txt', 'Beta stands here.')
    put('two/a.txt', 'Another alpha.')
    for (let round = 0; round < 3; round++) {
      await memory.sweep(join(root, 'one'), { sourcePrefix: 'p/' })
      expect(
        (await memory.sweep(join(root, 'two'), { sourcePrefix: 'p/', ignore: ['a.txt'] })).deleted,
      ).toEqual([])
      await memory.sweep(join(root, 'one'))
      expect((await memory.sweep(join(root, 'two'))).skipped).toEqual([
        { path: 'a.txt', reason: expect.stringContaining('another folder') },
      ])
    }
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt', 'p/a.txt', 'p/b.txt'])
  })
})

describe('a folder that went away', () => {
  const fill = (count: number) => {
    for (let at = 0; at < count; at++) put(`sub/${at}.txt`, `This is file ${at}.`)
  }

  test('vanished: nothing is deleted, and it says so; back again, all is as it was', async () => {
    const memory = bank()
    fill(3)
    await memory.sweep(root)
    renameSync(root, `${root}-away`)
    for (let pass = 0; pass < 3; pass++)
      expect(await memory.sweep(root)).toMatchObject({
        ...{ files: 0, missing: [], deleted: [], away: expect.stringContaining('not there') },
      })
    expect(await sources(memory)).toHaveLength(3)
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'SWEEP_AWAY' }))
    expect((await memory.sweep.status())[0]).toMatchObject({
      ...{
        root,
        files: 3,
        missing: 0,
        passes: 4,
        lastError: expect.stringContaining('not there'),
        holder: null,
      },
    })
    renameSync(`${root}-away`, root)
    expect(await memory.sweep(root)).toMatchObject({ read: 0, unchanged: 3, away: null })
    expect((await memory.sweep.status())[0]).toMatchObject({ lastError: null })
  })

  test('emptied at once, or nearly: nothing is deleted unless it is forced, and then by two passes', async () => {
    const memory = bank()
    fill(3)
    await memory.sweep(root)
    rmSync(join(root, 'sub'), { recursive: true })
    for (let pass = 0; pass < 3; pass++)
      expect(await memory.sweep(root)).toMatchObject({
        missing: [],
        deleted: [],
        away: expect.stringContaining('all 3'),
      })
    fill(22)
    await memory.sweep(root)
    rmSync(join(root, 'sub'), { recursive: true })
    fill(1)
    for (let pass = 0; pass < 2; pass++)
      expect(await memory.sweep(root)).toMatchObject({
        deleted: [],
        away: expect.stringContaining('21 of 22'),
      })
    expect(await memory.sweep(root, { prune: false })).toMatchObject({ deleted: [], missing: [], away: null })
    expect((await memory.sweep(root, { prune: 'force' })).missing).toHaveLength(21)
    expect((await memory.sweep(root, { prune: 'force' })).deleted).toHaveLength(21)
  })

  test('on another file system than before, with other files: nothing is retained or deleted', async () => {
    const memory = bank()
    fill(4)
    await memory.sweep(root)
    const otherDevice = async () => {
      const { database, bankId } = await storeOf(memory)
      await database.execute(`update sweep_roots set device = '0' where bank_id = $1`, [bankId])
    }
    rmSync(join(root, 'sub/0.txt'))
    await otherDevice()
    // the same files: the number of a device changes with a restart
    expect(await memory.sweep(root)).toMatchObject({ away: null, missing: ['sub/0.txt'] })
    fill(4)
    await memory.sweep(root)
    for (const at of [0, 1, 2]) rmSync(join(root, `sub/${at}.txt`))
    put('lost+found.txt', 'What lies under a mount.')
    await otherDevice()
    for (let pass = 0; pass < 2; pass++)
      expect(await memory.sweep(root)).toMatchObject({
        ...{ created: 0, missing: [], deleted: [], away: expect.stringContaining('another file system') },
      })
    expect(await sources(memory)).toHaveLength(4)
    // who knows that it is the folder says so
    expect(await memory.sweep(root, { prune: 'force' })).toMatchObject({
      ...{ created: 1, away: null, missing: ['sub/0.txt', 'sub/1.txt', 'sub/2.txt'] },
    })
    expect((await memory.sweep(root, { prune: 'force' })).deleted).toHaveLength(3)
    expect(await memory.sweep(root)).toMatchObject({ away: null, unchanged: 2 })
  })
})

describe('one sweeper a folder', () => {
  test('another one is told who holds it and until when; a claim runs out', async () => {
    const memory = bank()
    put('a.txt', 'Alpha stands here.')
    await memory.sweep(root)
    const { database, bankId } = await storeOf(memory)
    const until = new Date(clock.time + 60_000)
    await database.execute('update sweep_roots set holder = $2, held_until = $3 where bank_id = $1', [
      bankId,
      'process 1 on elsewhere (x)',
      until,
    ])
    const busy = await memory.sweep(root).catch((error: unknown) => error)
    expect(busy).toMatchObject({
      code: 'FOLDER_BUSY',
      message: expect.stringContaining(`process 1 on elsewhere (x), until ${until.toISOString()}`),
    })
    // under another prefix its documents are others
    expect(await memory.sweep(root, { sourcePrefix: 'p/' })).toMatchObject({ created: 1 })
    clock.time += 60_000
    expect(await memory.sweep(root)).toMatchObject({ unchanged: 1 })
    expect((await memory.sweep.status()).map(({ holder }) => holder)).toEqual([null, null])
  })

  test('two at once on one store: one sweeps, the other is refused, nothing is doubled', async () => {
    const memory = bank()
    for (let at = 0; at < 20; at++) put(`${at}.txt`, `This is file ${at}.`)
    const passes = await Promise.allSettled([memory.sweep(root), memory.sweep(root)])
    expect(passes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(passes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'FOLDER_BUSY' },
    })
    expect(await sources(memory)).toHaveLength(20)
    expect(await memory.sweep(root)).toMatchObject({ unchanged: 20, read: 0 })
  })

  test('a pass that was cancelled goes on where it ended, and has given up the folder', async () => {
    const memory = bank()
    for (let at = 0; at < 300; at++) put(`${String(at).padStart(3, '0')}.txt`, `Sheet ${at} of the pile.`)
    const stop = new AbortController()
    const onProgress = () => stop.abort()
    expect(await codeOf(memory.sweep(root, { onProgress, signal: stop.signal }))).toBe('CANCELLED')
    const kept = (await sources(memory)).length
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(300)
    const pass = await memory.sweep(root)
    expect(pass).toMatchObject({ created: 300 - kept, missing: [] })
    // what was noted is not read again
    expect(pass.read).toBeLessThan(300)
    expect((await memory.sweep.status())[0]).toMatchObject({ files: 300, passes: 2 })
  })
})

test('what may not be swept is refused, and nothing is changed', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  for (const path of [
    '/',
    homedir(),
    dirname(homedir()),
    '/proc/self',
    '/sys',
    '/dev',
    '/etc',
    join(root, 'a.txt'),
    '',
    7 as never,
  ])
    expect([path, await codeOf(memory.sweep(path))]).toEqual([path, 'INVALID_ARGUMENT'])
  expect(await codeOf(memory.sweep(join(root, 'none')))).toBe('NOT_FOUND')
  expect(await codeOf(memory.sweep(root, { prefix: 'x' } as never))).toBe('UNKNOWN_OPTION')
  expect(await codeOf(memory.sweep(root, { sourcePrefix: 'x'.repeat(3000) }))).toBe('INVALID_ARGUMENT')
  await memory.retain('Something.', { source: 'x' })
  expect(await memory.sweep.status()).toEqual([])
})

test('with a language model: jobs of what is new alone; a rename asks it for nothing, and is in nobody’s way', async () => {
  const model = createFakeLanguageModel()
  const memory = await createMemory({ inMemory: true, embedder: createFakeEmbedder(), model })
  try {
    for (let at = 0; at < 5; at++) put(`old/${at}.md`, `# Sheet ${at}\n\nIt speaks of ${at * 7} herons.\n`)
    const first = await memory.sweep(root, { await: 'enriched' })
    expect(first).toMatchObject({ created: 5, jobs: 5, enrichment: { state: 'done', jobs: 5 } })
    const calls = model.calls.length
    expect(calls).toBeGreaterThan(0)
    move('old', 'new')
    expect(await memory.sweep(root, { await: 'enriched' })).toMatchObject({
      created: 0,
      updated: 0,
      jobs: 0,
      vectors: 0,
    })
    expect(await sources(memory)).toEqual([0, 1, 2, 3, 4].map((at) => `new/${at}.md`))
    expect(model.calls.length).toBe(calls)
    expect(await memory.sweep(root)).toMatchObject({ read: 0, jobs: 0 })
    // one whose job is still in line is moved all the same
    put('new/5.md', '# Sheet 5\n\nIt speaks of 35 herons.\n')
    expect((await memory.sweep(root)).jobs).toBe(1)
    move('new/5.md', 'new/6.md')
    expect((await memory.sweep(root, { await: 'enriched' })).moved).toHaveLength(1)
    await memory.jobs.wait()
    expect((await memory.jobs.list({ limit: 1 }))[0]).toMatchObject({ state: 'done', source: 'new/6.md' })
    await sound(memory)
  } finally {
    await memory.close()
  }
})

test('what was removed or forgotten by hand stays so until its file changes: a touch and other labels change nothing', async () => {
  const memory = bank()
  for (const name of ['a', 'b', 'c']) put(`${name}.txt`, `This is the file ${name}.`)
  await memory.sweep(root)
  await memory.forget({ source: 'a.txt' })
  await memory.remove('b.txt')
  for (const name of ['a', 'b']) utimesSync(join(root, `${name}.txt`), 1000, 1000)
  expect(await memory.sweep(root)).toMatchObject({ read: 0, created: 0, unchanged: 3 })
  expect(await memory.sweep(root, { tags: ['later'] })).toMatchObject({ created: 0, updated: 1 })
  expect(await sources(memory)).toEqual(['c.txt'])
  put('a.txt', 'This is the file a, written anew.')
  put('b.txt', 'This is the file b, written anew.')
  expect(await memory.sweep(root, { tags: ['later'] })).toMatchObject({ created: 2 })
  // what index took away was not taken away by hand: it comes back with its file
  rmSync(join(root, 'c.txt'))
  expect(await memory.index(root)).toMatchObject({ deleted: 1 })
  put('c.txt', 'This is the file c.')
  expect(await memory.sweep(root)).toMatchObject({ created: 1 })
  expect(await sources(memory)).toEqual(['a.txt', 'b.txt', 'c.txt'])
  await sound(memory)
})

test('a clock that was put back keeps no file from leaving', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  put('b.txt', 'Beta stands here.')
  await memory.sweep(root)
  rmSync(join(root, 'b.txt'))
  expect((await memory.sweep(root)).missing).toEqual(['b.txt'])
  clock.time -= 3_600_000
  expect((await memory.sweep(root)).deleted).toEqual(['b.txt'])
  clock.time += 3_600_000
})

test('after everything was forgotten, a sweep begins anew', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  await memory.sweep(root)
  await memory.forget({ all: true })
  expect(await memory.sweep.status()).toEqual([])
  expect(await memory.sweep(root)).toMatchObject({ created: 1 })
})

test('the store’s own folder is left out of a folder that holds it, and is not swept itself; state survives a restart', async () => {
  const folder = await createDataFolder()
  const around = dirname(folder.path)
  writeFileSync(join(around, 'a.txt'), 'Alpha stands here.')
  try {
    const options = { dataDir: folder.path, embedder: createFakeEmbedder() }
    let memory = await createMemory(options)
    expect(await memory.sweep(around, { hidden: true })).toMatchObject({ files: 1, created: 1, failed: [] })
    expect(await codeOf(memory.sweep(folder.path))).toBe('INVALID_ARGUMENT')
    await memory.close()
    memory = await createMemory(options)
    expect(await memory.sweep(around, { hidden: true })).toMatchObject({ files: 1, read: 0, unchanged: 1 })
    await memory.close()
  } finally {
    await folder.remove()
  }
})

test('the trace tells of a pass, joined with the texts that came of it', async () => {
  const memory = bank()
  put('a.txt', 'Alpha stands here.')
  put('b.txt', new Uint8Array([0x63, 0x61, 0x66, 0xff, 0xfe, 0x20, 0xe9]))
  const { traceId } = await memory.sweep(root)
  const exchange = await memory.events.trace(traceId!)
  expect(exchange?.events.map((event) => event.type).sort()).toEqual(['retain', 'retain', 'sweep'])
  expect(exchange?.events.find((event) => event.type === 'sweep')).toMatchObject({
    ...{ root, seen: 2, created: 1, updated: 0, moved: 0, deleted: 0, errorCode: null },
    failed: [{ path: 'b.txt', code: 'INVALID_TEXT' }],
  })
})

test('whatever was done to a folder, two looks later its documents are its files', async () => {
  const name = fc.constantFrom('a.txt', 'b.md', 'c.ts', 'sub/a.txt', 'sub/d.md', 'sub/deep/e.txt')
  const text = fc.constantFrom(
    'Alpha stands here.',
    '# Beta\n\nIt stands there.\n',
    'export const gamma = 3\n',
    '',
  )
  const step = fc.oneof(
    fc.record({ do: fc.constant('write' as const), name, text }),
    fc.record({ do: fc.constant('remove' as const), name }),
    fc.record({ do: fc.constant('move' as const), name, to: name }),
    fc.record({ do: fc.constant('touch' as const), name }),
    fc.record({ do: fc.constant('sweep' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const folder = join(root, 'at')
      rmSync(folder, { recursive: true, force: true })
      const at = (path: string) => join(folder, path)
      mkdirSync(at('sub/deep'), { recursive: true })
      // one that stays: an emptied folder deletes nothing
      writeFileSync(at('stays.txt'), 'This one stays.')
      const memory = bank()
      const files = new Map([['stays.txt', 'This one stays.']])
      for (const one of steps) {
        if (one.do === 'write') {
          writeFileSync(at(one.name), one.text)
          files.set(one.name, one.text)
        } else if (one.do === 'sweep') await memory.sweep(folder)
        else if (!files.has(one.name)) continue
        else if (one.do === 'touch') utimesSync(at(one.name), 1, 1)
        else if (one.do === 'remove') {
          rmSync(at(one.name))
          files.delete(one.name)
        } else if (one.to !== one.name) {
          renameSync(at(one.name), at(one.to))
          files.set(one.to, files.get(one.name)!)
          files.delete(one.name)
        }
      }
      await memory.sweep(folder)
      await memory.sweep(folder)
      const documents = new Map<string, string>()
      for (const source of await sources(memory)) documents.set(source, (await memory.document(source))!.text)
      expect(documents).toEqual(new Map([...files].filter(([, content]) => content !== '').sort()))
      expect(await memory.sweep(folder)).toMatchObject({
        read: 0,
        created: 0,
        updated: 0,
        missing: [],
        deleted: [],
      })
    }),
    { numRuns: 25 },
  )
}, 240_000)
