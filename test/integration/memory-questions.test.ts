import { describe, expect, test } from 'vitest'
import type { Memory } from '../../src/index.ts'
import { createFakeLanguageModel } from '../../src/testing.ts'
import { everyTable } from '../support/every-table.ts'
import { faults } from '../support/filled-bank.ts'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'
import { passagesIn, writeFromWords } from '../support/writing-model.ts'

/** What the model is to write next, by a word of the passage; else something of its own words. */
const dictated = new Map<string, { readonly questions: readonly string[]; readonly statement?: string }>()
const model = createFakeLanguageModel({
  modelId: 'test:writer',
  reply: ({ prompt }) => {
    const passages = passagesIn(prompt)
    const own = writeFromWords(passages) as { passages: { id: number }[] } // as writeFromWords makes it
    return JSON.stringify({
      passages: own.passages.map((one) => {
        const { text } = passages.find(({ id }) => id === one.id)!
        const [, said] = [...dictated].find(([word]) => text.includes(word)) ?? []
        return said === undefined ? one : { ...one, statement: '', concepts: [], ...said }
      }),
    })
  },
})
const tested = useTestMemory({ model, formulator: 'rules', modelAttempts: 1, inputPrice: 3, outputPrice: 15 })
const later = (): void => {
  tested.clock.time += 60_000
}

const TEXT =
  '# Trips\n\n## Oslo\n\nQuentin took the ferry to Oslo in spring.\n\n## Lyon\n\nZelda drew the bridges of Lyon, and two yellow houses beside the river, for an exhibition.\n'
const retained = async (memory: Memory, text = TEXT, source = 'trips.md') => {
  later()
  return memory.retain(text, { source, await: 'enriched' })
}
const ofModel = async (memory: Memory, target: string) =>
  (await memory.questions.list(target, { origin: 'model' })).flatMap(({ questions }) =>
    questions.map(({ text }) => text),
  )

