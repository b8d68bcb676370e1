import { expect, test } from 'vitest'
import type { SpaceSettings } from '../domain/embedder.ts'
import { createFakeEmbedder } from '../testing.ts'
import { createEmbedderShelf, type ShelvedEmbedder } from './embedder-shelf.ts'
import type { EmbedderSource } from './embedder-source.ts'

/** A source that says when it was freed. */
function source(name: string, dimension: number, freed: string[]): EmbedderSource {
  const model = createFakeEmbedder({ dimension })
  return {
    identity: async () => ({ modelId: model.modelId, dimension }),
    load: async () => model,
    close: async () => void freed.push(name),
  }
}

test('of two models of one space the last stays, but never the place of the own one; all are freed at the end', async () => {
  const freed: string[] = []
  const shelved = (name: string, dimension: number, settings: SpaceSettings | null): ShelvedEmbedder => ({
    source: source(name, dimension, freed),
    settings,
  })
  const own = shelved('own', 8, {})
  const shelf = createEmbedderShelf(own, () => source('under', 16, freed))
  const space = (dimension: number) => ({ modelId: createFakeEmbedder({ dimension }).modelId, dimension })
  expect((await shelf.of(space(8)))?.source).toBe(own.source)
  expect(await shelf.of(space(16))).toBeNull()

  const first = shelved('first', 16, null)
  const second = shelved('second', 16, null)
  await shelf.put(first)
  await shelf.put(second)
  expect((await shelf.of(space(16)))?.source).toBe(second.source)
  expect(freed).toEqual([])

  expect((await shelf.put(shelved('like own', 8, null))).source).toBe(own.source)
  expect(freed).toEqual(['like own'])

  const folder = shelved('folder', 32, { modelDir: '/models/a' })
  await shelf.put(folder)
  const again = await shelf.put(shelved('folder again', 32, { modelDir: '/models/a' }))
  expect(again.source).toBe(folder.source)
  expect(shelf.settingsOf(space(32))).toEqual({ modelDir: '/models/a' })
  expect(freed).toEqual(['like own', 'folder again'])

  await shelf.close()
  expect(freed.slice(2).sort()).toEqual(['first', 'folder', 'own', 'second'])
})
