import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Enrichment, Memory } from '../../src/index.ts'
import { hearEvents } from '../support/engine-events.ts'
import { createFaultyModel, FAULTS, type Fault } from '../support/faulty-model.ts'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'

const HOUR = 3_600_000
const TEXT = 'The walrus of the harbour sleeps beside the crimson lighthouse.'
const QUESTION = 'What about beside crimson lighthouse?'
/** Of the fault's own message where the model refuses, of what was made of the reply elsewhere. */
const CODES: Readonly<Record<Fault, string>> = {
  refused: 'MODEL_REFUSED',
  'rate limit': 'MODEL_UNAVAILABLE',
  'server error': 'MODEL_UNAVAILABLE',
  hang: 'MODEL_TIMEOUT',
  'cut stream': 'MODEL_UNAVAILABLE',
  prose: 'MODEL_REPLY_INVALID',
  empty: 'MODEL_REPLY_INVALID',
  'wrong JSON': 'MODEL_REPLY_INVALID',
  'cut JSON': 'MODEL_REPLY_INVALID',
}

const model = createFaultyModel()
const heard = hearEvents()
const tested = useTestMemory({
  model,
  modelAttempts: 1,
  modelTimeoutMs: 400,
  onEvent: heard.onEvent,
  formulator: 'rules',
})

const questionsOf = async (memory: Memory): Promise<number> => (await memory.stats()).cues.question ?? 0

/** Works until nothing is due, whoever of the memory's workers does it. */
async function workOff(memory: Memory): Promise<void> {
  await memory.jobs.run({ until: 'now' })
  await memory.jobs.wait()
}

describe('a text whose every model call fails', () => {
  test.each(Object.keys(FAULTS) as Fault[])(
    '%s: it is found throughout, its job is seen, and done when the model recovers',
    async (fault) => {
      const memory = tested.bank()
      model.fault = fault
      const retained = await memory.retain(TEXT, { source: 'walrus.md' })
      expect(retained).toMatchObject({ status: 'created', jobs: 1 })
      // at once, before any answer of the model
      expect((await memory.recall('Where does the walrus sleep?')).passages).toMatchObject([
        { source: 'walrus.md' },
      ])
      for (let attempt = 1; attempt <= 3; attempt++) {
        await heard.next('job-end', memory.name)
        const [job] = await memory.jobs.list()
        expect(job).toMatchObject({
          state: 'waiting',
          source: 'walrus.md',
          errorCode: CODES[fault],
          attempts: attempt,
        })
        expect(job?.error).toMatch(/\w/)
        expect((await memory.recall('Where does the walrus sleep?')).passages).toHaveLength(1)
        expect(await questionsOf(memory)).toBe(0)
        tested.clock.time += HOUR
        if (attempt < 3) await memory.jobs.run({ until: 'now' })
      }
      model.fault = null
      await workOff(memory)
      const [done] = await memory.jobs.list()
      expect(done).toMatchObject({
        state: 'done',
        error: null,
        errorCode: null,
        result: { chunks: 1, written: 1, kept: 1 },
      })
      expect(await questionsOf(memory)).toBe(1)
      const { passages } = await memory.recall(QUESTION)
      expect(passages[0]).toMatchObject({ source: 'walrus.md', cue: { kind: 'question' } })
      expect((await memory.doctor()).clean).toBe(true)
    },
  )

  test('it comes back by itself: nobody has to ask', async () => {
    const memory = tested.bank()
    model.fault = 'server error'
    await memory.retain(TEXT, { source: 'walrus.md' })
    expect(await heard.next('job-end', memory.name)).toMatchObject({
      state: 'waiting',
      errorCode: 'MODEL_UNAVAILABLE',
    })
    model.fault = null
    tested.clock.time += HOUR
    // the worker of the memory finds it at its next look
    expect(await heard.next('job-end', memory.name)).toMatchObject({ state: 'done', attempt: 2 })
    expect(await memory.jobs.counts()).toMatchObject({ done: 1, waiting: 0 })
  })

  test('who waits is told of a failure with a long pause before the next attempt', async () => {
    const memory = tested.bank()
    model.fault = 'refused'
    const { enrichment } = await memory.retain(TEXT, { source: 'walrus.md', await: 'enriched' })
    expect(enrichment).toMatchObject({ state: 'waiting', jobs: 1, kept: 0, error: { code: 'MODEL_REFUSED' } })
    expect(enrichment?.error?.message).toContain('invalid x-api-key')
    model.fault = null
    expect(await memory.jobs.retry({ source: 'walrus.md' })).toBe(1)
    expect(await memory.jobs.wait({ source: 'walrus.md' })).toMatchObject({
      state: 'done',
      kept: 1,
      error: null,
    })
  })

  test('a job out of attempts is dead, tells why, and lives again when it is retried', async () => {
    const memory = tested.bank()
    model.fault = 'prose'
    await memory.retain(TEXT, { source: 'walrus.md' })
    for (let hour = 0; hour < 14; hour++) {
      await memory.jobs.run({ until: 'now' })
      tested.clock.time += 1.3 * HOUR
    }
    const [dead] = await memory.jobs.list({ state: 'dead' })
    expect(dead).toMatchObject({ state: 'dead', errorCode: 'MODEL_REPLY_INVALID', attempts: 12 })
    expect(dead!.spent.calls).toBeGreaterThanOrEqual(12)
    expect(heard.of('job-dead').at(-1)).toMatchObject({ jobId: dead!.jobId, bank: memory.name })
    expect((await memory.stats()).jobs).toMatchObject({ dead: 1 })
    model.fault = null
    expect(await memory.jobs.retry(dead!.jobId)).toBe(1)
    await workOff(memory)
    expect(await memory.jobs.get(dead!.jobId)).toMatchObject({ state: 'done', attempts: 1 })
  })
})

