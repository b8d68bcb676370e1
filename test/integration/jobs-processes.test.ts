import { describe, expect, test } from 'vitest'
import { createMemory, type Memory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { type ChildProgram, startProgram } from '../support/child-program.ts'
import { type HeardEvents, hearEvents } from '../support/engine-events.ts'
import { createFaultyModel, type FaultyModel } from '../support/faulty-model.ts'
import { usedFolders } from '../support/used-folders.ts'

const { dataFolder, programs } = usedFolders()
const TEXT = 'The walrus of the harbour sleeps beside the crimson lighthouse.'
const LATER_MS = 600_000

function start(...args: readonly string[]): ChildProgram {
  const program = startProgram('job-worker', args)
  programs.push(program)
  return program
}

/** What a program was asked about, until it says `until` or ends. */
async function asked(program: ChildProgram, until?: string): Promise<string[]> {
  const heard: string[] = []
  let last = ''
  for await (const line of program.lines) {
    last = line
    if (line.startsWith('asked ')) heard.push(line)
    if (line === until) return heard
  }
  const { code, errors } = await program.ended
  expect([code, errors, last]).toEqual([0, '', 'done'])
  return heard
}

interface Opened {
  readonly memory: Memory
  readonly model: FaultyModel
  readonly heard: HeardEvents
}

async function open(dataDir: string, options: MemoryOptions = {}): Promise<Opened> {
  const model = createFaultyModel()
  const heard = hearEvents()
  const base = { dataDir, embedder: createFakeEmbedder(), model, modelAttempts: 1, onEvent: heard.onEvent }
  return { memory: await createMemory({ ...base, ...options }), model, heard }
}

const later = { now: () => Date.now() + LATER_MS }

describe('workers in processes of their own', () => {
  test('three of them on one folder ask about each text once', async () => {
    const folder = await dataFolder()
    const first = start(folder, 'retain', '24')
    const others = [start(folder, 'work'), start(folder, 'work')]
    const heard = (await Promise.all([first, ...others].map((program) => asked(program)))).flat()
    expect(new Set(heard).size).toBe(24)
    expect(heard).toHaveLength(24)
    const { memory } = await open(folder)
    expect(await memory.jobs.counts()).toMatchObject({ done: 24, waiting: 0, running: 0, dead: 0 })
    expect((await memory.doctor()).clean).toBe(true)
    await memory.close()
  })

  test('what a worker that was killed had in hand is done by another after its lease, and nothing is paid for or written twice', async () => {
    const folder = await dataFolder()
    const program = start(folder, 'hang', '2')
    const before = await asked(program, 'hung')
    expect(before.length).toBeGreaterThan(3)
    program.kill('SIGKILL')
    await program.ended

    const soon = await open(folder, { worker: false })
    expect(await soon.memory.jobs.list()).toMatchObject([{ state: 'running', attempts: 1 }])
    expect(await soon.memory.jobs.run({ until: 'now' })).toMatchObject({ done: 0 })
    expect(soon.model.calls).toBe(0)
    await soon.memory.close()

    const { memory, model } = await open(folder, { clock: later, worker: false })
    expect(await memory.jobs.run({ until: 'now' })).toMatchObject({ done: 1 })
    const [job] = await memory.jobs.list()
    expect(job).toMatchObject({ state: 'done', attempts: 2 })
    const after = model.asked.map((text) => `asked ${/animal[a-z]{2}x/.exec(text)?.[0] ?? text}`)
    expect(after.filter((one) => before.includes(one))).toEqual([])
    const { cues, chunks } = await memory.stats()
    expect(before.length + after.length).toBe(chunks)
    expect(cues.question).toBe(chunks)
    // what the first worker wrote is counted too
    expect(job!.result.kept).toBeGreaterThan(after.length)
    expect((await memory.doctor()).clean).toBe(true)
    await memory.close()
  })
})

describe('closing', () => {
  test('a script that retains once and ends loses nothing: its job is done before it ends', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder)
    await memory.retain(TEXT, { source: 'walrus.md' })
    await memory.close()
    expect(model.asked).toHaveLength(1)
    expect(heard.of('job-end')).toMatchObject([{ state: 'done', source: 'walrus.md' }])
    expect(heard.of('warning')).toEqual([])
    const again = await open(folder, { worker: false })
    expect(await again.memory.jobs.counts()).toMatchObject({ done: 1 })
    await again.memory.close()
  })

  test('what is not done in time stays in line, is told of, and is done by the next', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder, { drainMs: 0 })
    model.fault = 'hang'
    await memory.retain(TEXT, { source: 'walrus.md' })
    await memory.close()
    expect(heard.of('warning')).toMatchObject([
      { code: 'JOBS_LEFT', message: expect.stringContaining('prolepsis work') },
    ])
    const next = await open(folder, { worker: false })
    expect(await next.memory.jobs.list()).toMatchObject([{ state: 'waiting', attempts: 0, error: null }])
    expect(await next.memory.jobs.run({ until: 'idle' })).toEqual({
      done: 1,
      failed: 0,
      dead: 0,
      cancelled: 0,
    })
    await next.memory.close()
  })

  test('an interrupt ends the wait at once', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder, { drainMs: 86_400_000 })
    model.fault = 'hang'
    await memory.retain(TEXT, { source: 'walrus.md' })
    await heard.next('job-start')
    const interrupt = new AbortController()
    const closed = memory.close({ signal: interrupt.signal })
    await heard.next('drain-start')
    interrupt.abort()
    await closed
    expect(heard.of('warning')).toMatchObject([{ code: 'JOBS_LEFT' }])
  })

  test('a job in a pause after a failure is not waited for, and the reason is told', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder, { drainMs: 86_400_000 })
    model.fault = 'refused'
    await memory.retain(TEXT, { source: 'walrus.md' })
    await memory.close()
    const message = expect.stringMatching(/1 job stays in line .*invalid x-api-key.*MODEL_REFUSED/)
    expect(heard.of('warning')).toMatchObject([{ code: 'JOBS_LEFT', message }])
  })

  test('who waits for a text while the memory is closed is told that it is not done', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder, { drainMs: 0 })
    model.fault = 'hang'
    const retained = memory.retain(TEXT, { source: 'walrus.md', await: 'enriched' })
    await heard.next('job-start')
    await memory.close()
    expect(await retained).toMatchObject({ status: 'created', enrichment: { state: 'waiting', jobs: 1 } })
  })

  test('a memory whose worker is off leaves jobs to others, without a word', async () => {
    const folder = await dataFolder()
    const { memory, model, heard } = await open(folder, { worker: false })
    await memory.retain(TEXT, { source: 'walrus.md' })
    await memory.close()
    expect(model.calls).toBe(0)
    expect(heard.of('warning')).toEqual([])
  })
})

test('a memory without a model puts nothing in line, and says what it lacks', async () => {
  const folder = await dataFolder()
  const memory = await createMemory({ dataDir: folder, embedder: createFakeEmbedder() })
  expect(await memory.retain(TEXT, { source: 'walrus.md', await: 'enriched' })).toMatchObject({
    jobs: 0,
    enrichment: { state: 'none' },
  })
  await expect(memory.jobs.run({ until: 'now' })).rejects.toMatchObject({ code: 'MODEL_NOT_CONFIGURED' })
  await expect(memory.retain('x', { source: 'y', enrich: true })).rejects.toMatchObject({
    code: 'MODEL_NOT_CONFIGURED',
  })
  await memory.close()
})
