import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { tarFolder, untarInto } from './tar.ts'

let parent: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'prolepsis-tar-'))
  await mkdir(join(parent, 'in/deep/er'), { recursive: true })
  await mkdir(join(parent, 'out'))
  await writeFile(join(parent, 'in/empty'), '')
  await writeFile(join(parent, 'in/deep/block'), 'b'.repeat(512))
  await writeFile(join(parent, 'in/deep/er/long'), Buffer.alloc(3_000_001, 7))
  await mkdir(join(parent, 'in/hollow'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function expectSameFolder(): Promise<void> {
  const names = await readdir(join(parent, 'in'), { recursive: true })
  expect((await readdir(join(parent, 'out'), { recursive: true })).sort()).toEqual(names.sort())
  for (const name of ['empty', 'deep/block', 'deep/er/long']) {
    const [made, original] = await Promise.all(
      ['out', 'in'].map((side) => readFile(join(parent, side, name))),
    )
    expect(made?.equals(original ?? Buffer.alloc(0))).toBe(true)
  }
}

it('brings a folder back, however the stream is cut', async () => {
  const tar = await collect(tarFolder(join(parent, 'in')))
  await untarInto(join(parent, 'out'), inPieces(tar, 997))
  await expectSameFolder()
})

it('is read by tar, and reads what tar writes', async () => {
  const file = join(parent, 'a.tar')
  await writeFile(file, await collect(tarFolder(join(parent, 'in'))))
  execFileSync('tar', ['-xf', file, '-C', join(parent, 'out')])
  await expectSameFolder()
  await rm(join(parent, 'out'), { recursive: true })
  await mkdir(join(parent, 'out'))
  execFileSync('tar', ['--format=ustar', '-cf', file, '-C', join(parent, 'in'), '.'])
  await untarInto(join(parent, 'out'), inPieces(await readFile(file), 10_240))
  await expectSameFolder()
})

it.each([
  ['a cut one', (tar: Buffer) => tar.subarray(0, tar.length - 5_000)],
  ['an empty one', () => Buffer.alloc(0)],
  ['zeros', () => Buffer.alloc(2048)],
  ['text', () => Buffer.from('this is not a tar file at all'.repeat(100))],
  [
    'one with a flipped bit in a header',
    (tar: Buffer) => Buffer.concat([Buffer.from([tar[0]! ^ 1]), tar.subarray(1)]),
  ],
])('refuses %s', async (_, damage) => {
  const tar = await collect(tarFolder(join(parent, 'in')))
  await expect(untarInto(join(parent, 'out'), inPieces(damage(tar), 1000))).rejects.toMatchObject({
    code: 'IMPORT_INVALID',
  })
})

it('refuses names that lead out of the folder', async () => {
  const file = join(parent, 'evil.tar')
  await writeFile(join(parent, 'victim'), 'x')
  execFileSync('tar', ['--format=ustar', '-P', '-cf', file, '-C', join(parent, 'in'), '../victim'])
  await rm(join(parent, 'victim'))
  await expect(untarInto(join(parent, 'out'), inPieces(await readFile(file), 1000))).rejects.toMatchObject({
    code: 'IMPORT_INVALID',
  })
  expect(await readdir(parent)).not.toContain('victim')
})
