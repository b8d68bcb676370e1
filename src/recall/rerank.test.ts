import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import { codeOf } from '../../test/support/test-memory.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { RecallOptions, RecallResult } from '../domain/recall.ts'
import type { RerankingModel, RerankRequest } from '../providers/reranking-model.ts'
import { explain } from './explain.ts'
import type { Candidate } from './rank.ts'
import { recall } from './recall.ts'
import { inOrder } from './rerank.ts'

const NOTES = Array.from(
  { length: 12 },
  (_, i) => `# Room ${i}\n\nThe pump of room ${i} hangs behind door ${i}. Its gauge shows bar.\n\n`,
).join('')
const QUESTION = 'Where does the pump hang, and what does its gauge show?'

/** Scores by what the documents say; remembers what it was asked. */
function judge(
  scoreOf: (document: string, index: number) => number,
  options: Partial<RerankingModel> = {},
): RerankingModel & { readonly asked: RerankRequest[] } {
  const asked: RerankRequest[] = []
  return {
    modelId: 'test:judge',
    maxDocuments: 100,
    async rerank(request) {
      asked.push(request)
      return request.documents.map(scoreOf)
    },
    close: async () => undefined,
    ...options,
    asked,
  }
}

const roomOf = (text: string): number => Number(/room (\d+)/.exec(text)?.[1])
const rooms = (result: RecallResult): number[] => result.passages.map(({ text }) => roomOf(text))

