import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
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
