import { expect, test } from 'vitest'
import { batchesOf } from './batches.ts'

const sizes = async (items: Iterable<number> | AsyncIterable<number>, full = 3) => {
  const batches: number[][] = []
  for await (const batch of batchesOf(
    items,
    async (item) => item * 2,
    (one) => one.length >= full,
  ))
    batches.push([...batch])
  return batches
}

test('batches are full but for the last, in order, each item prepared', async () => {
  expect(await sizes([1, 2, 3, 4, 5, 6, 7])).toEqual([[2, 4, 6], [8, 10, 12], [14]])
  expect(await sizes([])).toEqual([])
})

test('a batch does not wait for an item that lets itself be waited for', async () => {
  let release = (): void => undefined
  async function* feed(): AsyncGenerator<number> {
    yield 1
    await new Promise<void>((resolve) => {
      release = resolve
    })
    yield 2
  }
  const batches: number[][] = []
  for await (const batch of batchesOf(
    feed(),
    async (item) => item,
    () => false,
  )) {
    batches.push([...batch])
    release()
  }
  expect(batches).toEqual([[1], [2]])
})

test('a source is ended when the consumer leaves, and its error comes through', async () => {
  let ended = false
  function* source(): Generator<number> {
    try {
      yield* [1, 2, 3, 4, 5, 6]
    } finally {
      ended = true
    }
  }
  for await (const _ of batchesOf(
    source(),
    async (item) => item,
    (one) => one.length >= 2,
  ))
    break
  expect(ended).toBe(true)
  function* broken(): Generator<number> {
    yield 1
    throw new Error('broken')
  }
  await expect(sizes(broken())).rejects.toThrow('broken')
})

test('an item without room in the batch begins the next one, and one larger than any batch stands alone', async () => {
  const batches: number[][] = []
  const sum = (batch: readonly number[]): number => batch.reduce((all, one) => all + one, 0)
  for await (const batch of batchesOf(
    [4, 4, 4, 50, 1, 9, 1],
    async (item) => item,
    (batch) => sum(batch) >= 10,
    (batch, next) => sum(batch) + next <= 10,
  ))
    batches.push([...batch])
  expect(batches).toEqual([[4, 4], [4], [50], [1, 9], [1]])
})

test('what came before an error of the source is given first', async () => {
  async function* broken(): AsyncGenerator<number> {
    yield* [1, 2, 3, 4]
    throw new Error('broken')
  }
  const batches: number[][] = []
  const all = async (): Promise<void> => {
    for await (const batch of batchesOf(
      broken(),
      async (item) => item,
      (one) => one.length >= 3,
    ))
      batches.push([...batch])
  }
  await expect(all()).rejects.toThrow('broken')
  expect(batches).toEqual([[1, 2, 3], [4]])
})
