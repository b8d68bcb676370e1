import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createMemory, type SweepPass } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { type ChildProgram, nextLine, startProgram } from '../support/child-program.ts'
import { usedFolders } from '../support/used-folders.ts'

const { dataFolder, programs } = usedFolders()

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'prolepsis-sweepers-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function start(store: string, ...mode: readonly string[]): ChildProgram {
  const program = startProgram('folder-sweeper', [store, root, ...mode])
  programs.push(program)
  return program
}

async function lineThat(
  program: ChildProgram,
  lines: AsyncIterator<string>,
  begins: string,
): Promise<string> {
  for (;;) {
    const line = await nextLine(program, lines)
    if (line.startsWith(begins)) return line
  }
}

const passIn = (line: string): SweepPass => JSON.parse(line.slice('pass '.length)) as SweepPass

const FILES = 300
const fill = () => {
  for (let at = 0; at < FILES; at++)
    writeFileSync(join(root, `${String(at).padStart(3, '0')}.txt`), `Sheet ${at} of the pile.`)
}

test('a sweeper that is killed in the middle leaves nothing half done; the next one takes over at once and goes on', async () => {
  fill()
  const store = await dataFolder()
  const told = new Set<string>()
  const first = start(store)
  for await (const line of first.lines) {
    if (!line.startsWith('created ')) continue
    told.add(line.slice('created '.length))
    if (told.size === 70) first.kill('SIGKILL')
  }
  expect((await first.ended).code).toBe('SIGKILL')

  const second = start(store)
  const pass = passIn(await lineThat(second, second.lines[Symbol.asyncIterator](), 'pass'))
  await second.ended
  // what was told of is there; what was noted is not even read again
  expect(pass).toMatchObject({ files: FILES, failed: [], missing: [], moved: [] })
  expect(pass.created).toBeLessThanOrEqual(FILES - told.size)
  expect(pass.created + pass.unchanged).toBe(FILES)
  expect(pass.read).toBeLessThan(FILES)
  const memory = await createMemory({ dataDir: store, embedder: createFakeEmbedder() })
  try {
    expect(await memory.doctor()).toMatchObject({ clean: true })
    const documents = await memory.documents({ limit: 1000 })
    expect(documents.map(({ version }) => version)).toEqual(Array.from({ length: FILES }, () => 1))
    expect(await memory.sweep(root)).toMatchObject({ read: 0, unchanged: FILES })
  } finally {
    await memory.close()
  }
}, 240_000)

test('of two processes one watches, the other is told by whom; a signal ends the first, and the other has it', async () => {
  writeFileSync(join(root, 'a.txt'), 'Alpha stands here.')
  const store = await dataFolder()
  const first = start(store, 'watch')
  const heard = first.lines[Symbol.asyncIterator]()
  await lineThat(first, heard, 'pass')
  const second = start(store)
  const refused = await lineThat(second, second.lines[Symbol.asyncIterator](), 'FOLDER_BUSY')
  expect(refused).toContain(`process ${first.pid} on ${hostname()}`)
  expect((await second.ended).code).toBe(0)
  first.kill('SIGTERM')
  await lineThat(first, heard, 'done')
  expect(await first.ended).toMatchObject({ code: 0, errors: '' })
  const third = start(store)
  expect(passIn(await lineThat(third, third.lines[Symbol.asyncIterator](), 'pass'))).toMatchObject({
    ...{ unchanged: 1, away: null },
  })
  await third.ended
}, 240_000)
