import { expect, test } from 'vitest'
import { createFakeEmbedder } from './fake-embedder.ts'

const symmetric = { purpose: 'symmetric' } as const

test('the same text has the same vector in every instance, case and purpose aside', async () => {
  const [a] = await createFakeEmbedder().embed(['The Old Market'], symmetric)
  const [b] = await createFakeEmbedder().embed(['the old market'], { purpose: 'query' })
  expect(a).toEqual(b)
  // pinned: tests elsewhere may lean on it
  expect(Array.from(a!.slice(0, 3), (x) => Number(x.toFixed(4)))).toMatchInlineSnapshot(`
    [
      0.0099,
      0.0521,
      0.1885,
    ]
  `)
})

test('unrelated texts are near to orthogonal at a larger dimension', async () => {
  const [a, b] = await createFakeEmbedder({ dimension: 512 }).embed(
    ['apples and pears', 'quarterly tax'],
    symmetric,
  )
  expect(Math.abs(a!.reduce((sum, x, i) => sum + x * b![i]!, 0))).toBeLessThan(0.2)
})

test('counts words, and each ideograph', () => {
  const model = createFakeEmbedder()
  expect(["It's one", '今天天气', 'a1 b-2', '', '—'].map(model.countTokens)).toEqual([3, 4, 3, 0, 0])
})

test('keeps what it was asked', async () => {
  const model = createFakeEmbedder({ modelId: 'mine' })
  await model.embed(['a'], { purpose: 'query' })
  expect(model.calls).toEqual([{ texts: ['a'], purpose: 'query' }])
  expect(model.modelId).toBe('mine')
})
