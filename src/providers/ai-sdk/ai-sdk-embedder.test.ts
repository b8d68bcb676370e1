import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWireServer, type WireAnswer, type WireServer } from '../../../test/support/wire-server.ts'
import { systemClock } from '../../domain/ports.ts'
import type { AttemptWorld } from '../calls/attempts.ts'
import { createWaitingLine } from '../calls/waiting-line.ts'
import { createEmbedder, createReranker } from '../models.ts'
import { EMBEDDING_PROVIDERS, type EmbeddingProvider } from '../provider-access.ts'

let server: WireServer
beforeAll(async () => {
  server = await startWireServer()
})
afterAll(() => server.close())

const world: AttemptWorld = {
  ...{ line: createWaitingLine(4), clock: systemClock },
  timer: {
    after(ms, work) {
      // pauses pass at once, limits never
      if (ms < 60_000) queueMicrotask(work)
      return () => undefined
    },
  },
}
const calls = (path = '') => ({
  access: () => ({ key: 'k-123', variable: 'V', baseUrl: server.url + path }),
  ...{ world, policy: { attempts: 2, timeoutMs: 60_000 } },
})
const symmetric = { purpose: 'symmetric' } as const
const [one, two] = [
  [3, 4],
  [0, 2],
]

/** Replies as vendors document them; not captures of live traffic. */
const EMBEDDINGS: Readonly<
  Record<EmbeddingProvider, { path: string; reply: (vectors: number[][]) => unknown }>
> = {
  // https://platform.openai.com/docs/api-reference/embeddings/create
  openai: { path: '/embeddings', reply: (vectors) => openaiReply(vectors) },
  // https://ai.google.dev/api/embeddings#method:-models.batchembedcontents
  google: {
    path: '/models/m:batchEmbedContents',
    reply: (vectors) =>
      vectors.length === 1
        ? { embedding: { values: vectors[0] }, embeddings: [{ values: vectors[0] }] }
        : { embeddings: vectors.map((values) => ({ values })) },
  },
  // https://docs.mistral.ai/api/#tag/embeddings
  mistral: { path: '/embeddings', reply: (vectors) => openaiReply(vectors) },
  // https://docs.cohere.com/reference/embed
  cohere: {
    path: '/embed',
    reply: (vectors) => ({
      ...{
        id: '54910170-852f-4322-9767-63d36e55c3bf',
        texts: vectors.map(() => 'x'),
        embeddings: { float: vectors },
      },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 2 } },
    }),
  },
  // https://docs.ollama.com/api/openai-compatibility
  ollama: { path: '/embeddings', reply: (vectors) => openaiReply(vectors) },
  'openai-compatible': { path: '/embeddings', reply: (vectors) => openaiReply(vectors) },
}
const openaiReply = (vectors: number[][]): unknown => ({
  ...{ object: 'list', model: 'm', usage: { prompt_tokens: 8, total_tokens: 8 } },
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
})
const json = (value: unknown): WireAnswer => ({ json: value })

describe.each(EMBEDDING_PROVIDERS)('an embedder of %s', (provider) => {
  const { reply, path } = EMBEDDINGS[provider]

  test('learns its dimension from one word and gives unit vectors', async () => {
    server.answer(json(reply([one!])), json(reply([one!, two!])))
    const embedder = await createEmbedder(`${provider}:m`, calls())
    expect(embedder).toMatchObject({ modelId: `${provider}:m`, dimension: 2 })
    expect((await embedder.embed(['a', 'b'], symmetric)).map((vector) => [...vector])).toEqual([
      [Math.fround(0.6), Math.fround(0.8)],
      [0, 1],
    ])
    expect(server.requests).toHaveLength(2)
    expect(server.requests[1]!.path).toBe(path)
  })

  test('asks nobody where the dimension is known, and tries again what may pass', async () => {
    server.answer({ status: 503, json: {} }, json(reply([one!])))
    const embedder = await createEmbedder(`${provider}:m`, calls(), 2)
    expect(await embedder.embed(['a'], { purpose: 'query' })).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
    server.answer(json(reply([[1, 2, 3]])))
    await expect(embedder.embed(['a'], symmetric)).rejects.toMatchObject({ code: 'MODEL_FAILED' })
  })

  test('a refusal is one', async () => {
    server.answer({
      status: 401,
      json: { error: { message: 'no such key k-123' }, message: 'no such key k-123' },
    })
    const failed = await createEmbedder(`${provider}:m`, calls()).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'MODEL_REFUSED', retryable: false })
    expect(String(failed)).not.toContain('k-123')
    expect(server.requests).toHaveLength(1)
  })
})

test('the purpose is told where the vendor asks for it', async () => {
  server.answer(json(EMBEDDINGS.cohere.reply([one!])))
  const embedder = await createEmbedder('cohere:m', calls(), 2)
  await embedder.embed(['a'], { purpose: 'query' })
  await embedder.embed(['a'], symmetric)
  expect(server.requests.map(({ body }) => body.input_type)).toEqual(['search_query', 'search_document'])
})

describe('a reranker of cohere', () => {
  const rerankerOf = () =>
    createReranker('cohere:rerank-v3.5', {
      ...calls(),
      local: {},
      calls: () => Promise.reject(new Error('no grader')),
    })
  // https://docs.cohere.com/reference/rerank
  const reply = (...results: [index: number, score: number][]): WireAnswer =>
    json({
      results: results.map(([index, relevance_score]) => ({ index, relevance_score })),
      ...{
        id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
        meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      },
    })

  test('gives its scores in the order of the documents', async () => {
    server.answer(reply([1, 0.99], [0, 0.2]))
    const reranker = await rerankerOf()
    expect(await reranker.rerank({ query: 'rain', documents: ['a', 'b'] })).toEqual([0.2, 0.99])
    expect(server.requests[0]).toMatchObject({
      path: '/rerank',
      body: { model: 'rerank-v3.5', query: 'rain', documents: ['a', 'b'], top_n: 2 },
    })
  })

  test('a reply that leaves documents out is none, and is asked for again', async () => {
    server.answer(reply([0, 0.5]), reply([0, 0.5], [1, 0.4]))
    expect(await (await rerankerOf()).rerank({ query: 'rain', documents: ['a', 'b'] })).toEqual([0.5, 0.4])
    server.answer(reply([0, 0.5]))
    await expect((await rerankerOf()).rerank({ query: 'rain', documents: ['a', 'b'] })).rejects.toMatchObject(
      {
        code: 'MODEL_REPLY_INVALID',
      },
    )
  })
})
