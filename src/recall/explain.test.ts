import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import type { Explanation, RecallOptions } from '../domain/recall.ts'
import { sigmoid } from '../math/logistic.ts'
import { explain } from './explain.ts'
import { recall } from './recall.ts'

const SUBJECTS = 'harbour bridge castle market forest river tower garden school station'.split(' ')
/** 60 notes of one chunk each: more than a channel brings. */
const NOTES = Array.from({ length: 60 }, (_, i) => {
  const subject = SUBJECTS[i % SUBJECTS.length]
  return `Note ${i}: the ${subject} was visited on a sunny morning and ${'again '.repeat(i % 7)}photographed.`
})

describe('explain', () => {
  let bank: TestBank
  const ask = async (message: string, options: RecallOptions, whyNot: string[]): Promise<Explanation> => {
    const { receipt } = await recall(bank.deps, message, options)
    return explain(bank.deps, receipt ?? '', { whyNot })
  }

  beforeAll(async () => {
    bank = await openTestBank()
    for (const [i, note] of NOTES.entries()) {
      await bank.retain(note, { source: `note-${i}`, tags: [i % 2 === 0 ? 'even' : 'odd'] })
    }
    await bank.retain('Zebras graze far away.', { source: 'zebra' })
  })
  afterAll(() => bank.close())

  it('repeats the recall: passages, ranks, scores, parts and weights', async () => {
    const result = await recall(bank.deps, 'Who photographed the castle?', { limit: 3 })
    const explained = await explain(bank.deps, result.receipt ?? '')
    expect(explained).toMatchObject({ receipt: result.receipt, message: 'Who photographed the castle?' })
    expect(explained.passages).toEqual(
      result.passages.map(({ ref, score, parts }, i) => ({
        ref,
        rank: i + 1,
        score: expect.closeTo(score, 5),
        parts,
      })),
    )
    expect(explained.weights.z_content).toBeGreaterThan(0)
    expect(explained.whyNot).toEqual([])
    expect(explained.history).toEqual([])
  })

  it.each(['learned', 'standard'] as const)(
    'adds up under %s: weighted features and bias',
    async (fusion) => {
      const { passages, weights, bias, ...rest } = await ask(
        'Who photographed the castle?',
        { fusion, limit: 3 },
        [],
      )
      expect(rest.fusion).toBe(fusion)
      for (const { parts, score } of passages) {
        const features = Object.entries(parts.features)
        const sum = features.reduce((total, [name, value]) => total + value * (weights[name] ?? 0), bias)
        expect(parts.fused).toBeCloseTo(fusion === 'learned' ? sigmoid(sum) : sum, 9)
        expect(score).toBeCloseTo(parts.fused * parts.lift, 5)
      }
    },
  )

  it('shows what the history contributed, and how far the topic stayed', async () => {
    const history = [
      { role: 'user', content: 'Who photographed the castle?' },
      { role: 'assistant', content: 'Nobody knows.' },
    ]
    const { receipt } = await recall(bank.deps, { message: 'Who photographed the castle then?', history })
    const explained = await explain(bank.deps, receipt ?? '')
    expect(explained.history.map(({ text }) => text)).toEqual([
      'Who photographed the castle?',
      'Nobody knows.',
    ])
    for (const { weight } of explained.history) expect(weight).toBeLessThanOrEqual(0.5)
    expect(explained.history[0]?.weight).toBeGreaterThan(0)
  })

  it('names the filter that hid a chunk', async () => {
    const { whyNot } = await ask('the castle', { tags: { any: ['odd'], strict: true }, source: 'note' }, [
      'note-2#1',
    ])
    expect(whyNot).toMatchObject([
      { ref: 'note-2#1', stage: 'filter', reason: 'Hidden by tags.', rank: null },
    ])
    const both = await ask('the castle', { tags: { any: ['odd'], strict: true }, source: 'z' }, ['note-2#1'])
    expect(both.whyNot[0]?.reason).toBe('Hidden by tags, source.')
  })

  it('says by how much the channels missed a chunk', async () => {
    const { whyNot } = await ask('Who photographed the castle on a sunny morning?', { limit: 3 }, ['zebra#1'])
    expect(whyNot[0]).toMatchObject({ ref: 'zebra#1', stage: 'channels', rank: null })
    expect(whyNot[0]?.reason).toMatch(/content: -?\d\.\d{3}, rank \d+, cut -?\d\.\d{3}/)
    expect(whyNot[0]?.reason).toContain('context: no entry')
    expect(whyNot[0]?.parts?.ranks.content).toBeGreaterThan(30)
  })

  it('names the features that cost a chunk its place', async () => {
    const { whyNot } = await ask('Note 2 castle', { limit: 1 }, ['note-12#1'])
    expect(whyNot[0]?.stage).toBe('rank')
    expect(whyNot[0]?.rank).toBeGreaterThan(1)
    expect(whyNot[0]?.reason).toMatch(
      /Rank \d+ of \d+, limit 1\. Against the last passage returned it lost by z_\w+/,
    )
  })

  it('tells a chunk that did not fit from one that repeats', async () => {
    const tiny = await ask('the castle', { tokenBudget: 5 }, ['note-2#1'])
    expect(tiny.whyNot[0]).toMatchObject({
      stage: 'budget',
      reason: expect.stringContaining('more than the budget of 5'),
    })
    const first = await recall(bank.deps, 'castle', { limit: 2, tokenBudget: 22 })
    const lost = ['note-2#1', 'note-12#1', 'note-22#1'].filter(
      (ref) => !first.passages.some((passage) => passage.ref === ref),
    )
    const { whyNot } = await explain(bank.deps, first.receipt ?? '', { whyNot: lost })
    expect(whyNot.length).toBeGreaterThan(0)
    for (const answer of whyNot) {
      expect(answer.stage).toBe('budget')
      expect(answer.reason).toMatch(/did not fit|limit of 2 was filled/)
      expect(answer.reason).toMatch(/shares \d+ % of its terms with note-/)
    }
  })

  it('says so when the chunk was returned, and finds chunks by their text', async () => {
    const { whyNot } = await ask('zebras', { limit: 2 }, ['Zebras  GRAZE far'])
    expect(whyNot).toMatchObject([{ ref: 'zebra#1', stage: 'returned', rank: 1 }])
  })

  it('looks at memory as it stood when the recall was made', async () => {
    bank.setTime(Date.UTC(2024, 2, 1))
    const { receipt } = await recall(bank.deps, 'zebras', { limit: 1 })
    bank.setTime(Date.UTC(2024, 3, 1))
    await bank.retain('Zebras sleep in the barn now.', { source: 'zebra' })
    const explained = await explain(bank.deps, receipt ?? '', { whyNot: ['zebra@1#1'] })
    expect(explained.passages.map((passage) => passage.ref)).toEqual(['zebra@1#1'])
    expect(explained.passages[0]?.parts.channels.content).toBeDefined()
    expect(explained.whyNot[0]?.stage).toBe('returned')
  })

  it('names the version as the reason for superseded text', async () => {
    const { whyNot } = await ask('zebras', { limit: 2 }, ['zebra@1#1'])
    expect(whyNot[0]).toMatchObject({
      ...{ ref: 'zebra@1#1', stage: 'filter' },
      reason:
        'Version 1 is no longer current since 2024-04-01T00:00:00.000Z: another version took its place. Recall as of an earlier time finds it.',
    })
    const then = await ask('zebras', { asOf: '2024-03-20' }, ['zebra#1'])
    expect(then.whyNot[0]).toMatchObject({ stage: 'filter', reason: 'Hidden by asOf.' })
  })

  it('says of what it does not find that it is not found, and answers the rest', async () => {
    const { whyNot } = await ask('zebras', { limit: 2 }, ['no chunk says this', 'zebra#1', 'nowhere#7'])
    expect(whyNot).toMatchObject([
      { ref: 'no chunk says this', stage: 'not-found', rank: null, parts: null },
      { ref: 'zebra#1', stage: 'returned' },
      { ref: 'nowhere#7', stage: 'not-found' },
    ])
  })

  it('refuses unknown receipts and options', async () => {
    await expect(explain(bank.deps, 'nope')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const { receipt } = await recall(bank.deps, 'zebras')
    const unknown = { whynot: [] } as object
    await expect(explain(bank.deps, receipt ?? '', unknown)).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' })
  })
})
