import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failingDatabase } from '../../test/support/failing-database.ts'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import { findReceipt } from '../store/queries/receipts.ts'
import { recallCandidates } from './candidates.ts'
import type { RecallDeps } from './deps.ts'
import { FEATURES } from './features.ts'
import { recall } from './recall.ts'

const CHAT = [
  'Ann: I moved to Oslo last month. The flat is near the harbour.',
  'Ben: Nice! Do you like the new flat?',
  'Ann: Yes, though the stairs are steep.',
  'Ben: I adopted a puppy called Biscuit yesterday.',
  'Ann: What breed is the puppy?',
  'Ben: A beagle. He chewed my slippers already.',
].join('\n')

const NOTES = [
  '# Garden\n\nTomatoes need six hours of sun. Water them early in the morning.\n\n',
  '# Kitchen\n\nThe oven runs hot: bake bread ten degrees lower than the recipe says.\n\n',
  '# Garage\n\nThe bicycle pump hangs behind the door. Its gauge shows bar, not psi.\n',
].join('')

describe('recall', () => {
  let bank: TestBank
  let deps: RecallDeps
  const refs = async (
    ...call: [Parameters<typeof recall>[1], Parameters<typeof recall>[2]?]
  ): Promise<string[]> => (await recall(deps, ...call)).passages.map((passage) => passage.ref)

  beforeAll(async () => {
    bank = await openTestBank()
    deps = bank.deps
    await bank.retain(CHAT, { source: 'chat/one', occurredAt: '2023-05-08', tags: ['chat'] })
    await bank.retain(NOTES, {
      ...{ source: 'notes.md', tags: ['home', 'howto'], metadata: { room: 'all', floor: 1 }, trust: 'tool' },
      mediaType: 'text/markdown',
    })
  })
  afterAll(() => bank.close())

  it('gives an empty result for an empty bank', async () => {
    const empty = await openTestBank({ database: bank.database, name: 'empty' })
    const result = await recall(empty.deps, 'Where is the bicycle pump?')
    expect(result).toMatchObject({
      passages: [],
      tokens: 0,
      degraded: [],
      queries: ['Where is the bicycle pump?'],
    })
    expect(String(result)).toContain('Nothing relevant')
    await empty.close()
  })

  it('brings back the chunk that answers, with everything a reader needs', async () => {
    const { passages, degraded } = await recall(deps, 'Where does the bicycle pump hang?')
    expect(degraded).toEqual([])
    expect(passages[0]).toMatchObject({
      ...{
        ref: 'notes.md#3',
        source: 'notes.md',
        trust: 'tool',
        tags: ['home', 'howto'],
        before: '',
        after: '',
      },
      ...{ metadata: { room: 'all', floor: 1 }, occurredAt: null },
    })
    expect(passages[0]?.text).toContain('The bicycle pump hangs behind the door.')
    const scores = passages.map((passage) => passage.score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    for (const score of scores) expect(score > 0 && score < 1).toBe(true)
  })

  it('keeps the parts of every score: channels, ranks, every feature', async () => {
    const result = await recall(deps, 'Who adopted a puppy called Biscuit?')
    const best = result.passages.find((passage) => passage.ref === 'chat/one#4')
    expect(Object.keys(best?.parts.features ?? {})).toEqual(FEATURES.map((feature) => feature.name))
    expect(best?.parts.ranks.statement).toBe(1)
    expect(best?.cue).toEqual({
      kind: 'statement',
      text: 'Ben adopted a puppy called Biscuit on 7 May 2023.',
    })
    expect(best?.parts.channels.content).toBeGreaterThan(0)
    expect(best?.parts.channels.context).toBeGreaterThan(0)
    expect(best?.parts.lift).toBe(1)
  })

  it('completes: a candidate of one channel has its exact score in the others', async () => {
    const { candidates } = await recallCandidates(deps, 'Where does the bicycle pump hang?', { limit: 1 })
    expect(candidates.length).toBeGreaterThan(3)
    for (const { chunk, parts } of candidates) {
      expect(parts.channels.content).toBeDefined()
      if (chunk.kind === 'turn') expect(parts.channels.body ?? parts.channels.statement).toBeDefined()
    }
  })

  it('scores body and cues as the lexical search itself does', async () => {
    const { candidates } = await recallCandidates(deps, 'bicycle pump gauge bread puppy', {
      ...{ mode: 'lexical', weights: { body: 1 }, fusion: 'standard' },
    })
    const { lists } = await recallCandidates(deps, 'bicycle pump gauge bread puppy', {
      ...{ mode: 'lexical', weights: { body: 1 }, fusion: 'standard' },
    })
    for (const channel of ['body', 'cue'] as const) {
      const hits = lists.get(channel) ?? []
      expect(hits.length).toBeGreaterThan(2)
      for (const { chunkId, score } of hits) {
        const found = candidates.find((candidate) => candidate.chunk.chunkId === chunkId)
        expect(found?.parts.channels[channel]).toBeCloseTo(score, 4)
      }
    }
  })

  it('prefers the speaker who was asked for', async () => {
    const { candidates } = await recallCandidates(deps, 'What did Ben say about the puppy?')
    const flags = new Map(candidates.map(({ chunk, parts }) => [chunk.speaker, parts.features]))
    expect(flags.get('Ben')).toMatchObject({ speaker: 0, named: 1 })
    expect(flags.get('Ann')).toMatchObject({ speaker: -1 })
    expect(flags.get(null)).toMatchObject({ speaker: -0.5 })
    expect(candidates[0]?.chunk.speaker).toBe('Ben')
  })

  it('sees only what the filters let through, in every mode', async () => {
    for (const mode of ['hybrid', 'semantic', 'lexical'] as const) {
      const sources = async (options: Parameters<typeof recall>[2]): Promise<Set<string>> => {
        const { passages } = await recall(deps, 'flat puppy oven pump', { mode, limit: 20, ...options })
        return new Set(passages.map((passage) => passage.source))
      }
      expect(await sources({}), mode).toEqual(new Set(['chat/one', 'notes.md']))
      expect(await sources({ tags: { any: ['chat'] } }), mode).toEqual(new Set(['chat/one']))
      expect(await sources({ tags: { all: ['home', 'howto'] } }), mode).toEqual(new Set(['notes.md']))
      expect(await sources({ tags: { none: ['home'] } }), mode).toEqual(new Set(['chat/one']))
      expect(await sources({ where: { floor: 1 } }), mode).toEqual(new Set(['notes.md']))
      expect(await sources({ source: 'chat/' }), mode).toEqual(new Set(['chat/one']))
      expect(await sources({ minTrust: 'user' }), mode).toEqual(new Set(['chat/one']))
      expect(await sources({ during: { from: '2023-05-01', to: '2023-06-01' } }), mode).toEqual(
        new Set(['chat/one']),
      )
      expect(await sources({ source: '%' }), mode).toEqual(new Set())
    }
    const ofAnn = await recall(deps, 'flat puppy', { people: ['Ann'], limit: 20 })
    expect(ofAnn.passages.length).toBeGreaterThan(0)
    expect(ofAnn.passages.every((passage) => /Ann/.test(passage.text) || passage.speaker === 'Ann')).toBe(
      true,
    )
  })

  it('works for stop words alone, by meaning; in lexical mode it finds nothing and says why', async () => {
    expect((await recall(deps, 'who is it and what was that')).passages.length).toBeGreaterThan(0)
    const lexical = await recall(deps, 'who is it and what was that', { mode: 'lexical' })
    expect(lexical.passages).toEqual([])
    expect(lexical.degraded.join()).toContain('stop words')
  })

  it('works for SQL, wildcards and quotes in every field', async () => {
    const hostile = `'; drop table chunks; -- %_" : \\ $1 {}`
    const result = await recall(deps, hostile, {
      ...{ tags: { any: [hostile] }, where: { [hostile]: hostile }, source: hostile, people: [hostile] },
    })
    expect(result.passages).toEqual([])
    expect((await refs('bicycle pump')).length).toBeGreaterThan(0)
  })

  it('works for a message of 100,000 characters, and says what was shortened', async () => {
    const long = `${'lorem ipsum dolor '.repeat(5600).slice(0, 99_960)} Where does the bicycle pump hang?`
    const result = await recall(deps, long)
    expect(result.degraded.join('\n')).toContain('message:')
    expect(result.passages.length).toBeGreaterThan(0)
  })

  it('returns no more than the limit, and whole chunks within the token budget', async () => {
    expect(await refs('flat puppy oven pump', { limit: 2 })).toHaveLength(2)
    for (const tokenBudget of [0, 12, 25, 40, 1000]) {
      const { passages, tokens } = await recall(deps, 'flat puppy oven pump', { tokenBudget })
      expect(tokens).toBeLessThanOrEqual(tokenBudget)
      expect(tokens).toBe(passages.reduce((sum, passage) => sum + passage.tokens, 0))
      for (const { text } of passages) expect(CHAT.includes(text) || NOTES.includes(text)).toBe(true)
    }
    expect((await recall(deps, 'flat puppy oven pump', { tokenBudget: 0 })).passages).toEqual([])
  })

  it('expands by neighbours that adjoin, fit and are not returned anyway', async () => {
    const [passage] = (await recall(deps, 'bake bread lower', { source: 'notes.md', limit: 1, expand: 1 }))
      .passages
    expect(`${passage?.before}${passage?.text}${passage?.after}`).toBe(NOTES)
    const tight = await recall(deps, 'bake bread lower', {
      ...{ source: 'notes.md', limit: 1, expand: 5, tokenBudget: (passage?.tokens ?? 0) - 1 },
    })
    expect(tight.tokens).toBeLessThan(passage?.tokens ?? 0)
    expect(NOTES).toContain(
      `${tight.passages[0]?.before}${tight.passages[0]?.text}${tight.passages[0]?.after}`,
    )
  })

  it('fuses in three ways, with weights of the call', async () => {
    for (const fusion of ['learned', 'standard', 'rrf'] as const) {
      expect((await refs('Where does the bicycle pump hang?', { fusion, source: 'notes' }))[0], fusion).toBe(
        'notes.md#3',
      )
    }
    const { candidates } = await recallCandidates(deps, 'bicycle pump', { weights: { content: 0 } })
    expect(candidates.every(({ parts }) => parts.channels.content === undefined)).toBe(true)
  })

  it('leans on the exchange before a message that stays with its topic', async () => {
    const history = [
      { role: 'user', content: 'Tell me about the bicycle pump.' },
      { role: 'assistant', content: 'The bicycle pump hangs behind the door.' },
    ]
    const message = 'And the gauge of the pump?'
    const alone = await recall(deps, message)
    const withHistory = await recall(deps, { message, history })
    expect(withHistory.passages[0]?.ref).toBe('notes.md#3')
    expect(withHistory.passages[0]?.parts.channels.context).toBeGreaterThan(
      alone.passages.find((passage) => passage.ref === 'notes.md#3')?.parts.channels.context ?? 0,
    )
  })

  it('takes the questions of the caller beside the message', async () => {
    const result = await recall(deps, { message: 'help', queries: ['Where does the bicycle pump hang?'] })
    expect(result.queries).toEqual(['help', 'Where does the bicycle pump hang?'])
    expect(result.passages[0]?.ref).toBe('notes.md#3')
  })

  it('loses one channel visibly and goes on', async () => {
    const lexicalGone = failingDatabase(bank.database, (sql) => sql.includes('ordinal between'))
    const result = await recall({ ...deps, store: { ...deps.store, database: lexicalGone } }, 'bicycle pump')
    expect(result.degraded.join('\n')).toMatch(/text, context: STORE_FAILED/)
    expect(result.passages[0]?.ref).toBe('notes.md#3')
  })

  it('loses the embedder visibly and goes on; in semantic mode it raises', async () => {
    const broken = { ...deps, embedder: () => Promise.reject(new Error('no model')) }
    const result = await recall(broken, 'bicycle pump')
    expect(result.degraded.join('\n')).toContain('embedding: MODEL_FAILED')
    expect(result.passages[0]?.ref).toBe('notes.md#3')
    await expect(recall(broken, 'bicycle pump', { mode: 'semantic' })).rejects.toMatchObject({
      code: 'MODEL_FAILED',
    })
  })

  it('raises the first failure when every channel failed', async () => {
    const gone = failingDatabase(bank.database, () => true)
    await expect(recall({ ...deps, store: { ...deps.store, database: gone } }, 'pump')).rejects.toMatchObject(
      {
        code: 'STORE_FAILED',
      },
    )
  })

  it('stops at an abort', async () => {
    const signal = AbortSignal.abort()
    await expect(recall(deps, 'pump', { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('writes a receipt behind the answer, and none when asked not to', async () => {
    const { receipt, passages } = await recall(deps, 'bicycle pump', { limit: 2 })
    await deps.receipts.flush()
    const stored = await findReceipt(bank.database, deps.store.bankId, receipt ?? '')
    expect(stored?.passages.map((passage) => passage.chunkId)).toEqual(
      passages.map((passage) => passage.chunkId),
    )
    expect((await recall(deps, 'bicycle pump', { receipt: false })).receipt).toBeNull()
  })

  it('strengthens nothing by retrieval alone', async () => {
    const rows = await bank.database.query('select * from activity where bank_id = $1', [deps.store.bankId])
    expect(rows).toEqual([])
  })

  it('sees versions as of a time', async () => {
    const timed = await openTestBank({ database: bank.database, name: 'timed' })
    await timed.retain('The meeting room is upstairs.', { source: 'room' })
    timed.setTime(Date.UTC(2024, 5, 1))
    await timed.retain('The meeting room is in the cellar.', { source: 'room' })
    const texts = async (asOf?: string): Promise<string[]> =>
      (await recall(timed.deps, 'meeting room', asOf === undefined ? {} : { asOf })).passages.map(
        ({ ref, text }) => `${ref} ${text}`,
      )
    expect(await texts()).toEqual(['room#1 The meeting room is in the cellar.'])
    expect(await texts('2024-03-01')).toEqual(['room@1#1 The meeting room is upstairs.'])
    expect(await texts('2023-03-01')).toEqual([])
    await timed.close()
  })
})
