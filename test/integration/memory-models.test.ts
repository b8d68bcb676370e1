import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createMemory,
  createRecordingModel,
  createReplayModel,
  type Memory,
  type MemoryOptions,
} from '../../src/index.ts'
import { createFakeEmbedder, createFakeLanguageModel } from '../../src/testing.ts'
import { startWireServer, type WireServer } from '../support/wire-server.ts'

let opened: Memory | undefined
const folders: string[] = []
afterEach(async () => {
  await opened?.close()
  opened = undefined
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const open = async (options: MemoryOptions): Promise<Memory> => {
  opened = await createMemory({ inMemory: true, embedder: createFakeEmbedder(), ...options })
  return opened
}
const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'prolepsis-models-'))
  folders.push(made)
  return made
}

describe('names of models', () => {
  test.each<[MemoryOptions, string, RegExp]>([
    [{ model: 'gpt-5-mini' }, 'PROVIDER_UNKNOWN', /Did you mean "openai:gpt-5-mini"\?/],
    [
      { model: 'antropic:claude-sonnet-4-5' },
      'PROVIDER_UNKNOWN',
      /Did you mean "anthropic:claude-sonnet-4-5"\?/,
    ],
    [{ model: 'acme:x' }, 'PROVIDER_UNKNOWN', /Providers: anthropic, openai, google/],
    [{ model: 'openai:' }, 'PROVIDER_UNKNOWN', /provider:model/],
    [{ model: 'record:calls.jsonl:acme:x' }, 'PROVIDER_UNKNOWN', /Providers/],
    [{ embedder: 'anthropic:claude' }, 'PROVIDER_UNKNOWN', /Providers: openai, google, mistral, cohere/],
    [{ reranker: 'rerank-v3.5' }, 'PROVIDER_UNKNOWN', /Did you mean "cohere:rerank-v3.5"\?/],
    [{ reranker: 'grader:gpt-5' }, 'PROVIDER_UNKNOWN', /Did you mean "openai:gpt-5"\?/],
    [{ model: 'openai:x', dayCostUsd: 1 }, 'INVALID_CONFIG', /input_price and output_price/],
    [{ reranker: 'grader:openai:x', dayCostUsd: 1 }, 'INVALID_CONFIG', /input_price and output_price/],
    [{ model: () => '', documentCostUsd: 1, inputPrice: 1 }, 'INVALID_CONFIG', /output_price/],
  ])('%j is refused before anything is opened', async (options, code, hint) => {
    await expect(open(options)).rejects.toMatchObject({ code, hint: expect.stringMatching(hint) })
  })

  test.each<[unknown]>([[3], [{}], [{ modelId: 'm' }], [{ modelId: '', generate: () => '' }]])(
    'a model %j that is none is an invalid argument',
    async (model) => {
      // what JavaScript may pass
      await expect(open({ model: model as () => string })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { option: 'model' },
      })
    },
  )

  test('money is judged where prices are known, or the model tells what it took', async () => {
    const memory = await open({ model: () => '', dayCostUsd: 1, inputPrice: 1, outputPrice: 5 })
    expect(memory.name).toBe('default')
    await memory.close()
    await open({ model: { modelId: 'm', generate: () => '', reportsCost: true }, dayCostUsd: 1 })
  })
})

describe('recall with a model', () => {
  const formulating = '{"queries":["When was Kelly born?"]}'

  test('a plain function is enough; what it took is in the trace and the book of the day', async () => {
    const asked: string[] = []
    const memory = await open({
      enrich: false,
      model: Object.assign(
        ({ purpose }: { purpose: string }) => {
          asked.push(purpose)
          return formulating
        },
        { modelId: 'mine:one' },
      ),
    })
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    const found = await memory.recall('her birthday?')
    expect(asked).toEqual(['formulate'])
    expect(found.queries).toContain('When was Kelly born?')
    expect((await memory.stats()).modelUsage).toEqual([
      expect.objectContaining({ modelId: 'mine:one', purpose: 'formulate', calls: 1, costUsd: 0 }),
    ])
  })

  test('a recording answers as the model did, and says what it lacks', async () => {
    const file = join(folder(), 'calls.jsonl')
    const fake = createFakeLanguageModel({ reply: () => formulating })
    const { createRecordingModel } = await import('../../src/index.ts')
    const recording = await open({ enrich: false, model: createRecordingModel(fake, file) })
    await recording.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    const first = await recording.recall('her birthday?')
    await recording.close()
    expect(fake.calls).toHaveLength(1)

    const replaying = await open({ enrich: false, model: `replay:${file}` })
    await replaying.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    expect((await replaying.recall('her birthday?')).queries).toEqual(first.queries)
    const other = await replaying.recall('something else?')
    expect(other.passages).toHaveLength(1)
    expect(readFileSync(file, 'utf8')).not.toContain('her birthday')

    const model = await createReplayModel(file)
    const request = { purpose: 'formulat', system: '', prompt: '', maxOutputTokens: 1 }
    await expect(model.generate(request)).rejects.toMatchObject({
      code: 'RECORDING_MISSING',
      details: { hash: expect.stringMatching(/^[0-9a-f]{64}$/), nearest: 'formulate' },
    })
  })

  test('a recording that was made with another room for thinking says so', async () => {
    const file = join(folder(), 'calls.jsonl')
    const asked = { purpose: 'draft', system: 'Write.', prompt: 'It rains.', maxOutputTokens: 900 }
    await createRecordingModel(createFakeLanguageModel(), file).generate(asked)
    const model = await createReplayModel(file)
    await expect(model.generate({ ...asked, maxOutputTokens: 90 })).rejects.toMatchObject({
      code: 'RECORDING_MISSING',
      hint: expect.stringContaining('thinking_tokens'),
    })
    await expect(model.generate({ ...asked, prompt: 'It snows.' })).rejects.toMatchObject({
      hint: expect.stringContaining('version of the prompt'),
    })
  })

  test('a recording that is not there, or damaged, says so at the first call and loses no text', async () => {
    const file = join(folder(), 'calls.jsonl')
    const memory = await open({ enrich: false, model: `replay:${file}` })
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    expect((await memory.recall('When was Kelly born?')).passages).toHaveLength(1)
    await expect(createReplayModel(file)).rejects.toMatchObject({ code: 'UNREADABLE_FILE' })
    writeFileSync(file, '{"hash":"x"}\n')
    await expect(createReplayModel(file)).rejects.toMatchObject({
      code: 'IMPORT_INVALID',
      details: { line: 1 },
    })
  })
})

