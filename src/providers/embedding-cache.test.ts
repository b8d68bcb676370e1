import { expect, test } from 'vitest'
import { ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import { withCache } from './embedding-cache.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import { createFakeEmbedder } from './fake/fake-embedder.ts'

const symmetric = { purpose: 'symmetric' } as const

/** A model whose calls end when the test says so. */
function gatedModel() {
  const inner = createFakeEmbedder()
  const gates: { open: () => void; fail: (error: Error) => void }[] = []
  const model: EmbeddingModel = {
    ...inner,
    async embed(texts, options) {
      await new Promise<void>((open, fail) => gates.push({ open, fail }))
      throwIfAborted(options.signal)
      return inner.embed(texts, options)
    },
  }
  return { model, gates, inner }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a text is embedded once, in one call and in the next', async () => {
  const inner = createFakeEmbedder()
  const model = withCache(inner)
  const [a, b, a2] = await model.embed(['a', 'b', 'a'], symmetric)
  const [again] = await model.embed(['a'], symmetric)
  expect(inner.calls.map(({ texts }) => texts)).toEqual([['a', 'b']])
  expect([a2, again]).toEqual([a, a])
  expect(b).not.toEqual(a)
})

test('purposes are kept apart', async () => {
  const inner = createFakeEmbedder()
  const model = withCache(inner)
  await model.embed(['a'], symmetric)
  await model.embed(['a'], { purpose: 'query' })
  expect(inner.calls).toHaveLength(2)
})

test('what a caller does to a vector stays with the caller', async () => {
  const model = withCache(createFakeEmbedder())
  const [first] = await model.embed(['a'], symmetric)
  const before = first!.slice()
  first!.fill(0)
  expect(await model.embed(['a'], symmetric)).toEqual([before])
})

test('the least recently used leaves first', async () => {
  const inner = createFakeEmbedder()
  const model = withCache(inner, { maxEntries: 2 })
  for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await model.embed([text], symmetric)
  expect(inner.calls.map(({ texts }) => texts[0])).toEqual(['a', 'b', 'c', 'b'])
})

test('one call may hold more texts than are kept', async () => {
  const inner = createFakeEmbedder()
  const texts = ['a', 'b', 'c', 'd']
  expect(await withCache(inner, { maxEntries: 2 }).embed(texts, symmetric)).toEqual(
    await createFakeEmbedder().embed(texts, symmetric),
  )
})

test('calls at the same time share what is under way', async () => {
  const { model: slow, gates, inner } = gatedModel()
  const model = withCache(slow)
  const first = model.embed(['a', 'b'], symmetric)
  const second = model.embed(['b', 'c'], symmetric)
  await turn()
  for (const gate of gates) gate.open()
  expect((await first)[1]).toEqual((await second)[0])
  expect(inner.calls.map(({ texts }) => texts)).toEqual([['a', 'b'], ['c']])
})

test('one that is cancelled does not cancel another that waits for the same text', async () => {
  const { model: slow, gates } = gatedModel()
  const model = withCache(slow)
  const cancel = new AbortController()
  const first = model.embed(['a'], { purpose: 'symmetric', signal: cancel.signal })
  const second = model.embed(['a'], symmetric)
  const cancelled = expect(first).rejects.toMatchObject({ code: 'CANCELLED' })
  await turn()
  cancel.abort()
  gates[0]!.open()
  await cancelled
  await turn()
  gates[1]!.open()
  expect(await second).toEqual(await createFakeEmbedder().embed(['a'], symmetric))
})

test('a failure reaches all who wait and is not kept', async () => {
  const { model: slow, gates } = gatedModel()
  const model = withCache(slow)
  const calls = [model.embed(['a'], symmetric), model.embed(['a'], symmetric)].map((call) =>
    expect(call).rejects.toMatchObject({ code: 'MODEL_FAILED' }),
  )
  await turn()
  gates[0]!.fail(new ProlepsisError('MODEL_FAILED', 'gone'))
  await Promise.all(calls)
  const third = model.embed(['a'], symmetric)
  await turn()
  gates[1]!.open()
  expect(await third).toHaveLength(1)
})

test('the second place is asked for what memory lacks, the model for the rest', async () => {
  const inner = createFakeEmbedder()
  const stored = Float32Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0))
  const asked: (readonly string[])[] = []
  const model = withCache(inner, {
    lookup: async (texts) => {
      asked.push(texts)
      return new Map([['a', stored]])
    },
  })
  expect((await model.embed(['a', 'b'], symmetric))[0]).toEqual(stored)
  await model.embed(['a', 'b'], symmetric)
  expect(asked).toEqual([['a', 'b']])
  expect(inner.calls.map(({ texts }) => texts)).toEqual([['b']])
})

test('a text that was split is told at every hit', async () => {
  const model = withCache(createFakeEmbedder({ maxTokens: 2 }))
  const told: number[][] = []
  const onSplit = (...split: number[]): void => {
    told.push(split)
  }
  await model.embed(['x', 'a b c'], { purpose: 'symmetric', onSplit })
  await model.embed(['a b c'], { purpose: 'symmetric', onSplit })
  expect(told).toEqual([
    [1, 2],
    [0, 2],
  ])
})
