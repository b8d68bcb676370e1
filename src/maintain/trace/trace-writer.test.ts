import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../../test/support/recall-bank.ts'
import type { EngineEvent } from '../../domain/events.ts'
import { MASK } from '../../domain/mask-secrets.ts'
import { createUuidGenerator } from '../../domain/uuid.ts'
import { TRACE_TYPES, type TraceEvent, type TraceRecord } from '../../observability/trace.ts'
import type { Database } from '../../store/database.ts'
import { deleteTrace } from '../../store/queries/trace-prune.ts'
import { tailTrace } from '../../store/queries/trace-read.ts'
import { createTraceWriter, type TraceWriter, type TraceWriterOptions } from './trace-writer.ts'

const BASE = { traceId: 't', at: new Date(Date.UTC(2024, 0, 1)), durationMs: 1, errorCode: null } as const
const recall = (message: string): TraceRecord => ({
  ...{ type: 'recall', ...BASE, receiptId: null, message, queries: [message] },
  ...{ passages: 0, degraded: [], stages: { channels: 2 } },
})
const modelCall = (prompt: string): TraceRecord => ({
  ...{ type: 'model-call', ...BASE, callId: 'c', purpose: 'answer', modelId: 'fake:model', attempt: 1 },
  ...{ system: 'Answer.', prompt, reply: 'Yes.', finishReason: 'stop', error: null, jobId: null },
  ...{ inputTokens: 3, outputTokens: 1, reasoningTokens: null, costUsd: 0.5, documentIds: [] },
})

