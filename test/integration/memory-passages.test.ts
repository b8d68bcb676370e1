import { expect, test } from 'vitest'
import { useTestMemory } from '../support/test-memory.ts'

const { bank } = useTestMemory()

test('a chunk by its ref, verbatim, and its neighbours in reading order, fewer at the ends', async () => {
  const memory = bank()
  const bought = ['one apple', 'two pears', 'three plums', 'four figs', 'five kiwis'].map((words, at) => ({
    role: 'user',
    name: at % 2 === 0 ? 'Ann' : 'Ben',
    content: `I bought ${words}.`,
  }))
  await memory.retain(bought, { source: 'log' })
  expect(await memory.get('log#3')).toMatchObject({ ref: 'log#3', speaker: 'Ann', score: 1, kind: 'turn' })
  expect((await memory.get('log#3'))?.text).toContain('I bought three plums.')
  for (const ref of ['log#9', 'log@7#1', 'nowhere#1', 'no ref', '']) expect(await memory.get(ref)).toBeNull()

  const refs = async (...call: Parameters<typeof memory.neighbours>) =>
    (await memory.neighbours(...call)).map((passage) => passage.ref)
  expect(await refs('log#3')).toEqual(['log#2', 'log#4'])
  expect(await refs('log#1', { before: 3, after: 2 })).toEqual(['log#2', 'log#3'])
  expect(await refs('log#5', { before: 0, after: 4 })).toEqual([])
})