describe('enrichment', () => {
  beforeAll(() => {
    model.fault = null
  })

  test('await tells what the jobs did, and an unchanged text costs nothing', async () => {
    const memory = tested.bank()
    const progress: unknown[] = []
    const onProgress = (so: unknown): void => void progress.push(so)
    const first = await memory.retain(TEXT, { source: 'a.md', await: 'enriched', onProgress })
    expect(first.enrichment).toMatchObject({
      state: 'done',
      jobs: 1,
      chunks: 1,
      written: 1,
      kept: 1,
      dropped: 0,
      calls: 1,
    })
    expect(progress).toEqual([{ done: 1, total: 1, source: 'a.md', state: 'done' }])
    const calls = model.calls
    const again = await memory.retain(TEXT, { source: 'a.md', await: 'enriched' })
    expect(again).toMatchObject({ status: 'unchanged', jobs: 0, enrichment: { state: 'none', calls: 0 } })
    expect(model.calls).toBe(calls)
  })

  test("the caller's questions always win: no model is asked", async () => {
    const memory = tested.bank()
    const calls = model.calls
    for (const questions of [['Where is the walrus?'], []]) {
      const result = await memory.retain(TEXT, {
        source: `q${questions.length}`,
        questions,
        await: 'enriched',
      })
      expect(result).toMatchObject({ jobs: 0, enrichment: { state: 'none' } })
    }
    expect((await memory.retain(TEXT, { source: 'off', enrich: false })).jobs).toBe(0)
    expect(model.calls).toBe(calls)
  })

  test('the jobs of many texts are waited for at the end of the stream', async () => {
    const memory = tested.bank()
    const items = ['heron', 'badger', 'falcon'].map((name) => ({
      content: `The ${name} of the valley lives below the ${name} bridge.`,
      source: `${name}.md`,
    }))
    const ends: Enrichment[] = []
    const results = await collect(
      memory.retainMany(items, { await: 'enriched', onEnriched: (end) => void ends.push(end) }),
    )
    expect(results.map((result) => result.status !== 'failed' && result.jobs)).toEqual([1, 1, 1])
    expect(ends).toMatchObject([{ state: 'done', jobs: 3, chunks: 3, kept: 3 }])
  })

  describe('of a folder', () => {
    let folder = ''
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'prolepsis-jobs-'))
      for (const name of ['otter', 'lemur'])
        await writeFile(
          join(folder, `${name}.md`),
          `# The ${name}\n\nThe ${name} eats ${name}berries at noon.\n`,
        )
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    test('index waits, says what it took, and asks nothing at the second run', async () => {
      const memory = tested.bank()
      const first = await memory.index(folder, { await: 'enriched' })
      expect(first).toMatchObject({
        created: 2,
        jobs: 2,
        enrichment: { state: 'done', jobs: 2, kept: first.chunks },
      })
      const calls = model.calls
      expect(await memory.index(folder, { await: 'enriched' })).toMatchObject({
        unchanged: 2,
        jobs: 0,
        enrichment: { state: 'none' },
      })
      expect(model.calls).toBe(calls)
    })

    test('a run that was cut short is waited for by the next', async () => {
      const memory = tested.bank()
      model.fault = 'refused'
      await memory.index(folder, { await: 'enriched' })
      model.fault = null
      tested.clock.time += HOUR
      expect(await memory.index(folder, { await: 'enriched' })).toMatchObject({ unchanged: 2, jobs: 0 })
      expect(await memory.jobs.counts()).toMatchObject({ done: 2, waiting: 0, running: 0 })
    })
  })

  test('an import asks no model unless it is told to, and then only for texts without questions', async () => {
    const from = tested.bank()
    await from.retain(TEXT, { source: 'bare.md', enrich: false })
    await from.retain('The heron fishes.', { source: 'asked.md', questions: ['Who fishes?'] })
    await from.retain('One.', { source: 'old.md', enrich: false })
    await from.retain('Two lanterns hang there.', { source: 'old.md', enrich: false })
    const lines = await collect(from.export())
    const plain = tested.bank()
    await plain.import(lines)
    expect(await plain.jobs.list()).toEqual([])
    const enriched = tested.bank()
    await enriched.import(lines, { enrich: true })
    await enriched.jobs.wait()
    const jobs = await enriched.jobs.list()
    expect(jobs.map((job) => [job.source, job.state]).sort()).toEqual([
      ['bare.md', 'done'],
      ['old.md', 'done'],
    ])
  })

  test('forgetting a text takes its jobs along; another version ends them', async () => {
    const memory = tested.bank()
    await memory.retain(TEXT, { source: 'a.md', await: 'enriched' })
    await memory.forget({ source: 'a.md' })
    expect(await memory.jobs.list()).toEqual([])
    model.fault = 'refused'
    await memory.retain('One.', { source: 'b.md', await: 'enriched' })
    await memory.retain('Two.', { source: 'b.md', await: 'enriched' })
    model.fault = null
    expect(await memory.jobs.counts()).toMatchObject({ cancelled: 1, waiting: 1 })
    await memory.remove('b.md')
    expect(await memory.jobs.counts()).toMatchObject({ cancelled: 2, waiting: 0 })
  })
})

