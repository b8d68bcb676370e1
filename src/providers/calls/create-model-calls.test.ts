import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { ProlepsisError } from '../../domain/errors.ts'
import type { ModelCallTrace } from '../../observability/trace.ts'
import { createFakeLanguageModel } from '../fake/fake-language-model.ts'
import { createInjectedLanguageModel, type GenerateFunction } from '../injected-language-model.ts'
import { type GenerateResult, type LanguageModel, NO_USAGE } from '../language-model.ts'
import type { ModelCall } from '../model-calls.ts'
import type { CallPolicy, UsageEntry } from './call-policy.ts'
import { createModelCalls } from './create-model-calls.ts'
import { createWaitingLine } from './waiting-line.ts'

const POLICY: CallPolicy = {
  ...{ timeoutMs: 60_000, attempts: 3, thinkingTokens: 100 },
  day: { tokens: null, costUsd: null },
  prices: { input: null, output: null },
}
const CALL: ModelCall = {
  purpose: 'questions',
  system: 'Write.',
  prompt: 'Text.',
  maxOutputTokens: 50,
  traceId: 't',
}

/** Calls in a world where time passes only when a pause or a limit is waited for. */
function world(model: LanguageModel | GenerateFunction, more: Partial<CallPolicy> = {}, places = 4) {
  let now = Date.parse('2026-03-04T05:06:07Z')
  const traces: ModelCallTrace[] = []
  const booked: UsageEntry[] = []
  const pauses: number[] = []
  const limits = new Set<() => void>()
  const spent = { tokens: 0, costUsd: 0 }
  const line = createWaitingLine(places)
  const calls = createModelCalls({
    model: typeof model === 'function' ? createInjectedLanguageModel(model) : model,
    policy: { ...POLICY, ...more },
    ...{ line, clock: { now: () => now }, random: () => 0.5 },
    timer: {
      after(ms, work) {
        if (ms >= 5_000 && ms % 5_000 === 0) {
          limits.add(work)
          return () => limits.delete(work)
        }
        pauses.push(ms)
        now += ms
        queueMicrotask(work)
        return () => undefined
      },
    },
    ids: { next: () => `id-${traces.length}` },
    trace: { record: (_, record) => void (record.type === 'model-call' && traces.push(record)) },
    bank: { bankId: 1, bank: 'b' },
    usage: {
      spentOn: async () => spent,
      add: async (entry) => {
        booked.push(entry)
        spent.tokens += entry.inputTokens + entry.outputTokens
        spent.costUsd += entry.costUsd
      },
    },
  })
  return { calls, traces, booked, pauses, line, spent, runOut: () => [...limits].map((work) => work()) }
}

const failing = (...errors: unknown[]): GenerateFunction => {
  const left = [...errors]
  return () => {
    const error = left.shift()
    if (error !== undefined) throw error
    return 'done'
  }
}
const http = (status: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error(`status ${status}`), { statusCode: status, responseHeaders: headers })
const hanging: GenerateFunction = () => new Promise<string>(() => undefined)
const result = (text: string, more: Partial<GenerateResult> = {}): GenerateResult => ({
  ...{ text, finishReason: 'stop', usage: NO_USAGE },
  ...more,
})

