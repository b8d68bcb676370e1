import { expect, test } from 'vitest'
import { createMemory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { storeOf } from '../support/store-of.ts'
import { codeOf } from '../support/test-memory.ts'

test('a name, a dimension and a function are an embedder: vectors are made unit vectors, long texts split', async () => {
  const fake = createFakeEmbedder()
  const lengths: number[] = []
  const purposes = new Set<string>()
  await using memory = await createMemory({
    inMemory: true,
    embedder: {
      modelId: 'mine',
      dimension: fake.dimension,
      // the parameters' types come from the option
      embed: async (texts, { purpose }) => {
        purposes.add(purpose)
        lengths.push(...texts.map((text) => text.length))
        return (await fake.embed(texts, { purpose })).map((vector) => Array.from(vector, (x) => 7 * x))
      },
    },
  })
  await memory.retain('Herons eat fish.', { source: 'heron', questions: ['who? '.repeat(1000)] })
  await memory.retain('Storks eat frogs.', { source: 'stork' })
  expect((await memory.recall('Herons eat fish.')).passages[0]?.source).toBe('heron')
  expect(Math.max(...lengths)).toBeLessThan(2_000)
  expect(purposes).toEqual(new Set(['query', 'symmetric']))
  const { database, bankId, space } = await storeOf(memory)
  const [worst] = await database.query<{ off: number }>(
    `select max(abs(vector_norm(embedding) - 1)) as off from vectors_${space.spaceId} where bank_id = $1`,
    [bankId],
  )
  expect(worst?.off).toBeLessThan(1e-5)
})

test('what is missing, or wrong in what the function returns, is told', async () => {
  const embed = async () => [[1, 2, 3]]
  const open = (embedder: unknown) =>
    // what JavaScript may pass
    codeOf(createMemory({ inMemory: true, embedder } as MemoryOptions))
  for (const wrong of [
    null,
    7,
    { modelId: 'm', dimension: 2 },
    { dimension: 2, embed },
    { modelId: 'm', dimension: 0, embed },
  ]) {
    expect(await open(wrong)).toBe('INVALID_ARGUMENT')
  }
  await using memory = await createMemory({ inMemory: true, embedder: { modelId: 'm', dimension: 2, embed } })
  expect(await codeOf(memory.retain('Text.'))).toBe('MODEL_FAILED')
})
