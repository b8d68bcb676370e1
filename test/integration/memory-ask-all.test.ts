import { beforeAll, describe, expect, test } from 'vitest'
import type { AskAllProgress, GenerateRequest, Memory } from '../../src/index.ts'
import { createAnsweringModel, passageWith, verdictForAll } from '../support/answering-model.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'

const model = createAnsweringModel()
const { answers, asked } = model
const tests = useTestMemory({
  ...{ model, enrich: false, formulator: 'rules', modelAttempts: 1 },
  ...{ inputPrice: 2, outputPrice: 10 },
})

const NAMES = ['Ana', 'Bo', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gus', 'Hana']
const sentenceOf = (name: string): string => `${name} plays the cello.`
let bank: Memory
beforeAll(async () => {
  bank = tests.bank()
  for (const [i, name] of NAMES.entries()) {
    await bank.retain(
      `Notes on ${name}. ${sentenceOf(name)} ${'Nothing else of note happened that day. '.repeat(10)}`,
      {
        source: `people/${name}`,
        tags: [i < 4 ? 'first' : 'second'],
        occurredAt: `2024-0${i + 1}-10`,
      },
    )
  }
})

/** Every person of the prompt as a fact with its quote. */
const findAll = (request: GenerateRequest): unknown => ({
  facts: NAMES.flatMap((name) => {
    const id = passageWith(request, sentenceOf(name))
    return id === 0 ? [] : [{ text: sentenceOf(name), citations: [{ id, quote: `${name} plays the cello` }] }]
  }),
})
/** Leaves every fact as it is. */
const keepAll = (request: GenerateRequest): unknown => ({
  items: [...request.prompt.matchAll(/^<fact (\d+)>\n> (.*)$/gm)].map(([, id, text]) => ({
    text,
    ids: [Number(id)],
  })),
})
const SMALL = { batchTokens: 300, concurrency: 2 }

test('every document is read, and each fact is cited', async () => {
  answers({ map: findAll, reduce: keepAll })
  const progress: AskAllProgress[] = []
  const result = await bank.askAll('Who plays the cello?', {
    ...SMALL,
    onProgress: (one) => progress.push(one),
  })
  expect(result).toMatchObject({ status: 'answered', documents: 8, facts: 8, incomplete: [], dropped: [] })
  expect(result.sentences.map(({ text }) => text)).toEqual(NAMES.map(sentenceOf))
  for (const { citations, support } of result.sentences) {
    expect(support).toBe('quoted')
    expect(citations).toHaveLength(1)
  }
  expect(result.batches).toBe(asked('map').length)
  expect(result.batches).toBeGreaterThan(1)
  expect(result.batches).toBe(result.estimate.batches)
  expect(result.usage.calls).toBe(model.asked('map').length + model.asked('reduce').length)
  expect(progress.filter(({ stage }) => stage === 'map').map(({ done }) => done)).toEqual(
    Array.from({ length: result.batches }, (_, i) => i + 1),
  )
  expect(progress.at(-1)).toMatchObject({ facts: 8 })
  expect(result.text).toContain('- Ana plays the cello.\n- Bo plays')
  expect(String(result)).toContain('[8] people/Hana#1, line 1')
})

test('the estimate asks no model, and says what it takes', async () => {
  answers({})
  const estimate = await bank.askAll.estimate('Who plays the cello?', SMALL)
  expect(estimate).toMatchObject({ documents: 8, chunks: expect.any(Number) })
  expect(estimate.costUsd).toBeGreaterThan(0)
  expect(estimate.calls).toBeGreaterThanOrEqual(estimate.batches)
  expect(asked('map')).toEqual([])
})

test.each([
  ['tags', { tags: { any: ['first'], strict: true } }, 4],
  ['source', { source: 'people/A' }, 1],
  ['time', { during: { from: '2024-03-01', to: '2024-05-01' } }, 2],
  ['nothing that is there', { source: 'nobody/' }, 0],
] as const)('a filter by %s reads those documents alone', async (_name, filter, count) => {
  answers({ map: findAll, reduce: keepAll })
  const result = await bank.askAll('Who plays the cello?', filter)
  expect(result.documents).toBe(count)
  expect(result.sentences.length).toBe(count)
  expect(result.status).toBe(count === 0 ? 'not-in-memory' : 'answered')
  expect(asked('map').length).toBe(count === 0 ? 0 : 1)
})

test('a time reads those turns of a conversation alone', async () => {
  const own = tests.bank()
  await own.retain(
    [
      { role: 'user', name: 'Ana', content: 'Ana plays the cello.', at: '2024-01-01T10:00:00Z' },
      { role: 'user', name: 'Bo', content: 'Bo plays the cello.', at: '2024-02-01T10:00:00Z' },
    ],
    { source: 'chat' },
  )
  answers({ map: findAll })
  const result = await own.askAll('Who?', { during: { from: '2024-01-20' } })
  expect(asked('map')[0]!.prompt).not.toContain('Ana plays')
  expect(result.sentences.map(({ text }) => text)).toEqual(['Bo plays the cello.'])
  // a person chooses documents: what others say in them is read too
  answers({ map: findAll, reduce: keepAll })
  expect((await own.askAll('Who?', { people: ['Bo'] })).sentences).toHaveLength(2)
  expect((await own.askAll('Who?', { people: ['Eva'] })).documents).toBe(0)
})

test('a document longer than a call is cut between chunks, and read whole', async () => {
  const own = tests.bank()
  const paragraphs = NAMES.map(
    (name) => `# ${name}\n\n${sentenceOf(name)} ${'It was a long day in the town. '.repeat(20)}`,
  )
  await own.retain(paragraphs.join('\n\n'), { source: 'all.md' })
  answers({ map: findAll, reduce: keepAll })
  const result = await own.askAll('Who plays the cello?', { batchTokens: 400 })
  expect(result).toMatchObject({ documents: 1, facts: 8, incomplete: [] })
  expect(asked('map').length).toBeGreaterThan(2)
})

describe('facts', () => {
  test('that say the same are joined, and keep the places of all', async () => {
    answers({
      map: findAll,
      reduce: {
        items: [
          { text: 'Ana and Bo play the cello.', ids: [1, 2, 99] },
          { text: 'Nobody.', ids: [1] },
        ],
      },
      check: verdictForAll('supported'),
    })
    const result = await bank.askAll('Who plays the cello?', { tags: { any: ['first'], strict: true } })
    expect(result.sentences.map(({ text, support }) => [text, support])).toEqual([
      ['Ana and Bo play the cello.', 'checked'],
      ['Cleo plays the cello.', 'quoted'],
      ['Dan plays the cello.', 'quoted'],
    ])
    expect(result.sentences[0]!.citations.map(({ ref }) => ref)).toEqual(['people/Ana#1', 'people/Bo#1'])
  })

  test('of the same words are one without a model', async () => {
    const own = tests.bank()
    await own.retain('Ana plays the cello. She is good.', { source: 'a' })
    await own.retain('Today Ana plays the cello. Ana plays the cello.', { source: 'b' })
    answers({ map: findAll })
    const result = await own.askAll('Who plays?')
    expect(result.sentences).toMatchObject([{ text: 'Ana plays the cello.', citations: [{ ref: 'a#1' }] }])
    expect(asked('reduce')).toEqual([])
  })

  test('stay as they are when joining fails', async () => {
    answers({ map: findAll, reduce: 'no JSON' })
    const result = await bank.askAll('Who plays the cello?')
    expect(result.sentences).toHaveLength(8)
    expect(result.degraded).toEqual(['reduce: MODEL_REPLY_INVALID'])
  })

  test('without a quote that is there, or that the check refuses, are left out and told', async () => {
    answers({
      map: (request: GenerateRequest) => ({
        facts: [
          { text: 'Ana flies.', citations: [{ id: 1, quote: 'Ana flies a plane to the moon' }] },
          {
            text: 'Ana is rich.',
            citations: [{ id: passageWith(request, 'Ana'), quote: 'Ana plays the cello' }],
          },
        ],
      }),
      check: verdictForAll('unsupported'),
    })
    const result = await bank.askAll('What of Ana?', { source: 'people/Ana' })
    expect(result).toMatchObject({ status: 'not-in-memory', text: null, facts: 1 })
    expect(result.dropped).toEqual([
      { text: 'Ana is rich.', why: 'unsupported' },
      { text: 'Ana flies.', why: 'no-citation' },
    ])
  })
})

describe('a batch that fails', () => {
  test('once is asked for again', async () => {
    let failures = 0
    answers({
      map: (request: GenerateRequest) => {
        // a reply that cannot be read is asked for twice within a call
        if (passageWith(request, 'Cleo plays') > 0 && failures++ < 2) return 'not now'
        return findAll(request)
      },
      reduce: keepAll,
    })
    const result = await bank.askAll('Who plays the cello?', SMALL)
    expect(result).toMatchObject({ facts: 8, incomplete: [] })
  })

  test('again and again is halved, and what stays unread is told', async () => {
    answers({
      map: (request: GenerateRequest) =>
        passageWith(request, 'Cleo plays') > 0 ? 'never' : findAll(request),
      reduce: keepAll,
    })
    const result = await bank.askAll('Who plays the cello?')
    expect(result.incomplete).toMatchObject([
      { source: expect.stringContaining('people/'), code: 'MODEL_REPLY_INVALID' },
      { source: expect.stringContaining('people/') },
    ])
    expect(result.incomplete.map(({ source }) => source)).toContain('people/Cleo')
    expect(result.sentences.length).toBe(NAMES.length - result.incomplete.length)
  })

  test('as all others do ends the call with its error, soon', async () => {
    answers({
      map: () => {
        throw Object.assign(new Error('wrong key'), { status: 401 })
      },
    })
    expect(await codeOf(bank.askAll('Who?', { batchTokens: 200, concurrency: 1 }))).toBe('MODEL_REFUSED')
    expect(asked('map').length).toBeLessThan(10)
  })
})

test('a budget that is spent on the way gives what was found until then, and tells what is unread', async () => {
  const own = createAnsweringModel()
  await using memory = await (await import('../../src/index.ts')).createMemory({
    ...{ inMemory: true, embedder: tests.embedder, model: own, enrich: false, formulator: 'rules' },
    ...{ dayTokens: 3_000, thinkingTokens: 0 },
  })
  for (const name of NAMES) {
    await memory.retain(`${sentenceOf(name)} ${'Nothing else of note happened that day. '.repeat(12)}`, {
      source: name,
    })
  }
  own.answers({ map: findAll, reduce: keepAll, check: verdictForAll('supported') })
  const result = await memory.askAll('Who plays the cello?', { batchTokens: 200, concurrency: 1 })
  expect(result.status).toBe('answered')
  expect(result.sentences.length).toBeGreaterThan(0)
  expect(result.sentences.length + result.incomplete.length).toBe(NAMES.length)
  for (const { code } of result.incomplete) expect(code).toBe('BUDGET_EXCEEDED')
  expect(result.degraded).toContain('map: BUDGET_EXCEEDED')
})

test('nothing is asked of the model when it is not confirmed', async () => {
  answers({})
  const seen: number[] = []
  const confirm = (estimate: { documents: number }): boolean => {
    seen.push(estimate.documents)
    return false
  }
  expect(await codeOf(bank.askAll('Who?', { confirm }))).toBe('CANCELLED')
  expect(seen).toEqual([8])
  expect(asked('map')).toEqual([])
})

test('a signal ends the call', async () => {
  const controller = new AbortController()
  answers({
    map: (request: GenerateRequest) => {
      controller.abort()
      return findAll(request)
    },
  })
  expect(await codeOf(bank.askAll('Who?', { ...SMALL, signal: controller.signal }))).toBe('CANCELLED')
  expect(asked('map').length).toBeLessThanOrEqual(2)
})

test('options that do not fit are refused before anything is read', async () => {
  answers({})
  for (const options of [
    { batchTokens: 10 },
    { concurrency: 0 },
    { confirm: true },
    { onProgress: 1 },
  ] as never[]) {
    expect(await codeOf(bank.askAll('Who?', options))).toBe('INVALID_ARGUMENT')
  }
  for (const options of [{ limit: 3 }, { prompts: { answer: 'x' } }, { tags: { some: [] } }] as never[]) {
    expect(await codeOf(bank.askAll.estimate('Who?', options))).toBe('UNKNOWN_OPTION')
  }
  expect(await codeOf(bank.askAll(' '))).toBe('EMPTY_TEXT')
  expect(await codeOf(bank.askAll({ message: 'Who?' } as never))).toBe('INVALID_ARGUMENT')
})
