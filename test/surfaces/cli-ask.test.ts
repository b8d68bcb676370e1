import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { passageWith } from '../support/answering-model.ts'
import { type ChatRequest, type ChatServer, startChatServer } from '../support/chat-server.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
let server: ChatServer
let bank: string
let reply: (request: ChatRequest) => unknown
let calls = 0

const TEXT = 'Kelly was born on March 4th 1990.'
const answer = (request: ChatRequest): unknown => ({
  status: 'answered',
  sentences: [
    {
      text: TEXT,
      citations: [{ id: passageWith(request, 'Kelly was born'), quote: 'Kelly was born on March 4th 1990' }],
    },
  ],
  followUp: null,
})
const facts = (request: ChatRequest): unknown => ({
  facts: ['Kelly was born on March 4th 1990', 'Kelly moved to Leeds'].flatMap((quote) => {
    const id = passageWith(request, quote)
    return id === 0 ? [] : [{ text: `${quote}.`, citations: [{ id, quote }] }]
  }),
})

beforeAll(async () => {
  server = await startChatServer((request) => {
    calls += 1
    const value = reply(request)
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
  vi.stubEnv('PROLEPSIS_MODEL', 'openai-compatible:test')
  vi.stubEnv('PROLEPSIS_MODEL_BASE_URL', server.baseUrl)
  vi.stubEnv('PROLEPSIS_FORMULATOR', 'rules')
  vi.stubEnv('PROLEPSIS_ENRICH', 'false')
  bank = await store.bank()
  const memory = store.owner.bank(bank)
  await memory.retain(`Notes.\n\n${TEXT} She does not eat peanuts.`, {
    source: 'people/kelly.md',
    occurredAt: '2024-05-01',
  })
  await memory.retain('Kelly moved to Leeds.', { source: 'people/move.md' })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server?.close()
})
beforeEach(() => {
  reply = answer
  calls = 0
})

describe('prolepsis ask', () => {
  test('prints the answer with marks, and the sources with lines', async () => {
    const { code, out } = await store.run(['ask', 'When was Kelly born?', '--bank', bank])
    expect(code).toBe(0)
    expect(out).toBe(`${TEXT} [1]\n\n[1] people/kelly.md:3  2024-05-01 · people/kelly.md#1\n`)
  })

  test('writes sentences as they come on a terminal, with the same answer', async () => {
    const { code, out } = await store.run(['ask', 'When was Kelly born?', '--bank', bank], {
      terminal: 80,
      color: false,
    })
    expect(code).toBe(0)
    expect(out).toBe(`${TEXT} [1]\n\n[1] people/kelly.md:3  2024-05-01 · people/kelly.md#1\n`)
  })

  test('says "Not in memory." and ends well', async () => {
    reply = () => ({ status: 'not-in-memory', sentences: [], followUp: null })
    for (const options of [{}, { terminal: 80, color: false }]) {
      const { code, out } = await store.run(['ask', 'When was Kelly born?', '--bank', bank], options)
      expect([code, out]).toEqual([0, 'Not in memory.\n'])
    }
    const json = await store.json(['ask', 'When was Kelly born?', '--bank', bank])
    expect(json.json()).toMatchObject({ status: 'not-in-memory', text: null, sentences: [] })
  })

  test('gives everything as JSON', async () => {
    const run = await store.json([
      'ask',
      'When was Kelly born?',
      '--bank',
      bank,
      '--query',
      'What is her birthday?',
    ])
    expect(run.json()).toMatchObject({
      status: 'answered',
      text: TEXT,
      sentences: [{ support: 'quoted', citations: [{ ref: 'people/kelly.md#1', quote: TEXT.slice(0, -1) }] }],
      queries: ['When was Kelly born?', 'What is her birthday?'],
      usage: { calls: 1, inputTokens: 100, outputTokens: 20 },
    })
  })

  test('tells why on standard error', async () => {
    reply = (request) =>
      request.system.includes('You check sentences')
        ? { sentences: [{ id: 1, verdict: 'unsupported' }] }
        : { sentences: [{ text: 'Kelly is old.', citations: [{ id: 1, quote: 'Kelly' }] }] }
    const { out, err } = await store.run(['ask', 'Is Kelly old?', '--bank', bank, '--why', '--hops', '0'])
    expect(out).toBe('Not in memory.\n')
    expect(err).toContain('asked: Is Kelly old?')
    expect(err).toContain('left out (unsupported): Kelly is old.')
  })

  test('ends with the code of what failed', async () => {
    reply = () => 'I would rather not say.'
    expect((await store.json(['ask', 'Who?', '--bank', bank, '--limit', '3'])).errorCode()).toMatch(
      /^MODEL_REPLY_INVALID$/,
    )
    vi.stubEnv('PROLEPSIS_MODEL', undefined)
    const none = await store.json(['ask', 'Who is Kelly?', '--bank', bank])
    vi.stubEnv('PROLEPSIS_MODEL', 'openai-compatible:test')
    expect([none.code, none.errorCode()]).toEqual([2, 'MODEL_NOT_CONFIGURED'])
  })

  test.each([
    ['--yes'],
    ['--estimate'],
    ['--batch', '500'],
    ['--all', '--hops', '1'],
    ['--all', '--history', 'x.jsonl'],
    ['--all', '--stream'],
    ['--tag-strict'],
  ])('refuses %s %s where it has no meaning', async (...options) => {
    const run = await store.json(['ask', 'Who?', '--bank', bank, ...options])
    expect([run.code, run.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
    expect(calls).toBe(0)
  })
})

describe('prolepsis ask --all', () => {
  test('says what it takes, and asks no model for that', async () => {
    const { code, out } = await store.run(['ask', 'What of Kelly?', '--all', '--estimate', '--bank', bank])
    expect(code).toBe(0)
    expect(out).toMatch(/^2 documents, 2 chunks, \d+ tokens of text: about 3 calls, .*price unknown/)
    const json = await store.json(['ask', 'What of Kelly?', '--all', '--estimate', '--bank', bank])
    expect(json.json()).toMatchObject({ documents: 2, batches: 1, costUsd: null })
    expect(calls).toBe(0)
  })

  test('goes on with --yes: estimate on standard error, the list on standard output', async () => {
    reply = (request) =>
      request.system.includes('put together facts')
        ? { items: [1, 2].map((id) => ({ text: [TEXT, 'Kelly moved to Leeds.'][id - 1], ids: [id] })) }
        : facts(request)
    const { code, out, err } = await store.run(['ask', 'What of Kelly?', '--all', '--yes', '--bank', bank])
    expect(code).toBe(0)
    expect(out).toContain(`- ${TEXT} [1]\n- Kelly moved to Leeds. [2]\n\n[1] people/kelly.md:3`)
    expect(err).toContain('2 documents, 2 chunks')
  })

  test('does not go on where nobody can be asked', async () => {
    const run = await store.json(['ask', 'What of Kelly?', '--all', '--bank', bank])
    expect([run.code, run.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
    expect(run.err).toContain('2 documents')
    expect(calls).toBe(0)
  })

  test.each([
    ['n\n', 130, 0],
    ['y\n', 0, 1],
  ])('asks on a terminal, and does as %j says', async (stdin, code, least) => {
    reply = facts
    const args = ['ask', 'What of Kelly?', '--all', '--bank', bank, '--source', 'people/move']
    const run = await store.run(args, { terminal: 80, color: false, stdin })
    expect(run.code).toBe(code)
    expect(calls).toBe(least)
  })

  test('of nothing reads nothing and asks nobody', async () => {
    const run = await store.run(['ask', 'What?', '--all', '--bank', bank, '--source', 'nobody/'])
    expect([run.code, run.out]).toEqual([0, 'Not in memory.\n'])
    expect(calls).toBe(0)
  })

  test('names what could not be read, and ends with 1', async () => {
    reply = (request) => (passageWith(request, 'Leeds') > 0 ? 'no' : facts(request))
    const run = await store.run(['ask', 'What of Kelly?', '--all', '--yes', '--bank', bank])
    expect(run.code).toBe(1)
    expect(run.out).toContain(TEXT)
    expect(run.err).toContain('not read: people/move.md')
    expect(run.err).toContain('1 part of the text could not be read')
  })
})