describe('questions by a model', () => {
  test('lead to their chunk, and are shown with who wrote them', async () => {
    const memory = tested.bank()
    dictated.set('Oslo', {
      questions: ['Which boat trip to Norway did Quentin make?'],
      statement: 'Quentin sailed north.',
    })
    const { enrichment } = await retained(memory)
    expect(enrichment).toMatchObject({ state: 'done', chunks: 2, calls: 1 })
    const [oslo] = await memory.questions.list('trips.md#1')
    expect(oslo).toMatchObject({
      ref: 'trips.md#1',
      writer: { modelId: 'test:writer', prompt: 'questions@1 questions-reply@1', written: 1, kept: 1 },
    })
    expect(oslo!.questions).toContainEqual({
      n: expect.any(Number),
      text: 'Which boat trip to Norway did Quentin make?',
      origin: 'model',
    })
    const found = await memory.recall('a boat trip to Norway')
    expect(found.passages[0]?.ref).toBe('trips.md#1')
    expect(await faults(memory)).toEqual([])
    dictated.clear()
  })

  test('an unchanged text costs nothing, a changed one what changed, another source nothing', async () => {
    const memory = tested.bank()
    await retained(memory)
    const paid = model.calls.length
    expect(await retained(memory)).toMatchObject({ status: 'unchanged', enrichment: { calls: 0 } })
    expect(await retained(memory, TEXT, 'copy.md')).toMatchObject({ enrichment: { state: 'done', calls: 0 } })
    expect(model.calls).toHaveLength(paid)
    await retained(memory, TEXT.replace('bridges', 'towers'))
    expect(
      model.calls
        .slice(paid)
        .flatMap(({ prompt }) => passagesIn(prompt))
        .map(({ text }) => text),
    ).toEqual([expect.stringContaining('towers')])
  })

  test('those of a superseded text lead nowhere any more, and come back with its version', async () => {
    const memory = tested.bank()
    dictated.set('Quentin', { questions: ['Which quokka did the ferry carry?'] })
    await retained(memory)
    dictated.clear()
    expect((await memory.recall('quokka', { mode: 'lexical' })).passages).toHaveLength(1)
    const then = new Date(tested.clock.time)
    await retained(memory, '# Trips\n\nNobody went anywhere at all.\n')
    expect((await memory.recall('quokka', { mode: 'lexical' })).passages).toEqual([])
    expect((await memory.recall('quokka', { mode: 'lexical', asOf: then })).passages).toHaveLength(1)
  })

  test('forgetting a text takes them from every table', async () => {
    const memory = tested.bank()
    dictated.set('Oslo', {
      questions: ['Which quokka did the ferry to Oslo carry?'],
      statement: 'The ferry carried a quokka.',
    })
    await retained(memory)
    dictated.clear()
    expect(await everyTable(memory)).toMatch(/quokka/)
    await memory.forget({ source: 'trips.md' })
    expect(await everyTable(memory)).not.toMatch(/quokka|quentin|zelda/i)
    expect(await faults(memory)).toEqual([])
  })

  test('forgetting a chunk takes what a model made of it for its neighbours', async () => {
    const memory = tested.bank()
    dictated.set('Zelda drew', {
      questions: ['What did Zelda draw after Quentin took the ferry?', 'Which bridges did Zelda draw?'],
      statement: 'Zelda drew bridges once Quentin was gone.',
    })
    await retained(memory)
    dictated.clear()
    expect(await ofModel(memory, 'trips.md#2')).toHaveLength(2)
    await memory.forget({ ref: 'trips.md#1' })
    expect(await ofModel(memory, 'trips.md#2')).toEqual(['Which bridges did Zelda draw?'])
    expect(await everyTable(memory)).not.toMatch(/quentin|ferry/i)
    expect(await faults(memory)).toEqual([])
  })

  test('an import brings them, and does not pay for them again', async () => {
    const memory = tested.bank()
    await retained(memory)
    const lines = await collect(memory.export())
    const other = tested.bank()
    await other.import(lines)
    expect(await ofModel(other, 'trips.md')).toEqual(await ofModel(memory, 'trips.md'))
    const paid = model.calls.length
    later()
    expect(await other.questions.regenerate({ all: true, missing: true })).toMatchObject({ jobs: 0 })
    expect(await retained(other, TEXT, 'copy.md')).toMatchObject({ enrichment: { calls: 0 } })
    expect(model.calls).toHaveLength(paid)
    expect(await faults(other)).toEqual([])
  })

  test('a bank and a call can replace the prompt; another prompt is another input', async () => {
    const memory = tested.bank()
    await retained(memory)
    await tested.memory.banks.configure(memory.name, { prompts: { questions: 'Ask as a pirate.' } })
    later()
    await memory.retain(TEXT, { source: 'b.md', await: 'enriched' })
    expect(model.calls.at(-1)!.system).toMatch(/^Ask as a pirate\.\n\nPassages stand between/)
    await memory.retain(TEXT, { source: 'c.md', await: 'enriched', prompts: { questions: 'Ask as a poet.' } })
    expect(model.calls.at(-1)!.system).toMatch(/^Ask as a poet\./)
    const [one] = await memory.questions.list('c.md')
    expect(one!.writer!.prompt).toMatch(/^questions@sha256:[0-9a-f]{12} questions-reply@1$/)
    for (const [prompts, code] of [
      [{ questions: ' ' }, 'INVALID_ARGUMENT'],
      [{ questions: 'x'.repeat(20_001) }, 'INVALID_ARGUMENT'],
      [{ question: 'x' }, 'UNKNOWN_OPTION'],
    ] as const) {
      // wrong on purpose
      expect(await codeOf(memory.retain('x', { prompts: prompts as { questions: string } }))).toBe(code)
      expect(await codeOf(tested.memory.banks.configure(memory.name, { prompts }))).toBe(code)
    }
  })
})

