import { expect, test } from 'vitest'
import { openTestBank } from '../../test/support/recall-bank.ts'
import { recallCandidates } from './candidates.ts'
import { recall } from './recall.ts'

const TEXT = 'The key of the cellar lies under the third flower pot.'
const QUESTION = 'Where is the cellar key kept?'
/** None of them asks for a key. */
const OTHERS = Array.from({ length: 14 }, (_, i) => `How many ${thingAt(i)} does the house have?`)

function thingAt(i: number): string {
  return (
    ['doors', 'lamps', 'stairs', 'chairs', 'tables', 'mirrors', 'rugs'][i % 7]! + (i > 6 ? ' upstairs' : '')
  )
}

test('a question counts as much for a chunk with one as for a chunk with fifteen', async () => {
  const bank = await openTestBank()
  await bank.retain(TEXT, { source: 'many', questions: [QUESTION, ...OTHERS] })
  await bank.retain(TEXT, { source: 'one', questions: [QUESTION] })
  const { candidates } = await recallCandidates(bank.deps, 'Where do we keep the key of the cellar?')
  const of = (source: string) => candidates.find(({ chunk }) => chunk.document.source === source)!
  expect(of('one').parts.channels.question).toBeCloseTo(of('many').parts.channels.question!, 6)
  expect(of('one').score).toBeGreaterThanOrEqual(of('many').score)
  await bank.close()
})

test('many questions about other things bring a chunk nowhere', async () => {
  const bank = await openTestBank()
  await bank.retain('The house was built in 1911.', { source: 'many', questions: OTHERS })
  await bank.retain(TEXT, { source: 'one', questions: [QUESTION] })
  const { passages } = await recall(bank.deps, 'Where do we keep the key of the cellar?')
  expect(passages[0]?.source).toBe('one')
  await bank.close()
})

test('a text that waits for its questions is not taken for one that answers none', async () => {
  const bank = await openTestBank()
  await bank.retain('Ann: The oven needs a new door.\nBen: The roof leaks above the oven.', {
    ...{ source: 'waits', mediaType: 'text/x-chat' },
  })
  for (const [i, thing] of ['lamp', 'sink', 'door'].entries()) {
    await bank.retain(`Ann: The ${thing} was mended.`, {
      ...{ source: `asked-${i}`, mediaType: 'text/x-chat', questions: [`Who mended the ${thing}?`] },
    })
  }
  const { candidates } = await recallCandidates(bank.deps, 'What is wrong above the oven?')
  expect(candidates[0]?.chunk.document.source).toBe('waits')
  const waiting = candidates.find(({ chunk }) => chunk.document.source === 'waits' && !chunk.enriched)!
  expect(waiting.parts.features.z_question).toBe(waiting.parts.features.z_content)
  await bank.close()
})
