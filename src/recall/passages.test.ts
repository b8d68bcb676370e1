import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import { getPassage, neighbourPassages } from './passages.ts'
import { similarPassages } from './similar.ts'

const LOG = ['one apple', 'two pears', 'three plums', 'four figs', 'five kiwis'].map((words, i) => ({
  role: 'user',
  name: i % 2 === 0 ? 'Ann' : 'Ben',
  content: `I bought ${words}.`,
}))

describe('passages by ref', () => {
  let bank: TestBank
  beforeAll(async () => {
    bank = await openTestBank()
    await bank.retain(LOG, { source: 'log', occurredAt: '2023-01-01' })
    await bank.retain('Plums and figs are in season in autumn.', { source: 'fruit' })
    await bank.retain('The lighthouse was painted white.', { source: 'light' })
  })
  afterAll(() => bank.close())

  it('gets a chunk verbatim, or null', async () => {
    const passage = await getPassage(bank.deps, 'log#3')
    expect(passage).toMatchObject({ ref: 'log#3', speaker: 'Ann', score: 1, kind: 'turn' })
    expect(passage?.text).toContain('I bought three plums.')
    for (const ref of ['log#9', 'log@7#1', 'nowhere#1', 'no ref', ''])
      expect(await getPassage(bank.deps, ref)).toBeNull()
  })

  it('gives neighbours in reading order, fewer at the ends', async () => {
    const refs = async (
      ...call: Parameters<typeof neighbourPassages> extends [unknown, ...infer Rest] ? Rest : never
    ) => (await neighbourPassages(bank.deps, ...call)).map((passage) => passage.ref)
    expect(await refs('log#3')).toEqual(['log#2', 'log#4'])
    expect(await refs('log#1', { before: 3, after: 2 })).toEqual(['log#2', 'log#3'])
    expect(await refs('log#5', { before: 0, after: 4 })).toEqual([])
    await expect(refs('log#3', { before: -1 })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(refs('log#99')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(refs('no ref')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('finds what is most like a chunk, never the chunk itself, without a model', async () => {
    const deps = { ...bank.deps, embedder: () => Promise.reject(new Error('not needed')) }
    const found = await similarPassages(deps, 'fruit#1', { limit: 2 })
    expect(found.map((passage) => passage.ref).sort()).toEqual(['log#3', 'log#4'])
    expect(found[0]?.score).toBeGreaterThanOrEqual(found[1]?.score ?? 0)
    expect((await similarPassages(deps, 'fruit#1', { limit: 50 })).some(({ ref }) => ref === 'fruit#1')).toBe(
      false,
    )
    await expect(similarPassages(deps, 'gone#1')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
