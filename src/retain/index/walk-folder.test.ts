import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readStableFile } from './read-file.ts'
import { type WalkOptions, walkFolder } from './walk-folder.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'prolepsis-walk-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const put = (path: string, text = 'text') => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const walk = (options: Partial<WalkOptions> = {}, path = root) =>
  walkFolder(path, {
    gitignore: true,
    ignore: [],
    maxBytes: 1000,
    hidden: true,
    followLinks: false,
    exclude: [],
    ...options,
  })
const names = async (options: Partial<WalkOptions> = {}) =>
  (await walk(options)).files.map((file) => file.relative)

describe('ignore rules', () => {
  test('nested .gitignore files hold below their folder, deeper ones win, defaults hold everywhere', async () => {
    put('.gitignore', '*.log\n/build/\n')
    put('a.log')
    put('build/x.js')
    put('sub/build/y.js')
    put('sub/.gitignore', '!keep.log\nsecret.txt')
    put('sub/keep.log')
    put('sub/secret.txt')
    put('secret.txt')
    put('node_modules/m/index.js')
    put('sub/node_modules/m/index.js')
    put('.git/config')
    put('.prolepsis/data')
    expect(await names()).toEqual([
      '.gitignore',
      'secret.txt',
      'sub/.gitignore',
      'sub/build/y.js',
      'sub/keep.log',
    ])
  })

  test('.prolepsisignore has the last word over .gitignore, the caller over both', async () => {
    put('.gitignore', 'notes/\n*.bak')
    put('.prolepsisignore', '!notes/\n*.md')
    put('notes/a.txt')
    put('b.md')
    put('c.bak')
    expect(await names({ ignore: ['.*ignore'] })).toEqual(['notes/a.txt'])
    expect(await names({ ignore: ['.*ignore', '!c.bak'] })).toEqual(['c.bak', 'notes/a.txt'])
    expect(await names({ ignore: ['.*ignore'], gitignore: false })).toEqual(['b.md', 'c.bak', 'notes/a.txt'])
  })

  test('rules of the repository above the folder count, those outside of it do not', async () => {
    put('.gitignore', '*.txt')
    put('repo/.git/HEAD')
    put('repo/.gitignore', '*.log')
    put('repo/deep/a.log')
    put('repo/deep/b.txt')
    const found = await walk({}, join(root, 'repo', 'deep'))
    expect(found.files.map((file) => file.relative)).toEqual(['b.txt'])
  })

  test('what editors and browsers keep beside a file is left out, unless a rule wants it', async () => {
    for (const name of [
      'a.txt',
      'a.txt~',
      '#a.txt#',
      '.#a.txt',
      '.a.txt.swp',
      '4913',
      '~$a.docx',
      'b.tmp',
      'b.part',
    ])
      put(name)
    expect(await names()).toEqual(['a.txt'])
    expect(await names({ ignore: ['!b.tmp'] })).toEqual(['a.txt', 'b.tmp'])
  })
})

