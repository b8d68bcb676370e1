import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemory, type Memory, type TraceEvent } from '../../src/index.ts'
import { scopeOf } from '../../src/memory/scopes.ts'
import type { TraceRecord } from '../../src/observability/trace.ts'
import { insertTrace } from '../../src/store/queries/trace-write.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { everyTable } from '../support/every-table.ts'
import { seededRandom } from '../support/kill-rounds.ts'
import { storeOf } from '../support/store-of.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'
import { everyTraceEvent } from '../support/trace-events.ts'
import { usedFolders } from '../support/used-folders.ts'

const shared = useTestMemory()
const { bank, clock } = shared

/** Notes a record as another part of the engine would. */
async function note(memory: Memory, record: TraceRecord): Promise<void> {
  scopeOf(memory).engine.trace.record(await storeOf(memory), record)
}

const DAY_MS = 86_400_000

describe('what is kept', () => {
  test('a retain and a recall are found by their trace ids, a recall by its receipt too', async () => {
    const memory = bank()
    const kept = await memory.retain('Zelda has a tattoo.', { source: 'zelda', questions: ['Who has one?'] })
    const found = await memory.recall('Who has a tattoo?')
    const retained = await memory.events.trace(kept.traceId)
    expect(retained?.events).toEqual([
      expect.objectContaining({
        ...{ type: 'retain', source: 'zelda', status: 'created', errorCode: null, callerQuestions: true },
        ...{ documentId: kept.document.documentId, chunks: kept.chunks, vectors: kept.vectors },
      }),
    ])
    const exchange = await memory.events.trace(found.receipt!)
    expect(exchange).toEqual(await memory.events.trace(found.traceId))
    expect(exchange?.traceId).toBe(found.traceId)
    expect(exchange?.events).toContainEqual(
      expect.objectContaining({
        ...{ type: 'recall', receiptId: found.receipt, message: 'Who has a tattoo?' },
        ...{ queries: found.queries, passages: 1, degraded: [], errorCode: null },
        stages: expect.objectContaining({ channels: expect.any(Number) }),
      }),
    )
    expect(await memory.events.trace('nothing')).toBeNull()
  })

  test('what failed is there with its code', async () => {
    const memory = bank()
    await codeOf(memory.retain('   ', { source: 'blank' }))
    await codeOf(memory.retain('x', { sources: 'y' } as object))
    await codeOf(memory.recall('   '))
    for await (const _ of memory.retainMany([{ content: '', source: 'many' }, { content: 'Fine.' }]));
    const events = await memory.events.tail()
    expect(
      events.map((event) => [event.type, event.type === 'retain' ? event.source : null, event.errorCode]),
    ).toEqual([
      ['retain', 'blank', 'EMPTY_TEXT'],
      ['retain', null, 'UNKNOWN_OPTION'],
      ['recall', null, 'EMPTY_TEXT'],
      ['retain', 'many', 'EMPTY_TEXT'],
      ['retain', expect.stringMatching(/^note:/), null],
    ])
    expect((await memory.stats()).lastDay).toMatchObject({ retains: 4, recalls: 1, errors: 4 })
  })

  test('the tail is the last events by type, or the first after another', async () => {
    const memory = bank()
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    for (const n of [1, 2, 3]) await memory.recall(`Which city is it, ${n}?`)
    const messages = (events: readonly TraceEvent[]): unknown[] =>
      events.map((event) => event.type === 'recall' && event.message)
    const recalls = await memory.events.tail({ types: ['recall'], limit: 2 })
    expect(messages(recalls)).toEqual(['Which city is it, 2?', 'Which city is it, 3?'])
    const after = { after: recalls[0]!.eventId, types: ['recall'] as const }
    expect(messages(await memory.events.tail(after))).toEqual(['Which city is it, 3?'])
    expect(await codeOf(memory.events.tail({ types: ['recal' as 'recall'] }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(memory.events.tail({ limit: 0 }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(memory.events.tail({ kinds: [] } as object))).toBe('UNKNOWN_OPTION')
  })

  test('events of every type come back as they were noted', async () => {
    const memory = bank()
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    const { database, bankId } = await storeOf(memory)
    const events = everyTraceEvent({ documentId: null, receiptId: 'r' })
    await database.transaction((tx) => insertTrace(tx, bankId, events))
    expect((await memory.events.trace('t'))?.events).toEqual(events)
    expect((await memory.events.trace('r'))?.events).toEqual(events)
  })

  test('the day is counted, parse fallbacks too', async () => {
    const memory = bank()
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    const at = new Date(clock.time)
    const base = {
      type: 'formulate',
      traceId: 'f',
      durationMs: 1,
      errorCode: null,
      message: 'm',
      queries: [],
    } as const
    for (const [by, errorKind] of [
      ...([
        ['model', null],
        ['rules', 'prose'],
        ['rules', 'timeout'],
        ['rules', null],
        ['model', null],
      ] as const),
    ])
      await note(memory, { ...base, at, by, errorKind })
    await note(memory, { ...base, at: new Date(clock.time - 2 * DAY_MS), by: 'rules', errorKind: 'prose' })
    const { lastDay } = await memory.stats()
    expect(lastDay).toMatchObject({ fallbacks: 1, fallbackRate: 0.25, retains: 1, modelCalls: 0 })
  })
})

describe('options', () => {
  let own: Memory | undefined
  afterEach(() => own?.close())
  const open = async (options: object): Promise<Memory> => {
    own = await createMemory({ inMemory: true, embedder: createFakeEmbedder(), ...options })
    await own.retain('Kelly has a dog.', { source: 'kelly' })
    await own.recall('What does Kelly have?', { receipt: false })
    return own
  }

  test('trace off keeps nothing, and tracers hear all', async () => {
    const heard: string[] = []
    const others: string[] = []
    const memory = await open({
      trace: false,
      tracer: [
        (record: TraceRecord, name: string) => void heard.push(`${name} ${record.type}`),
        (record: TraceRecord) => void others.push(record.type),
      ],
    })
    expect(await memory.events.tail()).toEqual([])
    expect(heard).toContain('default retain')
    expect(heard).toContain('default recall')
    expect(others).toHaveLength(heard.length)
  })

  test('traceText off keeps no words, redactTrace changes those that are kept', async () => {
    const bare = await open({ traceText: false })
    expect(await everyTable(bare, /events|model_calls/)).not.toMatch(/dog|What does/)
    expect(await everyTable(bare, /events/)).toMatch(/kelly/)
    await bare.close()
    const redacted = await open({ redactTrace: (text: string) => text.replaceAll('Kelly', '[name]') })
    expect(await everyTable(redacted, /events|model_calls/)).toMatch(/What does \[name\] have/)
    expect(await everyTable(redacted, /events|model_calls/)).not.toMatch(/Kelly/)
  })

  test.each([{ tracer: 'me' }, { tracer: [null] }, { redactTrace: /x/ }])('refuses %o', async (options) => {
    expect(await codeOf(createMemory({ inMemory: true, ...(options as object) }))).toBe('INVALID_ARGUMENT')
  })
})

describe('forget', () => {
  const at = new Date(Date.UTC(2024, 0, 1))
  const frame = (traceId: string) => ({ traceId, at, durationMs: 1, errorCode: null })

  /** A model call whose prompt may hold what is forgotten. */
  const call = (traceId: string, prompt: string, documentIds: readonly number[]): TraceRecord => ({
    ...{ type: 'model-call', ...frame(traceId), callId: 'c', purpose: 'questions', modelId: 'm', attempt: 1 },
    ...{ system: 's', prompt, reply: `reply to ${prompt}`, finishReason: 'stop', error: null, jobId: 1 },
    ...{ inputTokens: 1, outputTokens: 1, reasoningTokens: null, costUsd: null, documentIds },
  })

  test('takes words, ids and sources out of every table of the trace; the rest stays', async () => {
    const memory = bank()
    const { document } = await memory.retain('Zelda drew a tattoo of a quokka in spring.', {
      source: 'secret.md',
    })
    const other = await memory.retain('Oslo is a city.', { source: 'oslo' })
    const found = await memory.recall('What is on the skin?')
    const { documentId } = document
    await codeOf(memory.retain('  ', { source: 'secret.md' }))
    await note(memory, call('enrich', 'quokka prompt', [documentId]))
    await note(memory, call('both', 'quokka and Oslo', [documentId, other.document.documentId]))
    await note(memory, call('kept', 'Oslo prompt', [other.document.documentId]))
    await note(memory, call(found.traceId, 'asked what is on the skin', []))
    await note(memory, {
      ...{ type: 'formulate', ...frame(found.traceId), message: 'What is on the skin?', by: 'model' },
      ...{ queries: ['Which tattoo?'], errorKind: null },
    })
    await note(memory, {
      ...{ type: 'answer', ...frame(found.traceId), receiptIds: [found.receipt!], question: 'the skin?' },
      ...{ status: 'answered', answer: 'A quokka.', citations: 1, hops: 0 },
    })
    // by words alone, and by the name of the source
    await note(memory, {
      ...{ type: 'formulate', ...frame('words'), by: 'rules', queries: ['tell me'], errorKind: null },
      message: 'Is it true that ZELDA drew a tattoo of a quokka in spring?',
    })
    await note(memory, {
      ...{ type: 'answer', ...frame('named'), receiptIds: [], question: 'What is in secret.md?' },
      ...{ status: 'not-in-memory', answer: null, citations: 0, hops: 0 },
    })
    const job = {
      type: 'job',
      ...frame('job'),
      jobId: 1,
      kind: 'enrich',
      event: 'done',
      attempt: 1,
      error: null,
    } as const
    await note(memory, { ...job, documentId })
    await note(memory, { ...job, documentId: other.document.documentId })
    await note(memory, {
      ...{
        type: 'sweep',
        ...frame('sweep'),
        root: '/n',
        seen: 2,
        created: 0,
        updated: 0,
        moved: 0,
        deleted: 0,
      },
      failed: [
        { path: 'secret.md', code: 'X' },
        { path: 'oslo', code: 'Y' },
      ],
    })
    await memory.forget({ source: 'secret.md' })
    const tables = await everyTable(memory)
    expect(tables).not.toMatch(/zelda|quokka|tattoo|skin|secret\.md/i)
    expect(tables).toMatch(/Oslo prompt/)
    const events = await memory.events.tail({ limit: 1_000 })
    expect(events.filter((event) => event.type === 'job')).toHaveLength(1)
    expect(events.filter((event) => event.type === 'model-call').map((event) => event.traceId)).toEqual([
      'kept',
      found.traceId,
    ])
    expect(events.find((event) => event.type === 'sweep')).toMatchObject({
      failed: [{ path: 'oslo', code: 'Y' }],
    })
    // the exchange stays, without what was said
    const exchange = await memory.events.trace(found.traceId)
    expect(exchange?.events.map((event) => event.type).sort()).toEqual(
      expect.arrayContaining(['answer', 'formulate', 'model-call', 'recall']),
    )
    expect(JSON.stringify(events)).not.toContain(`"documentId":${documentId},`)
  })

  test('a chunk takes the calls that were shown its document, and what returned it', async () => {
    const memory = bank()
    const turns = ['My secret is a tattoo.', 'I see.'].map((content) => ({ role: 'Ann', content }))
    const { document } = await memory.retain(turns, { source: 'c' })
    await memory.recall('Is it a tattoo?', { limit: 1 })
    await note(memory, call('enrich', 'secret tattoo', [document.documentId]))
    await memory.forget({ ref: 'c#1' })
    expect(await everyTable(memory)).not.toMatch(/tattoo/)
    expect((await memory.events.tail({ types: ['retain'] })).length).toBe(1)
  })

  test('what was noted before it and is written after it does not bring it back', async () => {
    const memory = bank()
    const { document } = await memory.retain('Zelda drew a quokka.', { source: 'z' })
    const found = await memory.recall('Which animal?')
    await memory.events.tail()
    await memory.forget({ source: 'z' })
    const { database, bankId } = await storeOf(memory)
    const late = everyTraceEvent({ documentId: document.documentId, receiptId: found.receipt })
    await database.transaction((tx) => insertTrace(tx, bankId, late))
    const events = (await memory.events.trace('t'))?.events ?? []
    expect(events.map((event) => event.type)).toEqual(['recall', 'formulate', 'answer', 'sweep'])
    expect(JSON.stringify(events)).not.toMatch(/walnut/i)
  })

  test('an answer from a text that a model was shown goes, in its own words, without any receipt', async () => {
    const memory = bank()
    const { document } = await memory.retain('Zelda drew a quokka.', { source: 'z' })
    await note(memory, {
      ...call('asked', 'evidence', [document.documentId]),
      purpose: 'reduce',
    } as TraceRecord)
    await note(memory, {
      ...{ type: 'answer', ...frame('asked'), receiptIds: [], question: 'Who painted?', status: 'answered' },
      ...{ answer: 'An animal was painted by her.', citations: 1, hops: 0 },
    })
    await note(memory, call('other', 'nothing of it', []))
    await memory.forget({ source: 'z' })
    const events = await memory.events.tail({ types: ['answer', 'model-call'] })
    expect(events).toEqual([
      expect.objectContaining({
        traceId: 'asked',
        type: 'answer',
        question: null,
        answer: null,
        citations: 1,
      }),
      expect.objectContaining({ traceId: 'other', prompt: 'nothing of it' }),
    ])
  })

  test('all takes the whole trace, and the bank takes it along', async () => {
    const memory = bank()
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    await memory.recall('Which city?')
    await memory.forget({ all: true })
    expect(await memory.events.tail()).toEqual([])
    await memory.recall('Which city is it now?')
    expect(await everyTable(memory, /recall_events/)).toMatch(/it now/)
    const { database, bankId } = await storeOf(memory)
    await shared.memory.banks.delete(memory.name)
    const left = await database.query<{ n: number }>(
      'select count(*) as n from recall_events where bank_id = $1',
      [bankId],
    )
    expect(left).toEqual([{ n: 0 }])
  })
})

describe('follow', () => {
  const { dataFolder } = usedFolders()

  test('gives what happens from now on, of another process too, until its signal ends it', async () => {
    const folder = await dataFolder()
    const embedder = createFakeEmbedder()
    const one = await createMemory({ dataDir: folder, embedder })
    const other = await createMemory({ dataDir: folder, embedder })
    const stop = new AbortController()
    try {
      await one.retain('Oslo is a city.', { source: 'oslo' })
      const heard: string[] = []
      const following = (async () => {
        for await (const event of one.events.follow({ pollMs: 10, signal: stop.signal, types: ['recall'] })) {
          if (event.type === 'recall') heard.push(event.message ?? '')
          if (heard.length === 3) stop.abort()
        }
      })()
      const ended = codeOf(following)
      // the follower has begun once it hears something
      for (let n = 0; heard.length === 0; n++) {
        await other.recall(`first ${n}`)
        await other.events.tail({ limit: 1 })
        await turn()
      }
      await one.recall('second, here')
      await other.recall('third, there')
      await other.events.tail({ limit: 1 })
      expect(await ended).toBe('CANCELLED')
      expect(new Set(heard).size).toBe(3)
    } finally {
      await other.close()
      await one.close()
    }
  })

  test('ends when the memory is closed, and at once for a signal that has fired', async () => {
    const memory = await createMemory({ inMemory: true, embedder: createFakeEmbedder() })
    await memory.retain('Oslo is a city.', { source: 'oslo' })
    const next = async (iterable: AsyncIterable<TraceEvent>): Promise<void> => {
      for await (const _ of iterable) break
    }
    expect(await codeOf(next(memory.events.follow({ signal: AbortSignal.abort() })))).toBe('CANCELLED')
    expect(await codeOf(next(memory.events.follow({ types: [] })))).toBe('INVALID_ARGUMENT')
    const following = codeOf(next(memory.events.follow({ pollMs: 10 })))
    await memory.close()
    expect(await following).toBe('CLOSED')
  })
})

describe('retention', () => {
  test('what is too old goes, then the oldest past the size', async () => {
    const time = { now: Date.UTC(2024, 0, 1) }
    const folder = await dataFolderOf()
    const open = (options: object): Promise<Memory> =>
      createMemory({
        ...{ dataDir: folder, embedder: createFakeEmbedder(), clock: { now: () => time.now } },
        ...options,
      })
    const first = await open({ traceDays: 10 })
    await first.retain('Oslo is a city.', { source: 'oslo' })
    await first.recall('old question')
    await first.close()
    time.now += 11 * DAY_MS
    const second = await open({ traceDays: 10 })
    // noise that does not compress
    const random = seededRandom(7)
    const noise = (): string =>
      Array.from({ length: 40_000 }, () => String.fromCharCode(33 + Math.floor(random() * 90))).join('')
    for (let n = 1; n <= 60; n++) await note(second, call(n, noise()))
    await second.recall('new question')
    await second.close()
    time.now += 1_000
    const third = await open({ traceDays: 10, traceMegabytes: 1 })
    const kept = await third.events.tail({ limit: 1_000 })
    expect(JSON.stringify(kept)).not.toContain('old question')
    expect(kept.filter((event) => event.type === 'model-call')).toHaveLength(60)
    expect(JSON.stringify(kept)).toContain('new question')
    await third.recall('newest question')
    await third.close()
    const last = await open({})
    const left = await last.events.tail({ limit: 1_000 })
    await last.close()
    expect(left.length).toBeLessThan(60)
    expect(left.length).toBeGreaterThan(2)
    expect(left.at(-1)).toMatchObject({ message: 'newest question' })
  })

  const { dataFolder: dataFolderOf } = usedFolders()
  const call = (n: number, prompt: string): TraceRecord => ({
    ...{
      type: 'model-call',
      traceId: `t${n}`,
      at: new Date(Date.UTC(2024, 0, 12)),
      durationMs: 1,
      errorCode: null,
    },
    ...{ callId: 'c', purpose: 'questions', modelId: 'm', attempt: 1, error: null, jobId: null },
    ...{ system: 's', prompt, reply: null, finishReason: null, documentIds: [] },
    ...{ inputTokens: 1, outputTokens: 1, reasoningTokens: null, costUsd: null },
  })
})
