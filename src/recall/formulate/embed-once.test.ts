import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../../test/support/hashing-embedder.ts'
import type { EmbeddingModel, EmbedOptions } from '../../providers/embedding-model.ts'
import { embedOnce } from './embed-once.ts'

const watched = (): { model: EmbeddingModel; asked: { texts: readonly string[]; purpose: string }[] } => {
  const inner = createHashingEmbedder()
  const asked: { texts: readonly string[]; purpose: string }[] = []
  const embed = (texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]> => {
    asked.push({ texts, purpose: options.purpose })
    return inner.embed(texts, options)
  }
  return { model: { ...inner, embed }, asked }
}

test('a text is embedded once a purpose, and every caller has its vector in its place', async () => {
  const { model, asked } = watched()
  const once = await embedOnce(async () => model)()
  const first = once.embed(['red', 'blue'], { purpose: 'query' })
  const second = once.embed(['blue', 'green', 'blue'], { purpose: 'query' })
  await once.embed(['blue'], { purpose: 'symmetric' })
  const [, blue] = await first
  const [again, green, third] = await second
  expect(asked).toEqual([
    { texts: ['red', 'blue'], purpose: 'query' },
    { texts: ['green'], purpose: 'query' },
    { texts: ['blue'], purpose: 'symmetric' },
  ])
  expect([again, third]).toEqual([blue, blue])
  expect(green).toEqual((await model.embed(['green'], { purpose: 'query' }))[0])
})

test('whoever asks for a text that was split hears of it, by its own index', async () => {
  const { model } = watched()
  const once = await embedOnce(async () => model)()
  const long = 'word '.repeat(600)
  const heard: [string, number, number][] = []
  const hearing = (who: string): EmbedOptions => ({
    purpose: 'query',
    onSplit: (index, parts) => void heard.push([who, index, parts]),
  })
  await once.embed([long], hearing('a'))
  await once.embed(['short', long], hearing('b'))
  expect(heard).toEqual([
    ['a', 0, 3],
    ['b', 1, 3],
  ])
})

test('a failure is everybody’s, and the model is not asked again', async () => {
  let calls = 0
  const failing: EmbeddingModel = {
    ...createHashingEmbedder(),
    embed: () => {
      calls++
      return Promise.reject(new Error('no vectors today'))
    },
  }
  const once = await embedOnce(async () => failing)()
  await expect(once.embed(['a'], { purpose: 'query' })).rejects.toThrow('no vectors today')
  await expect(once.embed(['a'], { purpose: 'query' })).rejects.toThrow('no vectors today')
  expect(calls).toBe(1)
})
