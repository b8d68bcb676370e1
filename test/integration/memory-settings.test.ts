import { expect, test } from 'vitest'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'

const store = useTestMemory()

async function filled() {
  const bank = store.bank()
  for (const name of ['heron', 'stork', 'crane'])
    await bank.retain(`The ${name} stands in the water.`, { source: name })
  return bank
}

test('settings of a bank are the defaults of its recalls; what a call gives wins', async () => {
  const bank = await filled()
  const ask = 'Who stands in the water?'
  expect((await bank.recall(ask)).passages).toHaveLength(3)
  await store.memory.banks.configure(bank.name, { limit: 1, mode: 'lexical', fusion: 'standard' })
  const { passages } = await bank.recall(ask)
  expect(passages).toHaveLength(1)
  expect(passages[0]?.parts.channels).not.toHaveProperty('content')
  expect((await bank.recall(ask, { limit: 2, mode: 'semantic' })).passages).toHaveLength(2)
  expect((await bank.recall(ask, { mode: 'hybrid' })).passages[0]?.parts.channels).toHaveProperty('content')
  await store.memory.banks.configure(bank.name, { limit: null, mode: null, tokenBudget: 1 })
  expect((await bank.recall(ask)).passages).toHaveLength(0)
  expect((await bank.recall(ask, { tokenBudget: 1000 })).passages).toHaveLength(3)
  expect((await store.memory.banks.info(bank.name))?.settings).toEqual({ fusion: 'standard', tokenBudget: 1 })
})

test("weights of a call multiply the bank's", async () => {
  const bank = await filled()
  await store.memory.banks.configure(bank.name, { weights: { content: 0.5, entity: 0 } })
  const weights = async (options = {}) => {
    const { receipt } = await bank.recall('Where is the heron?', options)
    return (await bank.explain(receipt!)).weights
  }
  const plain = await weights()
  const doubled = await weights({ weights: { content: 4 } })
  expect(doubled.z_content).toBeCloseTo(plain.z_content! * 4)
  expect(await weights({ weights: { entity: 9 } })).toMatchObject({ z_content: plain.z_content })
})

test('unknown keys and bad values are refused wherever settings come in', async () => {
  const bank = await filled()
  const { banks } = store.memory
  const error = await banks.configure(bank.name, { fussion: 'rrf' }).catch((failure: unknown) => failure)
  expect(error).toMatchObject({ code: 'UNKNOWN_OPTION', hint: expect.stringContaining('"fusion"') })
  expect(await codeOf(banks.create('fresh', { settings: { lim: 3 } }))).toBe('UNKNOWN_OPTION')
  for (const settings of [
    ...[
      { limit: 0 },
      { limit: '3' },
      { mode: 'fast' },
      { fusion: 1 },
      { tokenBudget: -1 },
      { limit: undefined },
    ],
    ...[{ weights: [] }, { weights: { content: -1 } }, { weights: { content: null } }],
  ]) {
    expect([settings, await codeOf(banks.configure(bank.name, settings))]).toEqual([
      settings,
      'INVALID_ARGUMENT',
    ])
  }
  expect(await codeOf(banks.configure(bank.name, { weights: { contents: 1 } }))).toBe('UNKNOWN_OPTION')
  const lines = await collect(bank.export())
  const header = JSON.parse(lines[0]!)
  header.bank.settings = { colour: 'red' }
  expect(await codeOf(store.bank().import([JSON.stringify(header), ...lines.slice(1)]))).toBe(
    'UNKNOWN_OPTION',
  )
  header.bank.settings = { limit: 2 }
  const other = store.bank()
  await other.import([JSON.stringify(header), ...lines.slice(1)])
  expect((await other.recall('Who stands in the water?')).passages).toHaveLength(2)
})