describe('attempts', () => {
  test('what may pass is tried again after growing pauses, each attempt traced and booked', async () => {
    const { calls, traces, booked, pauses } = world(failing(http(500), http(529)))
    expect(await calls.generate(CALL)).toMatchObject({ value: 'done', calls: 3 })
    expect(pauses).toEqual([375, 750])
    expect(
      traces.map(({ attempt, errorCode, reply, traceId }) => [attempt, errorCode, reply, traceId]),
    ).toEqual([
      [1, 'MODEL_UNAVAILABLE', null, 't'],
      [2, 'MODEL_UNAVAILABLE', null, 't'],
      [3, null, 'done', 't'],
    ])
    expect(booked.map(({ day, calls: count }) => [day, count])).toEqual(Array(3).fill(['2026-03-04', 1]))
  })

  test('Retry-After is heeded, in seconds, milliseconds and as a date', async () => {
    const at = new Date(Date.now() + 86_400_000).toUTCString()
    const { calls, pauses } = world(
      failing(http(429, { 'Retry-After': '7' }), http(429, { 'retry-after-ms': '1234' })),
    )
    await calls.generate(CALL)
    expect(pauses).toEqual([7_000, 1_234])
    const late = world(failing(http(503, { 'retry-after': at })))
    await expect(late.calls.generate(CALL)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' })
  })

  test('a pause longer than the time that is left is not begun', async () => {
    const { calls, pauses, traces } = world(failing(http(429, { 'retry-after': '61' })))
    await expect(calls.generate(CALL)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      details: { retryAfterMs: 61_000, spent: { calls: 1 }, purpose: 'questions' },
    })
    expect([pauses, traces.length]).toEqual([[], 1])
  })

  test.each([400, 401, 403, 404])('status %d is not tried again', async (status) => {
    const { calls, traces } = world(failing(http(status)))
    await expect(calls.generate(CALL)).rejects.toMatchObject({ code: 'MODEL_REFUSED', retryable: false })
    expect(traces).toHaveLength(1)
  })

  test('attempts end with the policy, with the call, and with the first for a formulation', async () => {
    const errors = Array.from({ length: 9 }, () => http(500))
    const many = world(failing(...errors))
    await expect(many.calls.generate(CALL)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' })
    await expect(many.calls.generate({ ...CALL, attempts: 2 })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    })
    await expect(many.calls.generate({ ...CALL, purpose: 'formulate' })).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
    })
    expect(many.traces.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 1, 2, 1])
  })
})

