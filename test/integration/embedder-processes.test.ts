import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemory, type Memory } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { nextLine, startProgram } from '../support/child-program.ts'
import { codeOf } from '../support/test-memory.ts'
import { usedFolders } from '../support/used-folders.ts'

const { dataFolder, programs } = usedFolders()
const TIMEOUT_MS = 300_000
const MODEL = fileURLToPath(new URL('../../models/bge-small-en-v1.5-int8', import.meta.url))
const old = () => createFakeEmbedder({ dimension: 32 })
/** So far ahead that leases of a process that was killed have run out. */
const later = { now: () => Date.now() + 600_000 }

/** The model of the package under another name. */
let modelDir = ''
beforeAll(async () => {
  modelDir = await mkdtemp(join(tmpdir(), 'prolepsis-model-'))
  for (const file of ['model.onnx', 'tokenizer.json']) await symlink(join(MODEL, file), join(modelDir, file))
  const described = JSON.parse(await readFile(join(MODEL, 'model.json'), 'utf8'))
  await writeFile(join(modelDir, 'model.json'), JSON.stringify({ ...described, modelId: 'renamed' }))
})
afterAll(() => rm(modelDir, { recursive: true, force: true }))

async function filledFolder(documents: number): Promise<string> {
  const folder = await dataFolder()
  const memory = await createMemory({ dataDir: folder, embedder: old() })
  for (let n = 0; n < documents; n++) {
    await memory.retain(`Ann keeps gadget${n} in drawer ${n}.`, { source: `note-${n}` })
  }
  await memory.close()
  return folder
}

const answers = async (memory: Memory): Promise<unknown> =>
  (await memory.recall('where is gadget3?', { receipt: false })).passages.map(({ ref, score }) => [
    ref,
    score,
  ])

test(
  'a migration that is killed goes on where it ended; recalls are as before',
  async () => {
    const folder = await filledFolder(12)
    const mover = startProgram('embedder-mover', [folder])
    programs.push(mover)
    for await (const line of mover.lines) if (line === '4/12') mover.kill('SIGKILL')
    expect((await mover.ended).code).toBe('SIGKILL')

    const memory = await createMemory({ dataDir: folder, embedder: old(), clock: later })
    const before = await answers(memory)
    expect(await memory.doctor()).toMatchObject({ clean: true })
    const { migration, spaces } = await memory.embedder.status()
    expect(migration).toBe('filling')
    const { missingDocuments = 0 } = spaces[1] ?? {}
    expect(missingDocuments).toBeGreaterThan(0)
    expect(missingDocuments).toBeLessThanOrEqual(8)
    expect(await codeOf(memory.embedder.cutOver())).toBe('MIGRATION_INCOMPLETE')
    // the model was that process's own: this one is given it
    expect(await codeOf(memory.embedder.migrate())).toBe('MODEL_MISMATCH')
    const done = await memory.embedder.migrate({ to: createFakeEmbedder({ dimension: 64 }) })
    expect(done).toMatchObject({ documents: missingDocuments, other: { missing: 0 } })
    expect(await answers(memory)).toEqual(before)
    await memory.embedder.cutOver()
    expect((await memory.recall('gadget3', { mode: 'semantic' })).passages[0]?.source).toBe('note-3')
    expect(await memory.doctor()).toMatchObject({ clean: true })
    await memory.close()
  },
  TIMEOUT_MS,
)

test(
  'while one process moves the bank, another recalls, retains and forgets; nothing is lost at the switch',
  async () => {
    const folder = await filledFolder(8)
    const memory = await createMemory({ dataDir: folder, embedder: old() })
    const mover = startProgram('embedder-mover', [folder])
    programs.push(mover)
    const lines = mover.lines[Symbol.asyncIterator]()
    expect(await nextLine(mover, lines)).toBe('1/8')
    const before = await answers(memory)
    await memory.retain('Ben keeps a lantern in the attic.', { source: 'late' })
    await memory.forget({ source: 'note-7' })
    await memory.retain('Ann keeps gadget1 in drawer 1.', {
      source: 'note-1',
      questions: ['what is in drawer 1?'],
    })
    let last = ''
    for (let line = await lines.next(); !line.done; line = await lines.next()) last = line.value
    expect(await mover.ended).toMatchObject({ code: 0 })
    expect(last).toBe('filled 0')
    const after = await answers(memory)
    expect(JSON.stringify(after)).toContain('note-3')
    expect(JSON.stringify(before)).toContain('note-3')

    // it can switch without the model, and is then told what it lacks
    await memory.embedder.migrate({ to: createFakeEmbedder({ dimension: 64 }) })
    await memory.close()
    const switching = await createMemory({ dataDir: folder, embedder: old() })
    expect(await switching.embedder.cutOver()).toMatchObject({ active: { dimension: 64 }, settings: null })
    await expect(switching.recall('gadget3')).rejects.toMatchObject({
      code: 'MODEL_MISMATCH',
      hint: expect.stringContaining('embedder back-out'),
    })
    await switching.close()
    const moved = await createMemory({ dataDir: folder, embedder: createFakeEmbedder({ dimension: 64 }) })
    expect((await moved.recall('lantern', { mode: 'semantic' })).passages[0]?.source).toBe('late')
    expect(await moved.documents()).toHaveLength(8)
    expect(await moved.doctor()).toMatchObject({ clean: true })
    await moved.close()
  },
  TIMEOUT_MS,
)

test(
  'a worker loads the model that the migration noted; one that cannot leaves its jobs in line',
  async () => {
    const folder = await filledFolder(3)
    const stop = new AbortController()
    const starter = await createMemory({
      dataDir: folder,
      embedder: old(),
      modelConcurrency: 1,
      worker: false,
    })
    const started = starter.embedder.migrate({
      to: { modelDir },
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(await codeOf(started)).toBe('CANCELLED')
    expect(await starter.embedder.status()).toMatchObject({
      migration: 'filling',
      spaces: [{ settings: null }, { modelId: 'renamed', dimension: 384, settings: { modelDir } }],
    })
    await starter.close()

    const worker = await createMemory({
      dataDir: folder,
      embedder: old(),
      worker: false,
      modelConcurrency: 1,
    })
    expect(await worker.jobs.run({ until: 'idle' })).toMatchObject({ done: 2, failed: 0, dead: 0 })
    expect(await worker.embedder.status()).toMatchObject({ migration: 'complete' })
    await worker.embedder.cutOver()
    // put back by its settings too: the old one was of this process's code, and is its own
    const back = await worker.embedder.backOut()
    expect(back.settings).toBeNull()
    await worker.embedder.drop()

    // a model that is only here: whoever else works leaves it alone
    const cut = new AbortController()
    const own = worker.embedder.migrate({
      to: createFakeEmbedder({ dimension: 64 }),
      signal: cut.signal,
      onProgress: () => cut.abort(),
    })
    expect(await codeOf(own)).toBe('CANCELLED')
    await worker.close()
    const other = await createMemory({ dataDir: folder, embedder: old(), clock: later })
    expect(await other.jobs.run({ until: 'idle' })).toMatchObject({ done: 0, failed: 0 })
    expect((await other.jobs.counts()).waiting).toBeGreaterThan(0)
    await other.embedder.drop()
    expect((await other.jobs.counts()).waiting).toBe(0)
    await other.close()
  },
  TIMEOUT_MS,
)