describe('trace writer', () => {
  let bank: TestBank
  let warnings: string[] = []
  const written = (): Promise<TraceEvent[]> =>
    tailTrace(bank.database, bank.store.bankId, { types: TRACE_TYPES, after: null, limit: 1_000 })
  const writerOf = (options: Partial<TraceWriterOptions> = {}): TraceWriter =>
    createTraceWriter({
      database: bank.database,
      ids: createUuidGenerator({ now: () => 1 }, (bytes) => bytes.fill(7)),
      events: {
        emit: (event: EngineEvent) => {
          if (event.type === 'warning') warnings.push(event.code)
        },
      },
      ...{ keep: true, keepText: true, delayMs: 3_600_000 },
      ...options,
    })

  beforeAll(async () => {
    bank = await openTestBank()
  })
  afterAll(() => bank.close())
  beforeEach(async () => {
    warnings = []
    await deleteTrace(bank.database, bank.store.bankId)
  })

  it('writes at a flush and at the end, in order, and takes no more after it', async () => {
    const writer = writerOf()
    writer.record(bank.store, recall('one'))
    expect(await written()).toEqual([])
    await writer.flush()
    expect(await written()).toHaveLength(1)
    writer.record(bank.store, modelCall('two'))
    await writer.close()
    writer.record(bank.store, recall('three'))
    await writer.close()
    const [first, second] = await written()
    expect(first).toEqual({ ...recall('one'), eventId: expect.any(String) })
    expect(second).toEqual({ ...modelCall('two'), eventId: expect.any(String) })
    expect(await written()).toHaveLength(2)
    expect(warnings).toEqual([])
  })

  it('keeps no content when that is switched off, and tells a tracer all the same', async () => {
    const heard: TraceRecord[] = []
    const writer = writerOf({ keepText: false, tracers: [(record) => void heard.push(record)] })
    writer.record(bank.store, modelCall('a prompt'))
    writer.record(bank.store, recall('a message'))
    await writer.close()
    const [call, asked] = await written()
    expect(call).toMatchObject({ system: null, prompt: null, reply: null, inputTokens: 3, costUsd: 0.5 })
    expect(asked).toMatchObject({ message: null, queries: null, stages: { channels: 2 } })
    expect(heard).toEqual([modelCall('a prompt'), recall('a message')])
  })

  it('keeps nothing when it is switched off', async () => {
    const heard: string[] = []
    const writer = writerOf({ keep: false, tracers: [(record, name) => void heard.push(record.type, name)] })
    writer.record(bank.store, recall('one'))
    await writer.close()
    expect(await written()).toEqual([])
    expect(heard).toEqual(['recall', 'test'])
  })

  it('masks what looks like a secret, then redacts, before anyone sees it', async () => {
    const heard: TraceRecord[] = []
    const writer = writerOf({
      redact: (text) => text.replaceAll('Kelly', 'K.'),
      tracers: [(record) => void heard.push(record)],
    })
    writer.record(bank.store, recall('Kelly: my password=hunter2'))
    writer.record(bank.store, {
      ...modelCall('Ask Kelly.'),
      error: 'Authorization: Bearer abcdef0123456789',
    } as TraceRecord)
    await writer.close()
    for (const seen of [JSON.stringify(await written()), JSON.stringify(heard)]) {
      expect(seen).not.toMatch(/Kelly|hunter2|abcdef0123456789/)
      expect(seen).toContain(MASK)
    }
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('mine')
      },
    ],
    // a caller without types
    ['gives no text', () => undefined as unknown as string],
  ])('leaves content out when the redaction %s, and warns once', async (_, redact) => {
    const writer = writerOf({ redact })
    writer.record(bank.store, recall('secret one'))
    writer.record(bank.store, recall('secret two'))
    await writer.close()
    expect(await written()).toHaveLength(2)
    expect(JSON.stringify(await written())).not.toContain('secret')
    expect(warnings).toEqual(['REDACTION_FAILED'])
  })

  it('a tracer that throws, at once or later, breaks nobody and is told of once', async () => {
    let heard = 0
    const writer = writerOf({
      tracers: [
        () => {
          throw new Error('at once')
        },
        () => Promise.reject(new Error('later')),
        () => {
          heard += 1
        },
      ],
    })
    writer.record(bank.store, recall('one'))
    writer.record(bank.store, recall('two'))
    await writer.close()
    expect([heard, (await written()).length, warnings]).toEqual([2, 2, ['TRACER_FAILED']])
  })

  it('drops the oldest past its bound, and says so once', async () => {
    const writer = writerOf({ mostBytes: 10_000 })
    for (let n = 0; n < 50; n++) writer.record(bank.store, recall(`${n} ${'x'.repeat(500)}`))
    await writer.close()
    const messages = (await written()).map((event) => event.type === 'recall' && event.message?.split(' ')[0])
    expect(messages.length).toBeGreaterThan(1)
    expect(messages.length).toBeLessThan(10)
    expect(messages.at(-1)).toBe('49')
    expect(warnings).toEqual(['TRACE_DROPPED'])
  })

  it('a store that fails loses the batch, warns once and breaks nobody; the next is written', async () => {
    let fails = true
    const database: Database = {
      ...bank.database,
      transaction: (work, options) =>
        fails ? Promise.reject(new Error('no')) : bank.database.transaction(work, options),
    }
    const writer = writerOf({ database })
    writer.record(bank.store, recall('one'))
    await writer.flush()
    writer.record(bank.store, recall('two'))
    await writer.flush()
    fails = false
    writer.record(bank.store, recall('three'))
    await writer.close()
    expect(warnings).toEqual(['TRACE_LOST'])
    expect((await written()).map((event) => event.type === 'recall' && event.message)).toEqual(['three'])
  })

  it('one event that the store refuses costs no other', async () => {
    const writer = writerOf()
    writer.record(bank.store, recall('one'))
    // a number that its column cannot hold
    writer.record(bank.store, { ...recall('two'), passages: 1e12 } as TraceRecord)
    writer.record(bank.store, recall('three'))
    await writer.close()
    expect((await written()).map((event) => event.type === 'recall' && event.message)).toEqual([
      'one',
      'three',
    ])
    expect(warnings).toEqual(['TRACE_LOST'])
  })

  it('events of a bank that is gone are no trouble', async () => {
    const writer = writerOf()
    writer.record({ bankId: 999_999, bank: 'gone' }, recall('one'))
    writer.record(bank.store, recall('two'))
    await writer.close()
    expect(await written()).toHaveLength(1)
    expect(warnings).toEqual([])
  })

  it('takes any text and any number', async () => {
    const writer = writerOf()
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.double(), async (text, number) => {
        writer.record(bank.store, {
          ...recall(text),
          durationMs: number,
          stages: { a: number },
        } as TraceRecord)
        writer.record(bank.store, modelCall(`\0\ud800${text}`))
        await writer.flush()
      }),
      { numRuns: 40 },
    )
    expect((await written()).length).toBe(80)
    expect(warnings).toEqual([])
    await writer.close()
  })
})