describe('time', () => {
  test('a model that hangs is left when the time is over, and what it may cost is booked', async () => {
    const { calls, runOut, booked, traces } = world(hanging)
    const call = calls.generate(CALL)
    await new Promise(setImmediate)
    runOut()
    await expect(call).rejects.toMatchObject({
      code: 'MODEL_TIMEOUT',
      retryable: true,
      details: { timeoutMs: 60_000 },
    })
    expect(traces.map(({ errorCode }) => errorCode)).toEqual(['MODEL_TIMEOUT'])
    expect(booked[0]!.inputTokens).toBeGreaterThan(0)
  })

  test('a signal cancels at once, also while a call waits for its turn, and the model hears it', async () => {
    let heard: AbortSignal | undefined
    const { calls, line } = world(
      (request) => {
        heard = request.signal
        return hanging(request)
      },
      {},
      1,
    )
    const controller = new AbortController()
    const running = calls.generate({ ...CALL, signal: controller.signal })
    const waiting = calls.generate({ ...CALL, signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort()
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(heard?.aborted).toBe(true)
    await expect(calls.generate({ ...CALL, signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await line.run(async () => 'free', { interactive: false })).toBe('free')
  })
})

test('a person who waits comes before work in the background, which leaves a place free', async () => {
  const order: string[] = []
  const gates: (() => void)[] = []
  let running = 0
  let most = 0
  const { calls } = world(
    async ({ purpose, prompt }) => {
      most = Math.max(most, ++running)
      order.push(`${purpose} ${prompt}`)
      await new Promise<void>((resolve) => gates.push(resolve))
      running--
      return 'done'
    },
    {},
    2,
  )
  const ask = (prompt: string, purpose = 'questions') => calls.generate({ ...CALL, prompt, purpose })
  const all = [ask('1'), ask('2'), ask('3', 'answer'), ask('4', 'formulate')]
  for (let ended = 0; ended < all.length; ended++) {
    await new Promise(setImmediate)
    gates.shift()?.()
  }
  await Promise.all(all)
  expect(order).toEqual(['questions 1', 'answer 3', 'formulate 4', 'questions 2'])
  expect(most).toBe(2)
})

describe('budgets', () => {
  const usage = { inputTokens: 60, outputTokens: 40, reasoningTokens: 10, costUsd: null }
  const telling: GenerateFunction = () => result('done', { usage })

  test('tokens of the day: what was spent, and what the prompt takes at least', async () => {
    const { calls, spent } = world(telling, { day: { tokens: 150, costUsd: null } })
    expect((await calls.generate(CALL)).usage).toEqual({ ...usage })
    expect((await calls.generate(CALL)).usage.outputTokens).toBe(40)
    await expect(calls.generate(CALL)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      retryable: false,
      details: { budget: 'day', unit: 'tokens', limit: 150, used: 200 },
    })
    expect(spent.tokens).toBe(200)
    const small = world(telling, { day: { tokens: 20, costUsd: null } })
    await expect(small.calls.generate({ ...CALL, prompt: 'long '.repeat(50) })).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
    })
    expect(small.booked).toEqual([])
  })

  test('calls made at once do not each find the budget whole', async () => {
    // one at a time: the others are judged by what those before them took
    const one = world(telling, { day: { tokens: 250, costUsd: null } }, 1)
    const replies = await Promise.allSettled(Array.from({ length: 20 }, () => one.calls.generate(CALL)))
    expect(replies.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(one.booked).toHaveLength(3)

    // all at once: each prompt counts from the moment that it is sent
    let sent = 0
    const prompt = 'x'.repeat(297)
    const counted: GenerateFunction = async () => {
      sent++
      return 'done'
    }
    const many = world(counted, { day: { tokens: 250, costUsd: null } }, 20)
    const calls = Array.from({ length: 20 }, () => many.calls.generate({ ...CALL, prompt }))
    const streamed = (async () => {
      for await (const _ of many.calls.stream({ ...CALL, prompt }));
    })()
    const settled = await Promise.allSettled([...calls, streamed])
    expect(sent).toBe(2)
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(19)
  })

  test('a usage that is no count takes nothing off the budget', async () => {
    const odd = { inputTokens: -5_000, outputTokens: Number.NaN, reasoningTokens: 1.5, costUsd: -1 }
    const { calls, booked, traces } = world(() => result('done', { usage: odd }))
    const { usage: told } = await calls.generate(CALL)
    expect(told).toEqual({ inputTokens: 4, outputTokens: 2, reasoningTokens: 2, costUsd: null })
    expect(booked[0]).toMatchObject({ inputTokens: 4, outputTokens: 2, costUsd: 0 })
    expect(traces[0]).toMatchObject({ inputTokens: null, outputTokens: null, reasoningTokens: 2 })
  })

  test('money of the day by the prices, or by what the provider tells', async () => {
    const prices = { input: 1_000, output: 10_000 }
    const priced = world(telling, { prices, day: { tokens: null, costUsd: 0.4 } })
    expect((await priced.calls.generate(CALL)).usage.costUsd).toBeCloseTo(0.46)
    await expect(priced.calls.generate(CALL)).rejects.toMatchObject({ details: { unit: 'usd' } })
    const told = world(() => result('done', { usage: { ...usage, costUsd: 0.5 } }), {
      day: { tokens: null, costUsd: 0.4 },
    })
    await told.calls.generate(CALL)
    await expect(told.calls.generate(CALL)).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' })
  })

  test('what is left of a document counts attempts and repairs of the call', async () => {
    const prose = world(() => result('no JSON', { usage }))
    const call = { ...CALL, schema: z.object({ a: z.string() }), remaining: { tokens: 101, costUsd: null } }
    await expect(prose.calls.generateObject(call)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      details: { budget: 'document', spent: { calls: 1 } },
    })
  })

  test('what a model does not tell is estimated', async () => {
    const { calls, traces } = world(() => 'a reply of thirty characters..')
    expect((await calls.generate(CALL)).usage).toMatchObject({
      inputTokens: 4,
      outputTokens: 10,
      costUsd: null,
    })
    expect(traces[0]).toMatchObject({ inputTokens: null, outputTokens: null })
  })
})

describe('objects', () => {
  const schema = z.object({ items: z.array(z.string()) })
  const object = (...replies: string[]) => {
    const left = [...replies]
    const fake = createFakeLanguageModel({ reply: () => left.shift() ?? '' })
    return { fake, ...world(fake) }
  }

  test('the schema goes along, thinking gets its room', async () => {
    const { calls, fake } = object('{"items":["a"]}')
    expect(await calls.generateObject({ ...CALL, schema })).toMatchObject({
      value: { items: ['a'] },
      calls: 1,
    })
    expect(fake.calls[0]).toMatchObject({
      maxOutputTokens: 150,
      temperature: 0,
      schema: { type: 'object', required: ['items'] },
    })
  })

  test.each([
    ['', 'empty'],
    ['<think>What could it be?</think>', 'empty'],
    ['Sorry, I cannot do that.', 'prose'],
    ['{{{]]', 'malformed'],
    ['{"other": 3, "more": 4}', 'schema'],
  ])('a reply %j is asked for once more, and told why', async (reply, errorKind) => {
    const mended = object(reply, '{"items":["b"]}')
    expect(await mended.calls.generateObject({ ...CALL, schema })).toMatchObject({
      value: { items: ['b'] },
      calls: 2,
    })
    expect(mended.fake.calls[1]!.prompt).toContain('could not be used')
    const broken = object(reply, reply)
    await expect(broken.calls.generateObject({ ...CALL, schema })).rejects.toMatchObject({
      code: 'MODEL_REPLY_INVALID',
      retryable: true,
      details: { errorKind, spent: { calls: 2 } },
    })
  })

  test('a content filter is a refusal; an empty text is no reply', async () => {
    const filtered = world(() => result('', { finishReason: 'content-filter' }))
    await expect(filtered.calls.generate(CALL)).rejects.toMatchObject({
      code: 'MODEL_REFUSED',
      retryable: false,
    })
    const thought = world(() => result('<think>hm', { finishReason: 'length' }), { attempts: 1 })
    await expect(thought.calls.generate(CALL)).rejects.toMatchObject({
      code: 'MODEL_REPLY_INVALID',
      hint: expect.stringContaining('thinking_tokens'),
      details: { errorKind: 'empty' },
    })
  })
})

describe('streams', () => {
  const read = async (parts: AsyncIterable<unknown>) => {
    const read: unknown[] = []
    for await (const part of parts) read.push(part)
    return read
  }
  const streaming = (
    parts: readonly (string | Error)[],
    model: Partial<LanguageModel> = {},
  ): LanguageModel => ({
    ...{ modelId: 'm', generate: async () => result('whole') },
    async *stream() {
      for (const part of parts) {
        if (part instanceof Error) throw part
        yield { type: 'text', text: part }
      }
      yield { type: 'end', finishReason: 'stop', usage: NO_USAGE }
    },
    ...model,
  })

  test('pieces come as they are, without thinking; the end tells what it took', async () => {
    const { calls, traces } = world(streaming(['<thi', 'nk>hm', '</think>\nGood', ' day']))
    expect(await read(calls.stream(CALL))).toEqual([
      { type: 'text', text: 'Good' },
      { type: 'text', text: ' day' },
      expect.objectContaining({ type: 'end', usage: expect.objectContaining({ inputTokens: 4 }) }),
    ])
    expect(traces.map(({ reply }) => reply)).toEqual(['<think>hm</think>\nGood day'])
  })

  test('a model without streams gives one piece', async () => {
    const { calls } = world(() => 'all of it')
    expect(await read(calls.stream(CALL))).toMatchObject([{ text: 'all of it' }, { type: 'end' }])
  })

  test('it is tried again until the first piece has come, and not after', async () => {
    let turn = 0
    const models = [streaming([http(500)]), streaming(['Good', http(500)])]
    const { calls, traces } = world({
      ...streaming([]),
      stream: (request) => models[turn++]!.stream!(request),
    })
    const pieces: unknown[] = []
    const reading = (async () => {
      for await (const part of calls.stream(CALL)) pieces.push(part)
    })()
    await expect(reading).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      details: { spent: { calls: 2 } },
    })
    expect(pieces).toEqual([{ type: 'text', text: 'Good' }])
    expect(traces.map(({ reply }) => reply)).toEqual([null, 'Good'])
  })

  test('whoever stops reading frees the place and stops the model', async () => {
    let heard: AbortSignal | undefined
    const { calls, line } = world(
      {
        ...streaming([]),
        async *stream({ signal }) {
          heard = signal
          yield { type: 'text', text: 'a' }
          yield { type: 'text', text: 'b' }
        },
      },
      {},
      1,
    )
    for await (const _ of calls.stream(CALL)) break
    expect(heard?.aborted).toBe(true)
    expect(await line.run(async () => 'free', { interactive: false })).toBe('free')
  })

  test('an empty stream is no reply', async () => {
    const { calls } = world(streaming([]), { attempts: 1 })
    await expect(read(calls.stream(CALL))).rejects.toMatchObject({ code: 'MODEL_REPLY_INVALID' })
  })
})

test('errors of ours pass through, and what a function returns is checked', async () => {
  const own = new ProlepsisError('MODEL_REFUSED', 'No.')
  await expect(world(failing(own)).calls.generate(CALL)).rejects.toMatchObject({
    code: 'MODEL_REFUSED',
    message: 'No.',
  })
  // what JavaScript may return
  const nothing = (() => undefined) as unknown as GenerateFunction
  await expect(world(nothing, { attempts: 1 }).calls.generate(CALL)).rejects.toMatchObject({
    code: 'MODEL_REPLY_INVALID',
  })
})