describe('what cannot be read', () => {
  test('large files and links are skipped by name, the excluded folder is not entered', async () => {
    put('big.txt', 'x'.repeat(1001))
    put('ok.txt')
    put('store/db')
    symlinkSync(join(root, 'ok.txt'), join(root, 'link.txt'))
    const found = await walk({ exclude: [join(root, 'store')] })
    expect(found.files.map((file) => file.relative)).toEqual(['ok.txt'])
    expect(found.skipped).toEqual([
      { path: 'big.txt', reason: '1001 bytes, over the limit of 1000' },
      { path: 'link.txt', reason: 'a link' },
    ])
  })

  test('followed links end at folders walked already, at loops and at nothing', async () => {
    put('real/a.txt')
    symlinkSync(root, join(root, 'real', 'up'))
    symlinkSync(join(root, 'loop2'), join(root, 'loop1'))
    symlinkSync(join(root, 'loop1'), join(root, 'loop2'))
    symlinkSync(join(root, 'nowhere'), join(root, 'dangling'))
    const found = await walk({ followLinks: true })
    expect(found.files.map((file) => file.relative)).toEqual(['real/a.txt'])
    expect(found.skipped).toEqual([{ path: 'real/up', reason: 'a folder that is walked already' }])
    expect(found.unreadable.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
      'dangling: vanished, or a link to nothing',
      'loop1: a loop of links',
      'loop2: a loop of links',
    ])
  })

  test('a folder that several links lead to is walked once, the excluded one by no link', async () => {
    const inside = join(root, 'inside')
    put('inside/z/own.txt')
    put('outside/deep/far.txt')
    put('outside/store/db')
    put('inside/a/b.txt')
    symlinkSync(join(inside, 'z'), join(inside, 'a', 'link'))
    symlinkSync(join(root, 'outside'), join(inside, 'out'))
    symlinkSync(join(root, 'outside', 'deep'), join(inside, 'out-again'))
    symlinkSync(join(root, 'outside'), join(root, 'outside', 'deep', 'round'))
    symlinkSync(join(root, 'outside', 'store'), join(inside, 'store'))
    const found = await walk({ followLinks: true, exclude: [join(root, 'outside', 'store')] }, inside)
    expect(found.files.map((file) => file.relative)).toEqual(['a/b.txt', 'out/deep/far.txt', 'z/own.txt'])
    expect(found.skipped.map(({ path }) => path).sort()).toEqual(['a/link', 'out-again', 'out/deep/round'])
  })

  test.skipIf(process.getuid?.() === 0)('a closed folder is named and stops nothing', async () => {
    put('open/a.txt')
    put('shut/b.txt')
    chmodSync(join(root, 'shut'), 0)
    const found = await walk()
    chmodSync(join(root, 'shut'), 0o700)
    expect(found.files.map((file) => file.relative)).toEqual(['open/a.txt'])
    expect(found.unreadable).toEqual([{ path: 'shut', code: 'UNREADABLE_FILE', reason: 'permission denied' }])
  })

  test('a missing path and a loop are errors with a code', async () => {
    symlinkSync(join(root, 'b'), join(root, 'a'))
    symlinkSync(join(root, 'a'), join(root, 'b'))
    await expect(walk({}, join(root, 'none'))).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(walk({}, join(root, 'a'))).rejects.toMatchObject({ code: 'UNREADABLE_FILE' })
  })

  test('an ignore file that is a loop of links says nothing', async () => {
    put('a.txt')
    symlinkSync('.gitignore', join(root, '.gitignore'))
    expect(await names()).toEqual(['a.txt'])
  })

  test('a fired signal cancels', async () => {
    put('a.txt')
    await expect(walk({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

test('one named file is found alone and proves nothing about its folder', async () => {
  put('a.txt')
  put('b.txt')
  const found = await walk({}, join(root, 'a.txt'))
  expect(found.files.map((file) => file.relative)).toEqual(['a.txt'])
  expect(found.complete).toBe(false)
})

test('a file is read whole; a missing or a grown one is an error with a code', async () => {
  put('a.txt', 'hello')
  expect(new TextDecoder().decode(await readStableFile(join(root, 'a.txt'), 10))).toBe('hello')
  await expect(readStableFile(join(root, 'a.txt'), 4)).rejects.toMatchObject({ code: 'TEXT_TOO_LARGE' })
  await expect(readStableFile(join(root, 'b.txt'), 4)).rejects.toMatchObject({ code: 'UNREADABLE_FILE' })
  await expect(readStableFile(root, 100_000)).rejects.toMatchObject({ code: 'UNREADABLE_FILE' })
})

// a file of /proc says that it is empty and yet gives bytes, as one that grows between stat and read
test.skipIf(process.platform !== 'linux')(
  'a file that changes while it is read is an error that can be repeated',
  async () => {
    await expect(readStableFile('/proc/self/status', 100_000)).rejects.toMatchObject({
      code: 'UNREADABLE_FILE',
      retryable: true,
    })
  },
)

test.runIf(process.platform === 'linux')('a name that is no UTF-8 is skipped with the reason', async () => {
  put('good.txt')
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.txt')]), 'text')
  const { files, skipped, unreadable } = await walk()
  expect(files.map((file) => file.relative)).toEqual(['good.txt'])
  expect(skipped).toEqual([{ path: 'caf\ufffd.txt', reason: 'its name is not valid UTF-8' }])
  expect(unreadable).toEqual([])
})

test('hidden files are left out, but for those that a rule brings back and the root itself', async () => {
  put('.root/a.txt')
  put('.root/.b.txt')
  put('.root/.c.txt')
  put('.root/.d/e.txt')
  put('.root/.f/g.txt')
  put('.root/.prolepsisignore', '!.c.txt\n!.d/')
  const found = await walk({ hidden: false }, join(root, '.root'))
  expect(found.files.map((file) => file.relative)).toEqual(['.c.txt', '.d/e.txt', 'a.txt'])
  // .b.txt, .f and the ignore file
  expect(found.hidden).toBe(3)
})