describe('rerank', () => {
  let bank: TestBank
  const ask = (
    model: RerankingModel | null,
    options: RecallOptions = {},
    query: Parameters<typeof recall>[1] = QUESTION,
  ): Promise<RecallResult> =>
    recall({ ...bank.deps, reranker: async () => model }, query, { limit: 12, rerank: true, ...options })

  beforeAll(async () => {
    bank = await openTestBank()
    await bank.retain(NOTES, { source: 'rooms.md', mediaType: 'text/markdown', occurredAt: '2023-05-08' })
  })
  afterAll(() => bank.close())

  it('is off unless asked for', async () => {
    const model = judge((text) => roomOf(text))
    const result = await ask(model, { rerank: false })
    expect(model.asked).toEqual([])
    expect(result.passages.every(({ parts }) => parts.rerank === null)).toBe(true)
  })

  it('orders by the model, shows it the whole passages, and keeps scores falling on their scale', async () => {
    const plain = await ask(null, { rerank: false })
    const model = judge((text) => roomOf(text))
    const result = await ask(model)
    expect(result.degraded).toEqual([])
    expect(rooms(result)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    expect(result.passages.map(({ parts }) => parts.rerank)).toEqual(rooms(result))
    expect(result.passages.map(({ score }) => score)).toEqual(plain.passages.map(({ score }) => score))
    const [request] = model.asked
    expect(request?.query).toBe(QUESTION)
    expect(request?.traceId).toBe(result.traceId)
    expect(request?.documentIds).toHaveLength(1)
    const shown = request?.documents.find((text) => roomOf(text) === 3)
    expect(shown).toMatch(/^Room 3 \| 2023-05-08\n/)
    expect(shown).toContain('The pump of room 3 hangs behind door 3. Its gauge shows bar.')
  })

  it('reranks the best `top` alone; the others stay behind them as they were', async () => {
    const plain = rooms(await ask(null, { rerank: false }))
    const best = plain.slice(0, 4)
    const result = await ask(
      judge((_, i) => i),
      { rerank: { top: 4 } },
    )
    expect(rooms(result)).toEqual([...[...best].reverse(), ...plain.slice(4)])
    expect(result.passages[4]?.parts.rerank).toBeNull()
  })

  it('a budget is filled by the order of the model', async () => {
    const [one] = (await ask(null, { rerank: false })).passages
    const result = await ask(
      judge((text) => roomOf(text)),
      { tokenBudget: (one?.tokens ?? 0) * 2 + 4 },
    )
    expect(new Set(rooms(result)).has(11)).toBe(true)
    expect(result.passages.length).toBeLessThan(4)
  })

  it('with fewer documents a call than asked for, each batch is ordered in itself', async () => {
    const plain = rooms(await ask(null, { rerank: false }))
    const model = judge((_, i) => i, { maxDocuments: 5 })
    const result = await ask(model)
    const batch = (from: number): number[] => plain.slice(from, from + 5).reverse()
    expect(rooms(result)).toEqual([...batch(0), ...batch(5), ...plain.slice(10).reverse()])
    expect(model.asked.map(({ documents }) => documents.length)).toEqual([5, 5, 2])
  })

  it('equal scores leave the order as it was', async () => {
    const plain = rooms(await ask(null, { rerank: false }))
    expect(rooms(await ask(judge(() => 1)))).toEqual(plain)
  })

  it('chunks that the caller gave to this very question stay first, and are not judged', async () => {
    const questions = ['Which door is the fifth?']
    await bank.retain('The fifth is behind door 5. It creaks.', { source: 'fifth.md', questions })
    const model = judge((text) => (text.includes('creaks') ? -100 : 1))
    const result = await ask(model, {}, 'Which door is the fifth?')
    expect(result.passages[0]?.text).toContain('creaks')
    expect(result.passages[0]?.parts.rerank).toBeNull()
    expect(model.asked[0]?.documents.some((text) => text.includes('creaks'))).toBe(false)
  })

  it('judges a follow-up with what was asked before it, or with the stand-alone questions', async () => {
    const history = [
      { role: 'user', content: 'Where does the pump of room 3 hang?' },
      { role: 'assistant', content: 'The pump of room 3 hangs behind door 3.' },
    ]
    const model = judge(() => 1)
    await ask(model, {}, { message: 'And the pump of room 4?', history })
    await ask(model, {}, { message: 'And 4?', history, queries: ['Where does the pump of room 4 hang?'] })
    expect(model.asked.map(({ query }) => query)).toEqual([
      'Where does the pump of room 3 hang?\nAnd the pump of room 4?',
      'And 4?\nWhere does the pump of room 4 hang?',
    ])
  })

  it.each([
    [
      'raises',
      { rerank: () => Promise.reject(new ProlepsisError('MODEL_UNAVAILABLE', 'Busy.')) },
      'MODEL_UNAVAILABLE Busy.',
    ],
    ['raises something else', { rerank: () => Promise.reject(new TypeError('odd')) }, 'odd'],
    ['gives too few scores', { rerank: async () => [1] }, 'gave 1 scores for 12 documents'],
    [
      'gives no numbers',
      { rerank: async (r: RerankRequest) => r.documents.map(() => Number.NaN) },
      'no numbers',
    ],
  ])('a model that %s leaves the order, and degraded says so', async (_, part, reason) => {
    const plain = rooms(await ask(null, { rerank: false, source: 'rooms' }))
    const result = await ask(
      judge(() => 1, part),
      { source: 'rooms' },
    )
    expect(rooms(result)).toEqual(plain)
    expect(result.degraded).toEqual([expect.stringContaining(reason)])
    expect(result.degraded[0]).toMatch(/^rerank: /)
    expect(result.passages.every(({ parts }) => parts.rerank === null)).toBe(true)
  })

  it('a batch that fails leaves what was ordered before it', async () => {
    const plain = rooms(await ask(null, { rerank: false, source: 'rooms' }))
    let calls = 0
    const model = judge(() => 0, {
      maxDocuments: 6,
      rerank: async ({ documents }) => {
        if (++calls > 1) throw new ProlepsisError('MODEL_UNAVAILABLE', 'Busy.')
        return documents.map((_, i) => i)
      },
    })
    const result = await ask(model, { source: 'rooms' })
    expect(rooms(result)).toEqual([...plain.slice(0, 6).reverse(), ...plain.slice(6)])
    expect(result.degraded).toHaveLength(1)
  })

  it('without a reranking model the order stays, and degraded names the setting', async () => {
    const result = await ask(null, { source: 'rooms' })
    expect(result.passages).toHaveLength(12)
    expect(result.degraded[0]).toContain('MODEL_NOT_CONFIGURED')
  })

  it('notes of the model come to the caller', async () => {
    const model = judge(() => 1, {
      rerank: async ({ documents, onNote }) => {
        onNote?.('2 of 12 passages are over the window')
        return documents.map(() => 1)
      },
    })
    expect((await ask(model)).degraded).toEqual(['rerank: 2 of 12 passages are over the window'])
  })

  it('a call that is cancelled ends at once, though the model never does', async () => {
    const controller = new AbortController()
    const model = judge(() => 1, {
      rerank: () => {
        controller.abort()
        return new Promise(() => undefined)
      },
    })
    expect(await codeOf(ask(model, { signal: controller.signal }))).toBe('CANCELLED')
  })

  it('explain shows what the model gave, without asking it again, and why another chunk fell behind', async () => {
    const result = await ask(
      judge((text) => roomOf(text)),
      { limit: 3, source: 'rooms' },
    )
    await bank.deps.receipts.flush()
    const explained = await explain(bank.deps, result.receipt ?? '', { whyNot: ['rooms.md#1'] })
    expect(explained.passages.map(({ parts }) => parts.rerank)).toEqual([11, 10, 9])
    expect(explained.whyNot[0]).toMatchObject({ stage: 'rank', rank: 12, parts: { rerank: 0 } })
    expect(explained.whyNot[0]?.reason).toContain('The reranking model gave it 0.000')
  })

  it('refuses what it cannot take', async () => {
    for (const rerank of [{ top: 0 }, { top: 501 }, { top: 1.5 }, 'yes', 3, null, []]) {
      // callers without types may hand over anything
      const options = { rerank } as unknown as RecallOptions
      expect(await codeOf(ask(null, options))).toBe('INVALID_ARGUMENT')
    }
    const unknown = { rerank: { best: 3 } } as unknown as RecallOptions
    expect(await codeOf(ask(null, unknown))).toBe('UNKNOWN_OPTION')
  })
})

describe('inOrder', () => {
  const candidate = (chunkId: number, score: number): Candidate => ({
    chunk: {
      ...{ chunkId, documentId: 1, ordinal: chunkId, speaker: null, tokens: 1 },
      ...{ happenedAt: null, said: null, enriched: false },
    },
    ...{ score, cue: null },
    parts: { channels: {}, ranks: {}, features: {}, fused: score, lift: 1, rerank: null },
  })

  it('moves what was judged among its own places, whatever was lost or never there', () => {
    const candidates = [candidate(1, 0.9), candidate(2, 0.8), candidate(3, 0.7), candidate(4, 0.6)]
    const order = [
      { chunkId: 99, score: 5 },
      { chunkId: 4, score: 4 },
      { chunkId: 1, score: 3 },
    ]
    const moved = inOrder(candidates, order)
    expect(moved.map(({ chunk, score, parts }) => [chunk.chunkId, score, parts.rerank])).toEqual([
      [4, 0.9, 4],
      [2, 0.8, null],
      [3, 0.7, null],
      [1, 0.6, 3],
    ])
    expect(inOrder(candidates, [])).toBe(candidates)
  })
})
