import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { IndexProgress } from '../../src/index.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const { bank, embedder } = useTestMemory()

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'prolepsis-index-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
const sources = async (memory: ReturnType<typeof bank>) => (await memory.documents()).map((one) => one.source)

describe('index', () => {
  test('a folder and a file that one may not read are named and stop nothing', async () => {
    put('open/a.md', '# Apples\n\nApples are sweet.\n')
    put('open/secret.md', '# Secret\n')
    put('shut/b.md', '# Pears\n')
    const memory = bank()
    // Loads what is loaded at need: as nobody it might not be readable.
    await memory.index(join(root, 'shut'), { sourcePrefix: 'before/' })
    chmodSync(root, 0o755)
    chmodSync(join(root, 'open/secret.md'), 0)
    chmodSync(join(root, 'shut'), 0)
    const result = await withoutRootRights(() => memory.index(root))
    chmodSync(join(root, 'shut'), 0o700)
    expect((await sources(memory)).sort()).toEqual(['before/b.md', 'open/a.md'])
    expect(result.failed.map(({ path, code }) => [path, code]).sort()).toEqual([
      ['open/secret.md', 'UNREADABLE_FILE'],
      ['shut', 'UNREADABLE_FILE'],
    ])
  })

  test('keeps what the rules leave, tells what it skipped and why, and stops for nothing', async () => {
    put('a.md', '# Apples\n\nApples are sweet.\n')
    put('src/b.ts', 'export const pears = 1\n')
    put('.gitignore', 'dist\n')
    put('dist/out.js', 'ignored')
    put('picture.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]))
    put('latin.txt', new Uint8Array([0x63, 0x61, 0x66, 0xff, 0xfe, 0x20, 0xe9]))
    put('empty.txt', ' \n')
    put('big.txt', 'x'.repeat(2000))
    symlinkSync('loop', join(root, 'loop'))
    const memory = bank()
    const progress: IndexProgress[] = []
    const result = await memory.index(root, { maxBytes: 1000, onProgress: (one) => progress.push(one) })
    expect(await sources(memory)).toEqual(['a.md', 'src/b.ts'])
    expect(result).toMatchObject({ files: 5, created: 2, updated: 0, unchanged: 0, deleted: 0, hidden: 1 })
    expect(Object.fromEntries(result.skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      'big.txt': '2000 bytes, over the limit of 1000',
      'empty.txt': 'without text',
      loop: 'a link',
      'picture.png': expect.stringContaining('image'),
    })
    expect(result.failed).toEqual([{ path: 'latin.txt', code: 'INVALID_TEXT', reason: expect.any(String) }])
    expect(progress.at(-1)).toMatchObject({ done: 5, total: 5 })
    expect((await memory.recall('apples')).passages[0]?.source).toBe('a.md')
  })

  test('again: unchanged files cost nothing, changed ones are superseded, gone and emptied ones leave recall', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) put(`${name}.txt`, `This is the file ${name}.`)
    const memory = bank()
    await memory.index(root)
    const calls = embedder.calls.length
    expect(await memory.index(root)).toMatchObject({ files: 5, unchanged: 5, vectors: 0 })
    expect(embedder.calls.length).toBe(calls)
    put('b.txt', 'This is another text.')
    rmSync(join(root, 'c.txt'))
    put('d.txt', '')
    put('.gitignore', 'e.txt')
    expect(await memory.index(root)).toMatchObject({ created: 0, updated: 1, unchanged: 1, deleted: 3 })
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt'])
    expect((await memory.recall('file c')).passages.map((one) => one.source)).not.toContain('c.txt')
    expect((await memory.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
  })

  test('prunes only what it wrote from this folder', async () => {
    put('one/a.txt', 'Alpha stands here.')
    put('two/b.txt', 'Beta stands here.')
    const memory = bank()
    await memory.retain('By hand.', { source: 'hand.txt' })
    await memory.index(join(root, 'one'))
    expect(await memory.index(join(root, 'two'))).toMatchObject({ created: 1, deleted: 0 })
    expect(await sources(memory)).toEqual(['a.txt', 'b.txt', 'hand.txt'])
    rmSync(join(root, 'one', 'a.txt'))
    expect(await memory.index(join(root, 'one'), { prune: false })).toMatchObject({ deleted: 0 })
    expect(await memory.index(join(root, 'one'))).toMatchObject({ deleted: 1 })
    expect(await sources(memory)).toEqual(['b.txt', 'hand.txt'])
  })

  test('hidden files and folders are left out and counted, unless they are asked for', async () => {
    put('a.txt', 'Alpha stands here.')
    put('.env', 'SECRET=swordfish')
    put('.ssh/id_rsa', 'A key of Ada’s.')
    put('.ssh/config', 'Host lighthouse')
    put('.github/flow.yml', 'on: push')
    put('sub/.hidden/b.txt', 'Beta hides here.')
    const memory = bank()
    expect(await memory.index(root)).toMatchObject({ created: 1, hidden: 4, skipped: [], failed: [] })
    expect(await sources(memory)).toEqual(['a.txt'])
    // one by a rule, one by its own name, then all
    expect(await memory.index(root, { ignore: ['!.github/'] })).toMatchObject({ created: 1, hidden: 3 })
    expect(await memory.index(join(root, '.env'), { sourcePrefix: 'named/' })).toMatchObject({ created: 1 })
    expect(await memory.index(root, { hidden: true, ignore: ['.env'] })).toMatchObject({
      created: 3,
      hidden: 0,
    })
    expect(await codeOf(memory.index(root, { hidden: 1 as unknown as boolean }))).toBe('INVALID_ARGUMENT')
  })

  test('a source that another folder has is not taken over, unless it is to be', async () => {
    put('pa/README.md', 'This is the first project.')
    put('pb/README.md', 'This is the second project.')
    put('pb/only.md', 'Only here.')
    const memory = bank()
    await memory.index(join(root, 'pa'))
    for (let run = 0; run < 2; run++) {
      const second = await memory.index(join(root, 'pb'))
      expect(second.skipped).toEqual([
        { path: 'README.md', reason: expect.stringMatching(/another folder.*prefix.*adopt/) },
      ])
      expect(second).toMatchObject({ updated: 0, deleted: 0, failed: [] })
      expect(await memory.index(join(root, 'pa'))).toMatchObject({ unchanged: 1, skipped: [], deleted: 0 })
    }
    expect((await memory.document('README.md'))?.text).toContain('first')
    expect(await memory.index(join(root, 'pb'), { sourcePrefix: 'pb/' })).toMatchObject({
      created: 2,
      skipped: [],
    })
    expect(await memory.index(join(root, 'pb'), { adopt: true })).toMatchObject({
      updated: 1,
      unchanged: 1,
      skipped: [],
    })
    expect((await memory.document('README.md'))?.text).toContain('second')
    expect((await memory.index(join(root, 'pa'))).skipped).toHaveLength(1)
  })

  test('where nearly all is gone a mount may be missing: nothing is pruned, and it says so, unless forced', async () => {
    const fill = (count: number) => {
      for (let at = 0; at < count; at++) put(`sub/${at}.txt`, `This is file ${at}.`)
    }
    const memory = bank()
    fill(22)
    await memory.index(root)
    rmSync(join(root, 'sub'), { recursive: true })
    const kept = { deleted: 0, skipped: [{ path: '.', reason: expect.stringContaining('22 of the 22') }] }
    expect(await memory.index(root)).toMatchObject({ files: 0, ...kept })
    put('sub/0.txt', 'This is file 0.')
    put('other.txt', 'One file is not enough.')
    expect(await memory.index(root)).toMatchObject({
      ...{ files: 2, created: 1, deleted: 0 },
      skipped: [{ path: '.', reason: expect.stringContaining('21 of the 23') }],
    })
    expect((await memory.stats()).documents.current).toBe(23)
    expect(await memory.index(root, { prune: false })).toMatchObject({ deleted: 0, skipped: [] })
    expect(await memory.index(root, { prune: 'force' })).toMatchObject({ deleted: 21, skipped: [] })
    // up to nine tenths, or up to ten documents, go unasked
    fill(19)
    await memory.index(root)
    rmSync(join(root, 'sub'), { recursive: true })
    put('sub/0.txt', 'This is file 0.')
    expect(await memory.index(root)).toMatchObject({ deleted: 18, skipped: [] })
    rmSync(join(root, 'sub'), { recursive: true })
    rmSync(join(root, 'other.txt'))
    expect(await memory.index(root)).toMatchObject({ deleted: 2, skipped: [] })
    expect(await codeOf(memory.index(root, { prune: 'yes' as 'force' }))).toBe('INVALID_ARGUMENT')
  })

  test('a prefix, tags and metadata go to every document', async () => {
    put('a.txt', 'Alpha stands here.')
    const memory = bank()
    const options = { sourcePrefix: 'docs/', tags: ['t'], metadata: { k: 'v' }, trust: 'web' } as const
    await memory.index(root, options)
    const [document] = await memory.documents()
    expect(document).toMatchObject({ source: 'docs/a.txt', tags: ['t'], metadata: { k: 'v' }, trust: 'web' })
    expect(await memory.index(root, options)).toMatchObject({ unchanged: 1 })
    expect(await memory.index(root, { ...options, tags: ['u'] })).toMatchObject({ updated: 1, vectors: 0 })
  })

  test('one named file is indexed alone', async () => {
    put('a.txt', 'Alpha stands here.')
    put('b.txt', 'Beta stands here.')
    const memory = bank()
    await memory.index(root)
    rmSync(join(root, 'b.txt'))
    put('a.txt', 'Alpha stands there.')
    expect(await memory.index(join(root, 'a.txt'))).toMatchObject({ files: 1, updated: 1, deleted: 0 })
  })

  test('a run that was cancelled goes on where it ended', async () => {
    for (let at = 0; at < 200; at++) put(`${String(at).padStart(3, '0')}.txt`, `Sheet ${at} of the pile.`)
    const memory = bank()
    const stop = new AbortController()
    const onProgress = () => stop.abort()
    expect(await codeOf(memory.index(root, { onProgress, signal: stop.signal }))).toBe('CANCELLED')
    const kept = (await memory.stats()).documents.current
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(200)
    expect(await memory.index(root)).toMatchObject({ unchanged: kept, created: 200 - kept })
  })
})