describe('the calls of memory.jobs', () => {
  test('doctor ends jobs of texts that are not current, and frees jobs that nobody holds', async () => {
    const memory = tested.bank()
    model.fault = 'refused'
    await memory.retain('One.', { source: 'a.md', await: 'enriched' })
    await memory.retain('Two.', { source: 'a.md', await: 'enriched' })
    model.fault = null
    expect((await memory.doctor()).clean).toBe(true)
    expect(await memory.jobs.retry({ state: 'cancelled' })).toBe(1)
    const report = await memory.doctor()
    expect(report.findings.find(({ check }) => check === 'void-jobs')).toMatchObject({
      ok: false,
      count: 1,
      documents: ['a.md@1'],
    })
    expect((await memory.doctor({ mend: true })).clean).toBe(true)
  })

  test('bad input is refused by name', async () => {
    const { jobs } = tested.bank()
    const any = (value: unknown): never => value as never // callers without types may hand over anything
    await tested.memory.banks.list()
    const calls: Promise<unknown>[] = [
      jobs.list(any({ stat: 'dead' })),
      jobs.list({ state: any('lost') }),
      jobs.list({ kind: any('sleep') }),
      jobs.list({ limit: 0 }),
      jobs.list({ before: 1.5 }),
      jobs.get(any('x')),
      jobs.retry(any(-1)),
      jobs.cancel(any({ source: '' })),
      jobs.wait({ documentIds: [any('x')] }),
      jobs.run({ until: any('noon') }),
      jobs.run({ concurrency: 0 }),
      tested.memory.retain(TEXT, { await: any('soon') }),
      tested.memory.retain(TEXT, { onProgress: any(1) }),
      tested.memory.retain(TEXT, { enrich: any('yes') }),
    ]
    const codes = await Promise.all(calls.map((call) => codeOf(call)))
    expect(codes).toEqual([
      'UNKNOWN_OPTION',
      ...Array.from({ length: calls.length - 1 }, () => 'INVALID_ARGUMENT'),
    ])
    expect(
      await codeOf(
        tested.memory
          .retain(TEXT, { source: 'x', enrich: false })
          .then(() => tested.memory.jobs.retry(999_999)),
      ),
    ).toBe('NOT_FOUND')
    expect(await codeOf(tested.memory.jobs.cancel(999_999))).toBe('NOT_FOUND')
    expect(await tested.memory.jobs.get(999_999)).toBeNull()
    const [failed] = await collect(tested.memory.retainMany([any({ content: TEXT, await: 'enriched' })]))
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGUMENT' } })
  })
})