describe('questions of the caller', () => {
  test('win: a text that has them gets no writer', async () => {
    const memory = tested.bank()
    const paid = model.calls.length
    await memory.retain(TEXT, { source: 'trips.md', questions: ['Who went to Oslo?'], await: 'enriched' })
    expect(await memory.questions.regenerate({ all: true })).toMatchObject({ documents: 0, jobs: 0 })
    expect(model.calls).toHaveLength(paid)
  })

  test('are added by ref or by source, beside those that are there; a model’s that is given again becomes the caller’s', async () => {
    const memory = tested.bank()
    await retained(memory)
    const [written] = await ofModel(memory, 'trips.md#2')
    expect(
      await memory.questions.add('trips.md', ['Who drew bridges?', 'Who took a ferry?', 'who took a FERRY']),
    ).toBe(2)
    expect(await memory.questions.add('trips.md#2', written!.toUpperCase())).toBe(1)
    expect(await memory.questions.add('trips.md#2', [written!])).toBe(0)
    const listed = await memory.questions.list('trips.md', { origin: 'caller' })
    expect(listed.map(({ questions }) => questions.map(({ text }) => text))).toEqual([
      ['Who took a ferry?'],
      ['Who drew bridges?', written!.toUpperCase()],
    ])
    expect(await ofModel(memory, 'trips.md#2')).not.toContain(written)
    expect(await ofModel(memory, 'trips.md#1')).toHaveLength(1)
    expect(await faults(memory)).toEqual([])
  })

  test('an edited question of a model becomes the caller’s; removed ones stay away; ids and receipts stay', async () => {
    const memory = tested.bank()
    await retained(memory)
    const { receipt, passages } = await memory.recall('Quentin')
    const [written] = await ofModel(memory, 'trips.md#1')
    await memory.questions.edit('trips.md#1', written!, 'Who sailed north?')
    const [edited] = await memory.questions.list('trips.md#1', { origin: 'caller' })
    expect(edited!.questions).toEqual([{ n: 1, text: 'Who sailed north?', origin: 'caller' }])
    expect(await ofModel(memory, 'trips.md#1')).toEqual([])
    await memory.questions.edit('trips.md#1', 1, null)
    expect((await memory.questions.list('trips.md#1', { origin: 'caller' }))[0]!.questions).toEqual([])
    await memory.feedback(receipt!, { used: [passages[0]!.ref] })
    const paid = model.calls.length
    expect(await memory.questions.regenerate({ all: true, missing: true })).toMatchObject({ jobs: 0 })
    expect(model.calls).toHaveLength(paid)
    expect(await faults(memory)).toEqual([])
  })

  test.each([
    ['a target that there is not', (memory: Memory) => memory.questions.list('nowhere.md#1'), 'NOT_FOUND'],
    ['no text', (memory: Memory) => memory.questions.add('trips.md', [' ']), 'INVALID_ARGUMENT'],
    ['a NUL', (memory: Memory) => memory.questions.add('trips.md', ['a\u0000b']), 'INVALID_TEXT'],
    [
      '10,001 characters',
      (memory: Memory) => memory.questions.add('trips.md', ['x'.repeat(10_001)]),
      'INVALID_ARGUMENT',
    ],
    [
      'a number that there is not',
      (memory: Memory) => memory.questions.edit('trips.md#1', 99, 'x'),
      'NOT_FOUND',
    ],
    [
      'a source of many chunks',
      (memory: Memory) => memory.questions.edit('trips.md', 1, 'x'),
      'INVALID_ARGUMENT',
    ],
    ['neither source nor all', (memory: Memory) => memory.questions.regenerate({}), 'INVALID_ARGUMENT'],
    [
      'both',
      (memory: Memory) => memory.questions.regenerate({ all: true, source: 'trips.md' }),
      'INVALID_ARGUMENT',
    ],
    [
      'a source that there is not',
      (memory: Memory) => memory.questions.regenerate({ source: 'x' }),
      'NOT_FOUND',
    ],
    [
      'a mistyped option',
      (memory: Memory) => memory.questions.regenerate({ al: true } as object),
      'UNKNOWN_OPTION',
    ],
  ])('%s is refused and changes nothing', async (_, call, code) => {
    const memory = tested.bank()
    await memory.retain(TEXT, { source: 'trips.md', enrich: false })
    const before = await memory.questions.list('trips.md')
    expect(await codeOf(call(memory))).toBe(code)
    expect(await memory.questions.list('trips.md')).toEqual(before)
  })
})

describe('writing anew', () => {
  test('tells first what it is likely to take', async () => {
    const memory = tested.bank()
    await memory.retain(TEXT, { source: 'trips.md', enrich: false })
    await memory.retain('Nothing.', { source: 'own', questions: ['What?'] })
    const paid = model.calls.length
    const estimate = await memory.questions.regenerate.estimate({ all: true })
    expect(estimate).toMatchObject({ documents: 1, chunks: 2, calls: 1, outputTokens: 300 })
    expect(estimate.costUsd).toBeCloseTo((estimate.inputTokens * 3 + 300 * 15) / 1e6, 10)
    expect(model.calls).toHaveLength(paid)
  })

  test('fills a bank that was filled without a model, once', async () => {
    const memory = tested.bank()
    await memory.retain(TEXT, { source: 'trips.md', enrich: false })
    const filled = await memory.questions.regenerate({ all: true, missing: true, await: 'enriched' })
    expect(filled).toMatchObject({ jobs: 1, enrichment: { state: 'done', kept: 2 } })
    expect(await memory.questions.regenerate({ all: true, missing: true, await: 'enriched' })).toMatchObject({
      jobs: 0,
      enrichment: { state: 'none' },
    })
    expect(await faults(memory)).toEqual([])
  })

  test('puts new ones in place of those of models, and leaves the caller’s', async () => {
    const memory = tested.bank()
    await retained(memory)
    await memory.questions.add('trips.md#1', 'Who went?')
    dictated.set('Quentin', { questions: ['How did Quentin get to Oslo?'] })
    later()
    const seen: number[] = []
    await memory.questions.regenerate({
      source: 'trips.md',
      await: 'enriched',
      onProgress: ({ done }) => void seen.push(done),
    })
    dictated.clear()
    const [first] = await memory.questions.list('trips.md#1')
    const texts = first!.questions.filter(({ origin }) => origin !== 'rules').map(({ text }) => text)
    expect(texts).toEqual(['Who went?', 'How did Quentin get to Oslo?'])
    expect(seen.at(-1)).toBe(1)
    expect(await faults(memory)).toEqual([])
  })
})

