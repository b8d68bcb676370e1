import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ProlepsisError } from '../../src/domain/errors.ts'
import { createMemory, type EngineEvent, type Memory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { codeOf, collect } from '../support/test-memory.ts'

/** Filled once; each test works on a copy. */
let filledFolder: string
let folder: string
let memory: Memory
let events: EngineEvent[]

beforeAll(async () => {
  filledFolder = mkdtempSync(join(tmpdir(), 'prolepsis-no-model-'))
  folder = filledFolder
  const filled = await open({ embedder: createFakeEmbedder({ dimension: 64 }) })
  await filled.retain(
    [
      { role: 'Ann', content: 'Did you ever see the crocodile in the river?' },
      { role: 'Bob', content: 'I saw it in May.' },
      { role: 'Ann', content: 'How was the weather?' },
      { role: 'Bob', content: 'It rained a lot.' },
    ],
    { source: 'chat' },
  )
  await filled.retain('# Crocodile\n\nA zoo has one.\n', { source: 'zoo.md', tags: ['animals'] })
  await filled.retain('Nothing else.', { source: 'other' })
  await filled.close()
})
afterAll(() => rmSync(filledFolder, { recursive: true, force: true }))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'prolepsis-no-model-'))
  cpSync(join(filledFolder, 'store'), join(folder, 'store'), { recursive: true })
})
afterEach(async () => {
  await memory.close()
  rmSync(folder, { recursive: true, force: true })
})

function open(options: MemoryOptions): Promise<Memory> {
  events = []
  return createMemory({ dataDir: join(folder, 'store'), onEvent: (event) => events.push(event), ...options })
}

const WITHOUT: [string, () => MemoryOptions][] = [
  ['another model', () => ({ embedder: createFakeEmbedder({ dimension: 32 }) })],
  ['no model', () => ({ modelDir: join(folder, 'nowhere') })],
  ['a model that fails', () => ({ embedder: failing(new Error('no power')) })],
  [
    'a provider that is away',
    () => ({ embedder: failing(new ProlepsisError('MODEL_UNAVAILABLE', 'Nobody answers.')) }),
  ],
  [
    'a provider whose address is dead',
    () => ({ embedder: 'ollama:m', embedderBaseUrl: 'http://127.0.0.1:1/v1', modelAttempts: 1 }),
  ],
]

function failing(reason: Error): NonNullable<MemoryOptions['embedder']> {
  return { ...createFakeEmbedder({ dimension: 64 }), embed: () => Promise.reject(reason) }
}

test.each(WITHOUT)(
  'with %s a chunk is forgotten, with what its neighbours say of it',
  async (_name, options) => {
    memory = await open(options())
    expect(await memory.forget({ ref: 'chat#1' })).toEqual({ documents: 0, chunks: 1 })
    const left = (await collect(memory.export())).join('\n')
    expect(left).not.toMatch(/crocodile in the river/)
    // the answer repeated the question: the lexical channel must not find it by that any more
    const found = await memory.recall('crocodile river', { mode: 'lexical' })
    expect(found.passages.map(({ source }) => source)).toEqual(['zoo.md'])
    expect((await memory.recall('rained', { mode: 'lexical' })).passages[0]?.ref).toBe('chat#4')
    expect(events).toContainEqual(expect.objectContaining({ code: 'FORGOTTEN_WITHOUT_MODEL' }))
    const report = await memory.doctor()
    expect(report.findings.filter((finding) => !finding.ok).map(({ check }) => check)).toEqual([
      'missing-vectors',
    ])
    await memory.close()

    memory = await open({ embedder: createFakeEmbedder({ dimension: 64 }) })
    await memory.rebuildIndex()
    expect((await memory.doctor()).clean).toBe(true)
    expect((await memory.recall('Who saw it in May?')).passages[0]?.ref).toBe('chat#2')
  },
)

test.each(WITHOUT)('with %s all that removes, counts and takes out works', async (_name, options) => {
  memory = await open(options())
  expect((await memory.doctor()).clean).toBe(true)
  expect((await memory.doctor({ mend: true })).clean).toBe(true)
  expect((await memory.stats()).documents.current).toBe(3)
  expect(await collect(memory.export())).toHaveLength(5)
  expect(await memory.document('other')).toMatchObject({ text: 'Nothing else.' })
  expect((await memory.backup(join(folder, 'b.tar.gz'))).bytes).toBeGreaterThan(1000)
  expect(await memory.forget({ tag: 'animals' })).toEqual({ documents: 1, chunks: 1 })
  expect(await memory.remove('other')).toBe(true)
  expect(await memory.forget({ source: 'other' })).toEqual({ documents: 1, chunks: 1 })
  expect(await memory.forget({ all: true })).toEqual({ documents: 1, chunks: 4 })
  expect(await codeOf(memory.retain('New.'))).toMatch(/^MODEL_/)
  expect(await memory.banks.delete(memory.name)).toBe(true)
})
