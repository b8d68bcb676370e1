import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { compileSources } from '../../../test/support/compiled-sources.ts'
import { createLocalEmbedder, describeLocalModel, type LocalEmbedder } from './local-embedder.ts'

const MODEL = fileURLToPath(new URL('../../../models/bge-small-en-v1.5-int8/', import.meta.url))
// written by reference.py, in this shape
const reference = JSON.parse(
  readFileSync(new URL('./__fixtures__/vectors.json', import.meta.url), 'utf8'),
) as { readonly text: string; readonly vector: readonly number[] }[]
const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0)
const symmetric = { purpose: 'symmetric' } as const

const closing: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const close of closing) await close()
})
async function open(options: Parameters<typeof createLocalEmbedder>[0] = {}): Promise<LocalEmbedder> {
  const embedder = await createLocalEmbedder(options)
  closing.push(embedder.close)
  return embedder
}
/** The package's model in a folder of its own, with another description. */
async function folder(description: Readonly<Record<string, unknown>> | string): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'prolepsis-model-'))
  closing.push(() => rm(path, { recursive: true }))
  for (const name of ['model.onnx', 'tokenizer.json']) await symlink(join(MODEL, name), join(path, name))
  const text = typeof description === 'string' ? description : JSON.stringify({ ...GOOD, ...description })
  await writeFile(join(path, 'model.json'), text)
  return path
}
const GOOD = { modelId: 'other', dimension: 384, maxTokens: 512, pooling: 'cls' }

describe.each(['native', 'wasm'] as const)('the local embedder, %s', (runtime) => {
  test('gives the vectors of the reference implementation', async () => {
    const embedder = await open({ runtime })
    // each alone, as the reference ran them; the WASM runtime rounds in another way, and quantisation enlarges that
    const least = runtime === 'native' ? 0.9999 : 0.99
    for (const { text, vector } of reference) {
      const [own] = await embedder.embed([text], symmetric)
      expect(cosine(own!, vector)).toBeGreaterThan(least)
    }
    expect(await embedder.load()).toEqual({ name: runtime, fallbackReason: null })
  })
})