describe('without a language model', () => {
  const bare = useTestMemory()
  test('questions are shown and edited, writing them is refused', async () => {
    const memory = bare.bank()
    await memory.retain(TEXT, { source: 'trips.md' })
    expect(await memory.questions.add('trips.md', 'Who went?')).toBe(1)
    expect(await codeOf(memory.questions.regenerate({ all: true }))).toBe('MODEL_NOT_CONFIGURED')
  })
})

test('questions of the caller stay with the parts of a text that stay, and a model writes for the others', async () => {
  const memory = tested.bank()
  await retained(memory)
  const [first] = await memory.questions.list('trips.md#1', { origin: 'model' })
  await memory.questions.edit('trips.md#1', first!.questions[0]!.n, 'Who sailed to Oslo?')
  await memory.questions.add('trips.md#2', 'Who drew Lyon?')
  const changed = TEXT.replace('two yellow', 'three red')
  expect(await retained(memory, changed)).toMatchObject({ status: 'updated', enrichment: { calls: 1 } })
  const ofCaller = async () =>
    (await memory.questions.list('trips.md', { origin: 'caller' })).map(({ questions }) =>
      questions.map(({ text }) => text),
    )
  expect(await ofCaller()).toEqual([['Who sailed to Oslo?'], []])
  expect(await ofModel(memory, 'trips.md#2')).toHaveLength(1)
  expect((await memory.recall('Who sailed to Oslo?')).passages[0]?.ref).toBe('trips.md#1')
  later()
  await memory.retain(`${changed}\nMore.\n`, { source: 'trips.md', questions: [] })
  expect(await ofCaller()).toEqual([[], []])
  expect(await faults(memory)).toEqual([])
})

describe('questions that are added while a text waits for its writer', () => {
  const waiting = useTestMemory({ model, formulator: 'rules', worker: false })

  test('stand for their chunk; the model writes for the others all the same', async () => {
    const memory = waiting.bank()
    expect(await memory.retain(TEXT, { source: 'trips.md' })).toMatchObject({ jobs: 1 })
    await memory.questions.add('trips.md#1', 'Who went to Oslo?')
    expect(await memory.jobs.run({ until: 'now' })).toMatchObject({ done: 1 })
    expect(await ofModel(memory, 'trips.md#1')).toEqual([])
    expect(await ofModel(memory, 'trips.md#2')).toHaveLength(1)
    expect(await memory.questions.regenerate.estimate({ source: 'trips.md', missing: true })).toMatchObject({
      documents: 0,
      chunks: 0,
    })
  })

  test('given with the text anew, nobody else is asked', async () => {
    const memory = waiting.bank()
    await memory.retain(TEXT, { source: 'trips.md' })
    await memory.retain(TEXT, { source: 'trips.md', questions: ['Who went to Oslo?'] })
    expect(await memory.jobs.run({ until: 'now' })).toMatchObject({ done: 0 })
    expect(await ofModel(memory, 'trips.md')).toEqual([])
  })

  test('a source whose questions were given gets the missing ones when that is asked for', async () => {
    const memory = waiting.bank()
    await memory.retain(TEXT, { source: 'trips.md', questions: ['Who went to Oslo?'] })
    const selector = { source: 'trips.md', missing: true } as const
    expect(await memory.questions.regenerate.estimate(selector)).toMatchObject({ documents: 1, chunks: 1 })
    await memory.questions.regenerate(selector)
    expect(await memory.jobs.run({ until: 'now' })).toMatchObject({ done: 1 })
    expect(await ofModel(memory, 'trips.md#2')).toHaveLength(1)
  })
})