describe('a provider', () => {
  let server: WireServer
  beforeAll(async () => {
    server = await startWireServer()
  })
  afterAll(() => server.close())
  const chat = (content: string) => ({
    json: { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] },
  })
  const opening = (more: MemoryOptions = {}) =>
    open({ model: 'openai-compatible:local', modelBaseUrl: `${server.url}/v1`, enrich: false, ...more })

  test('formulates by its name and address, with the key of the environment', async () => {
    vi.stubEnv('PROLEPSIS_MODEL_KEY', 'key-of-the-model')
    server.answer(chat('{"queries":["When was Kelly born?"]}'))
    const memory = await opening()
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    expect((await memory.recall('her birthday?')).queries).toContain('When was Kelly born?')
    expect(server.requests[0]?.headers.authorization).toBe('Bearer key-of-the-model')
    vi.unstubAllEnvs()
  })

  test.each<[string, Parameters<WireServer['answer']>[0], string]>([
    ['refuses', { status: 401, json: { error: { message: 'no' } } }, 'MODEL_REFUSED'],
    ['fails', { status: 500, json: { error: { message: 'no' } } }, 'MODEL_UNAVAILABLE'],
    ['hangs', { hang: true }, 'MODEL_TIMEOUT'],
    ['is a page', { text: '<html>' }, 'MODEL_UNAVAILABLE'],
    ['says nothing', chat(''), 'MODEL_REPLY_INVALID'],
  ])('that %s takes no text away; a call that needs it says why', async (_, answer, code) => {
    server.answer(answer)
    const modelTimeoutMs = code === 'MODEL_TIMEOUT' ? 300 : 120_000
    const memory = await opening({ modelTimeoutMs, formulateMs: 100, modelAttempts: 1 })
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    const found = await memory.recall('When was Kelly born?')
    expect(found.passages).toHaveLength(1)
    expect(found.formulation.by).toBe('rules')
    await expect(memory.ask('When was Kelly born?')).rejects.toMatchObject({ code })
  })

  test.each([
    ['grader:ollama:judge', true],
    ['grader:openai-compatible:judge', false],
  ])('its address is that of its provider: %s is asked there: %s', async (reranker, isAsked) => {
    server.answer(chat('{"ranking":[2,1]}'))
    const memory = await opening({ model: 'ollama:local', reranker, formulator: 'rules' })
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    await memory.retain('Kelly likes birthdays.', { source: 'likes.md' })
    const { degraded } = await memory.recall('When was Kelly born?', { rerank: true })
    expect(server.requests.map(({ body }) => body.model)).toEqual(isAsked ? ['judge'] : [])
    expect(degraded.join()).toMatch(isAsked ? /^$/ : /rerank: INVALID_CONFIG .*address/)
  })

  test('without its key is told of at the first call that needs it, by its variable', async () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    const memory = await open({ model: 'openai:gpt-5-mini', enrich: false })
    await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    expect((await memory.recall('When was Kelly born?')).passages).toHaveLength(1)
    await expect(memory.ask('When was Kelly born?')).rejects.toMatchObject({
      code: 'MODEL_KEY_MISSING',
      hint: expect.stringContaining('OPENAI_API_KEY'),
    })
    vi.unstubAllEnvs()
  })

  test('embeds, and a bank of its own is opened without asking for the dimension again', async () => {
    const vectors = (count: number) => ({
      json: { data: Array.from({ length: count }, (_, index) => ({ index, embedding: [3, 4, 0, index] })) },
    })
    const dataDir = join(folder(), 'store')
    const options: MemoryOptions = {
      dataDir,
      embedderBaseUrl: `${server.url}/v1`,
      embedder: 'openai-compatible:e',
    }
    server.answer(vectors(1), vectors(1))
    const filling = await createMemory(options)
    await filling.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md' })
    expect((await filling.stats()).bank).toMatchObject({ modelId: 'openai-compatible:e', dimension: 4 })
    await filling.close()
    server.answer({ status: 503, json: {} })
    const offline = await createMemory({ ...options, modelAttempts: 1 })
    const found = await offline.recall('When was Kelly born?')
    expect(found.passages).toHaveLength(1)
    expect(found.degraded.join()).toMatch(/openai-compatible:e/)
    await offline.close()
  })
})