describe('the local embedder', () => {
  test('puts the instruction before a question, and none before stored text', async () => {
    const embedder = await open()
    const [plain, instructed] = reference as [(typeof reference)[0], (typeof reference)[0]]
    const [vector] = await embedder.embed([plain.text], { purpose: 'query' })
    expect(cosine(vector!, instructed.vector)).toBeGreaterThan(0.9999)
  })

  test('gives the same vector whatever the company when every text runs alone', async () => {
    const embedder = await open({ maxBatchTokens: 1 })
    const company = await embedder.embed(
      ['an other text', 'ok', 'and one that is longer than both'],
      symmetric,
    )
    const [alone] = await embedder.embed(['ok'], symmetric)
    expect(company[1]).toEqual(alone)
  })

  test('stays close to that in batches', async () => {
    const [batched, single] = [await open(), await open({ maxBatchTokens: 1 })]
    const texts = Array.from(
      { length: 40 },
      (_, i) => `turn ${i}: I went to the ${'very '.repeat(i % 7)}old market`,
    )
    const [a, b] = [await batched.embed(texts, symmetric), await single.embed(texts, symmetric)]
    a.forEach((vector, i) => {
      expect(cosine(vector, b[i]!)).toBeGreaterThan(0.97)
    })
  })

  test('loads once for calls at the same time', async () => {
    const embedder = await open()
    const [first, second] = await Promise.all([
      embedder.load(),
      embedder.load(),
      embedder.embed(['x'], symmetric),
    ])
    expect(first).toBe(second)
  })

  test('lets a question in between the batches of a long call, and stops that when it is cancelled', async () => {
    const embedder = await open({ maxBatchTokens: 1 })
    await embedder.load()
    const cancel = new AbortController()
    const order: string[] = []
    const many = Array.from({ length: 400 }, (_, i) => `text number ${i}`)
    const long = embedder
      .embed(many, { purpose: 'symmetric', signal: cancel.signal })
      .finally(() => order.push('long'))
    const expected = expect(long).rejects.toMatchObject({ code: 'CANCELLED' })
    await embedder.embed(['a question'], { purpose: 'query' })
    order.push('question')
    cancel.abort()
    await expected
    expect(order).toEqual(['question', 'long'])
  })

  test('a close in the middle of a long call ends it', async () => {
    const embedder = await open({ maxBatchTokens: 1 })
    const call = expect(
      embedder.embed(
        Array.from({ length: 400 }, (_, i) => `text number ${i}`),
        symmetric,
      ),
    ).rejects.toMatchObject({ code: 'CLOSED' })
    await embedder.load()
    await embedder.close()
    await call
  })

  test('lets the process end by itself, closed or not', () => {
    const script = join(compileSources(), 'src/providers/local/__fixtures__/embed-and-end.js')
    for (const how of ['close', 'forget']) {
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, how], {
        encoding: 'utf8',
        timeout: 60_000,
      })
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '384\n', stderr: '' })
    }
  })

  test('lets the process exit in the middle of a call', () => {
    const script = join(compileSources(), 'src/providers/local/__fixtures__/exit-while-embedding.js')
    for (const how of ['exit', 'uncaught']) {
      const { status, signal } = spawnSync(process.execPath, [script, how], {
        stdio: 'ignore',
        timeout: 60_000,
      })
      expect({ how, status, signal }).toEqual({ how, status: how === 'uncaught' ? 1 : 7, signal: null })
    }
  })

  test('refuses options that do not fit', async () => {
    await expect(createLocalEmbedder({ threads: 0 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(createLocalEmbedder({ maxBatchTokens: 0.5 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    // what JavaScript may pass
    await expect(createLocalEmbedder({ runtime: 'gpu' as 'auto' })).rejects.toMatchObject({
      details: { option: 'runtime' },
    })
  })
})

describe('a model folder', () => {
  test('with another description is another model', async () => {
    const modelDir = await folder({ pooling: 'mean', queryPrefix: 'query: ', documentPrefix: 'passage: ' })
    const [other, own] = [await open({ modelDir }), await open()]
    expect(other.modelId).toBe('other')
    expect(await describeLocalModel({ modelDir })).toEqual({ modelId: 'other', dimension: 384 })
    const text = 'where the store is'
    const vectors = [
      ...(await other.embed([text], { purpose: 'query' })),
      ...(await other.embed([text], symmetric)),
      ...(await own.embed([text], symmetric)),
    ]
    expect(cosine(vectors[0]!, vectors[1]!)).toBeLessThan(0.999)
    expect(cosine(vectors[1]!, vectors[2]!)).toBeLessThan(0.999)
  })

  test.each([
    'not json',
    'null',
    '{}',
    { dimension: 0 },
    { maxTokens: 4 },
    { pooling: 'max' },
    { queryPrefix: 'query:' },
  ])('with the description %j is refused', async (description) => {
    const call = createLocalEmbedder({ modelDir: await folder(description) })
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      hint: expect.stringContaining('models/README.md'),
    })
  })

  test('that does not exist or lacks a file is refused by name', async () => {
    const call = createLocalEmbedder({ modelDir: '/nowhere/at/all' })
    await expect(call).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' })
    const modelDir = await folder({})
    await rm(join(modelDir, 'tokenizer.json'))
    await expect(createLocalEmbedder({ modelDir })).rejects.toThrow('tokenizer.json')
    await expect(describeLocalModel({ modelDir })).rejects.toThrow('tokenizer.json')
  })

  test('with a damaged tokeniser or model is refused', async () => {
    const modelDir = await folder({})
    await rm(join(modelDir, 'model.onnx'))
    await copyFile(join(MODEL, 'model.onnx'), join(modelDir, 'model.onnx'))
    await truncate(join(modelDir, 'model.onnx'), 1_000_000)
    for (const runtime of ['native', 'wasm'] as const) {
      const embedder = await open({ modelDir, runtime })
      const call = embedder.embed(['x'], symmetric)
      await expect(call).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND', hint: expect.any(String) })
      // and again: a load that failed is tried again
      await expect(embedder.load()).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' })
    }
    await rm(join(modelDir, 'tokenizer.json'))
    await writeFile(join(modelDir, 'tokenizer.json'), '{"model":')
    await expect(createLocalEmbedder({ modelDir })).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' })
  })

  test('whose model has another dimension than it says fails at the first text', async () => {
    const embedder = await open({ modelDir: await folder({ dimension: 100 }) })
    const call = embedder.embed(['x'], symmetric)
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('1 × 3 × 384'),
    })
  })
})
