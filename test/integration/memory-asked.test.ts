import { describe, expect, test } from 'vitest'
import { FUSIONS } from '../../src/domain/recall.ts'
import type { RecallOptions, RecallQuery } from '../../src/index.ts'
import { scoresWithAsked } from '../../src/recall/asked-chunks.ts'
import { useTestMemory } from '../support/test-memory.ts'

const { bank } = useTestMemory()

/** Texts that say every word of the question, and one that says none and was given it. */
async function filled(others: number) {
  const memory = bank()
  for (let at = 0; at < others; at++) {
    await memory.retain(`When is the birthday of Kelly? The birthday of Kelly is when it is, ${at}.`, {
      source: `talk/${at}`,
      questions: at % 2 === 0 ? [`When is the birthday of Kelly, ${at}?`] : [],
    })
  }
  await memory.retain('March 4th.', { source: 'answer', questions: ['When is the birthday of Kelly?'] })
  return memory
}

describe('a question that the caller gave to a chunk brings that chunk first', () => {
  test.each([0, 1, 2, 40])('among %i others, whatever the fusion and the mode', async (others) => {
    const memory = await filled(others)
    for (const fusion of FUSIONS) {
      for (const options of [{}, { mode: 'lexical' }, { mode: 'semantic' }, { limit: 1 }] as const) {
        const { passages } = await memory.recall('when is the  birthday of KELLY', { fusion, ...options })
        expect([fusion, options, passages[0]?.source]).toEqual([fusion, options, 'answer'])
        expect(passages[0]?.parts.features.asked).toBe(1)
        expect(passages[0]!.score).toBeGreaterThanOrEqual(passages[1]?.score ?? 0)
        if (fusion === 'learned') expect(passages[0]!.score).toBeLessThanOrEqual(1)
      }
    }
  })

  test('whatever the channels are told to do, the conversation before, and under filters', async () => {
    const memory = await filled(40)
    const first = async (options: RecallOptions, query: RecallQuery = 'WHEN is the birthday of Kelly?!') =>
      (await memory.recall(query, options)).passages[0]?.source
    expect(await first({ mode: 'lexical', weights: { cue: 0, text: 0 } })).toBe('answer')
    expect(await first({ weights: { question: 0 } })).toBe('answer')
    expect(await first({ tokenBudget: 200 })).toBe('answer')
    const history = [{ role: 'user', content: 'We talked about the talk, and when it is, and what else is.' }]
    for (const mode of ['hybrid', 'lexical', 'semantic'] as const)
      expect(await first({ mode }, { message: 'When is the birthday of Kelly?', history })).toBe('answer')
    expect(await first({ mode: 'lexical', source: 'talk/' })).toMatch(/^talk/)
    await memory.remove('answer')
    expect(await first({ mode: 'lexical' })).toMatch(/^talk/)
  })

  test('a question of marks, or of stop words alone, finds its own chunk', async () => {
    const memory = bank()
    await memory.retain('Forty-two.', { source: 'marks', questions: ['???', 'who are you'] })
    await memory.retain('It is what it is.', { source: 'other', questions: ['?!'] })
    for (const mode of ['hybrid', 'lexical'] as const) {
      for (const question of ['???', 'Who are you?'])
        expect((await memory.recall(question, { mode })).passages[0]).toMatchObject({ source: 'marks' })
    }
  })

  test('a question that only resembles it, or a cue that a rule made, decides nothing', async () => {
    const memory = await filled(3)
    const { passages } = await memory.recall('When is the birthday of Kelly, 7?')
    expect(passages.every((passage) => passage.parts.features.asked === undefined)).toBe(true)
    const chat = bank()
    await chat.retain(
      [
        { role: 'Ann', content: 'Where did you put the red bicycle?' },
        { role: 'Bob', content: 'Behind the shed, where it always is.' },
      ],
      { source: 'chat' },
    )
    const found = await chat.recall('Where did you put the red bicycle?')
    expect(found.passages.every((passage) => passage.parts.features.asked === undefined)).toBe(true)
  })
})

test('scores of asked chunks lie over all others, in their own order, and under the ceiling', () => {
  const isAsked = [false, true, true, false]
  const learned = scoresWithAsked([0.9, 0.1, 0.4, 0.2], isAsked, 1)
  expect(learned[2]).toBeGreaterThan(learned[1]!)
  expect(learned[1]).toBeGreaterThan(0.9)
  expect(learned[2]).toBeLessThanOrEqual(1)
  const sums = scoresWithAsked([-3, -3, -3, -3], isAsked, null)
  expect(sums).toEqual([-3, -2.5, -2.5, -3])
  expect(scoresWithAsked([0.3, 0.2], [false, false], 1)).toEqual([0.3, 0.2])
})
