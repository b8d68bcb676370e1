import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type ChatServer, startChatServer } from '../support/chat-server.ts'
import { passagesIn, writeFromWords } from '../support/writing-model.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const TEXT = 'The walrus of the harbour sleeps beside the crimson lighthouse.'
let server: ChatServer
let calls = 0
let status = 200
beforeAll(async () => {
  server = await startChatServer(({ prompt }) => {
    calls++
    return status === 200 ? JSON.stringify(writeFromWords(passagesIn(prompt))) : { status }
  })
})
afterAll(() => server.close())
beforeEach(() => {
  status = 200
  vi.stubEnv('PROLEPSIS_MODEL', 'openai-compatible:writer')
  vi.stubEnv('PROLEPSIS_MODEL_BASE_URL', server.baseUrl)
  vi.stubEnv('PROLEPSIS_MODEL_ATTEMPTS', '1')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Retains and leaves the job in line. */
async function leave(bank: string, source: string): Promise<number> {
  vi.stubEnv('PROLEPSIS_WORKER', 'false')
  const run = await store.json(['retain', `Text of ${source}.`, '--source', source, '--bank', bank])
  vi.stubEnv('PROLEPSIS_WORKER', 'true')
  expect(run.json()).toMatchObject({ status: 'created', jobs: 1 })
  const jobs = (await store.json(['jobs', 'list', '--bank', bank, '--source', source])).json<{
    jobs: { jobId: number }[]
  }>()
  return jobs.jobs[0]!.jobId
}

describe('retain', () => {
  test('--await tells what the model wrote, and what it took for 100 chunks', async () => {
    const bank = await store.bank()
    const run = await store.run(['retain', TEXT, '--source', 'walrus.md', '--await', '--bank', bank])
    expect([run.code, run.err]).toEqual([0, ''])
    expect(run.out).toContain('Retained walrus.md, version 1: 1 chunk, ')
    expect(run.out).toContain('1 job.\n')
    expect(run.out).toContain(
      'Questions of 1 chunk: 1 written, 1 kept, 0 dropped. Model: 1 call (100.0 per 100 chunks), 120 tokens (120 per chunk).',
    )
  })

  test('without --await the jobs are done before the command ends', async () => {
    const bank = await store.bank()
    expect((await store.run(['retain', TEXT, '--source', 'walrus.md', '--bank', bank])).code).toBe(0)
    const listed = await store.run(['jobs', 'list', '--bank', bank])
    expect(listed.out).toMatch(/enrich {2}walrus\.md {2}done/)
    expect(listed.out).toContain('1 done.')
  })

  test('a model that refuses loses nothing: exit code 1 under --await, a warning else', async () => {
    const bank = await store.bank()
    status = 401
    const awaited = await store.json(['retain', TEXT, '--source', 'walrus.md', '--await', '--bank', bank])
    expect(awaited.code).toBe(1)
    expect(awaited.json()).toMatchObject({
      status: 'created',
      enrichment: { state: 'waiting', error: { code: 'MODEL_REFUSED' } },
    })
    expect(awaited.err).toContain('The texts are kept and can be recalled')
    const plain = await store.run(['retain', 'Another text.', '--source', 'b.md', '--bank', bank])
    expect(plain.code).toBe(0)
    expect(plain.err).toMatch(/warning: 1 job stays in line .*MODEL_REFUSED/)
    expect((await store.run(['recall', 'walrus', '--bank', bank])).out).toContain('crimson lighthouse')
    expect((await store.run(['jobs', 'cancel', '--all', '--bank', bank])).out).toBe('2 jobs cancelled.\n')
  })

  test('--no-enrich and --question ask no model', async () => {
    const bank = await store.bank()
    const before = calls
    await store.run(['retain', TEXT, '--source', 'a', '--no-enrich', '--bank', bank])
    await store.run(['retain', TEXT, '--source', 'b', '--question', 'Who sleeps?', '--bank', bank])
    expect(calls).toBe(before)
  })

  test('lines of JSON are waited for together, and so is a folder, whose second run asks nothing', async () => {
    const bank = await store.bank()
    const stdin = ['heron', 'otter']
      .map((name) => JSON.stringify({ content: `The ${name} fishes at dawn.`, source: name }))
      .join('\n')
    const lines = await store.json(['retain', '--jsonl', '--await', '--bank', bank], { stdin })
    expect(lines.code).toBe(0)
    expect(JSON.parse(lines.out.trim().split('\n').at(-1)!)).toMatchObject({
      enrichment: { state: 'done', jobs: 2 },
    })
    const folder = join(store.folder, 'animals')
    await mkdir(folder)
    await writeFile(join(folder, 'lemur.md'), '# The lemur\n\nThe lemur eats at noon.\n')
    const first = await store.run(['index', folder, '--await', '--bank', bank])
    expect(first.out).toMatch(/1 job\.\nQuestions of \d chunks?: .* per 100 chunks\)/)
    const before = calls
    const second = await store.run(['index', folder, '--await', '--bank', bank])
    expect(second.out).toContain('No questions were in line for a model.')
    expect(calls).toBe(before)
  })
})

describe('jobs', () => {
  test('are listed, shown, cancelled, retried and waited for', async () => {
    const bank = await store.bank()
    const a = await leave(bank, 'x/a')
    const b = await leave(bank, 'x/b')
    expect((await store.run(['jobs', 'list', '--bank', bank])).out).toContain('2 waiting.')
    const shown = await store.run(['jobs', 'show', String(a), '--bank', bank])
    expect(shown.out).toMatch(/state +waiting/)
    expect((await store.json(['jobs', 'show', String(a), '--bank', bank])).json()).toMatchObject({
      jobId: a,
      source: 'x/a',
    })
    expect((await store.run(['jobs', 'cancel', String(a), '--bank', bank])).out).toBe('1 job cancelled.\n')
    expect((await store.json(['jobs', 'list', '--state', 'cancelled', '--bank', bank])).json()).toMatchObject(
      {
        jobs: [{ jobId: a, state: 'cancelled' }],
        counts: { cancelled: 1, waiting: 1 },
      },
    )
    expect((await store.run(['jobs', 'retry', '--prefix', 'x/', '--bank', bank])).out).toBe(
      '2 jobs retried.\n',
    )
    const work = await store.run(['work', '--once', '--bank', bank])
    expect([work.code, work.out]).toEqual([0, '2 jobs done.\n'])
    expect(work.err.split('\n').sort().slice(1)).toEqual([
      `${bank}: enrich ${a} x/a: done`,
      `${bank}: enrich ${b} x/b: done`,
    ])
    expect((await store.run(['jobs', 'wait', '--bank', bank])).out).toBe(
      'No questions were in line for a model.\n',
    )
  })

  test('work goes on in every bank until nothing is left', async () => {
    const [one, two] = [await store.bank(), await store.bank()]
    await leave(one, 'a')
    await leave(two, 'b')
    const run = await store.json(['work', '--until-idle', '--quiet'])
    expect([run.code, run.err]).toEqual([0, ''])
    for (const bank of [one, two])
      expect((await store.json(['jobs', 'list', '--bank', bank])).json()).toMatchObject({
        counts: { done: 1, waiting: 0 },
      })
  })

  test('wrong use is told', async () => {
    const bank = await store.bank()
    const code = async (...args: string[]): Promise<[number, string]> => {
      const run = await store.json([...args, '--bank', bank])
      return [run.code, run.errorCode()]
    }
    expect(await code('jobs', 'show', '999999')).toEqual([3, 'NOT_FOUND'])
    expect(await code('jobs', 'cancel', '999999')).toEqual([3, 'NOT_FOUND'])
    expect(await code('jobs', 'retry')).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await code('jobs', 'retry', '1', '--all')).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await code('jobs', 'list', '--state', 'lost')).toEqual([2, 'INVALID_ARGUMENT'])
    expect(await code('work', '--once', '--until-idle')).toEqual([2, 'INVALID_ARGUMENT'])
    vi.stubEnv('PROLEPSIS_MODEL', undefined)
    expect(await code('work', '--once')).toEqual([2, 'MODEL_NOT_CONFIGURED'])
  })

  test('an interrupt ends work with 130, and what runs is back in line', async () => {
    const bank = await store.bank()
    await leave(bank, 'a')
    const interrupt = new AbortController()
    interrupt.abort()
    const run = await store.json(['work', '--bank', bank], { signal: interrupt.signal })
    expect(run.json()).toEqual({ done: 0, failed: 0, dead: 0, cancelled: 0 })
    expect((await store.json(['jobs', 'list', '--bank', bank])).json()).toMatchObject({
      counts: { waiting: 1 },
    })
  })
})
