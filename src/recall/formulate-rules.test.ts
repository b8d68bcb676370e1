import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exchangeShare, formulateByRules } from './formulate-rules.ts'

const options = { people: ['Caroline', 'Melanie'], now: new Date('2023-05-08T10:00:00Z') }

describe('formulateByRules', () => {
  it('takes a bare message as it is', () => {
    expect(formulateByRules({ message: ' What did Caroline do last week? ' }, options)).toEqual({
      queries: ['What did Caroline do last week?'],
      dense: [
        [
          {
            origin: 'message',
            texts: [{ text: 'What did Caroline do last week?', purpose: 'query' }],
            weight: 1,
          },
        ],
      ],
      lexical: [{ origin: 'message', text: 'What did Caroline do last week?', weight: 1 }],
      people: ['Caroline'],
      dates: { months: [], years: [] },
      asksForTime: false,
      times: [{ text: 'last week', from: new Date('2023-05-01'), to: new Date('2023-05-08') }],
      notes: [],
    })
  })

  it('leans on the previous question and answer', () => {
    const { dense, lexical, queries } = formulateByRules(
      {
        message: 'And in winter?',
        history: [
          { role: 'user', content: 'Old question' },
          { role: 'assistant', content: 'Old answer' },
          { role: 'User', content: 'Is it warm in Oslo?' },
          { role: 'tool', content: '{"noise": 1}' },
          { role: 'assistant', content: 'In summer, yes.' },
          { role: 'system', content: 'Be brief.' },
        ],
      },
      options,
    )
    expect(queries).toEqual(['And in winter?'])
    expect(dense).toEqual([
      [
        { origin: 'message', texts: [{ text: 'And in winter?', purpose: 'query' }], weight: 1 },
        {
          origin: 'exchange',
          texts: [
            { text: 'Is it warm in Oslo?', purpose: 'query' },
            { text: 'In summer, yes.', purpose: 'symmetric' },
          ],
          weight: 0.6,
        },
      ],
    ])
    expect(lexical).toEqual([
      { origin: 'message', text: 'And in winter?', weight: 1 },
      { origin: 'exchange', text: 'Is it warm in Oslo?', weight: 0.5 },
      { origin: 'exchange', text: 'In summer, yes.', weight: 0.25 },
    ])
  })

  it('leaves speakers’ names out of what is asked of the content', () => {
    const { dense, dates, asksForTime } = formulateByRules(
      { message: "When was Caroline's race in May 2023?", queries: ['Which race?'] },
      { ...options, speakers: ['Caroline', 'Melanie'] },
    )
    expect(dense.map((parts) => parts[0]?.texts[0])).toEqual([
      {
        text: "When was Caroline's race in May 2023?",
        purpose: 'query',
        nameless: 'When was race in May 2023?',
      },
      { text: 'Which race?', purpose: 'query' },
    ])
    expect(dates).toEqual({ months: [4], years: [2023] })
    expect(asksForTime).toBe(true)
  })

  it('uses a previous question that was not answered', () => {
    const { lexical } = formulateByRules(
      {
        message: 'b',
        history: [
          { role: 'assistant', content: 'older' },
          { role: 'Ann', content: 'a?' },
        ],
      },
      options,
    )
    expect(lexical.map((part) => part.text)).toEqual(['b', 'a?'])
  })

  it('adds the caller’s questions, each once, blank ones and the message itself left out', () => {
    const { queries, dense, lexical } = formulateByRules(
      { message: 'm', queries: ['q1', ' q1 ', '', 'm', 'q2'] },
      options,
    )
    expect(queries).toEqual(['m', 'q1', 'q2'])
    expect(dense.map((parts) => parts[0]?.texts[0]?.text)).toEqual(['m', 'q1', 'q2'])
    expect(lexical.map((part) => part.weight)).toEqual([1, 0.5, 0.5])
  })

  it('tells when it leaves questions out', () => {
    const { queries, notes } = formulateByRules(
      { message: 'm', queries: Array.from({ length: 30 }, (_, i) => `q${i}`) },
      options,
    )
    expect(queries).toHaveLength(9)
    expect(notes).toEqual(['queries: 30 given, the first 8 used'])
  })

  it('shortens a very long message to its edges and its most frequent words, and says so', () => {
    const message = `Where is Melanie? ${'filler words about penguins '.repeat(4_000)} Caroline asked in May 2023.`
    const { queries, dense, lexical, people, times, notes } = formulateByRules({ message }, options)
    expect(queries).toEqual([message])
    expect(dense[0]?.[0]?.texts[0]?.text.length).toBeLessThan(16_030)
    const words = lexical[0]?.text.split(' ') ?? []
    expect(words.length).toBeLessThanOrEqual(256)
    expect(words.slice(0, 3)).toEqual(['Where', 'is', 'Melanie?'])
    expect(words.slice(-2)).toEqual(['May', '2023.'])
    expect(people).toEqual(['Caroline', 'Melanie'])
    expect(times.map((time) => time.text)).toEqual(['May 2023'])
    expect(notes).toEqual([
      `message: 16008 words, 132 used by the lexical channels`,
      `message: ${message.length} characters, 16000 of them embedded: 8 excerpts spread over it`,
    ])
  })

  it('shortens a message that is one endless word', () => {
    const { lexical, notes } = formulateByRules({ message: 'x'.repeat(100_000) }, options)
    expect(lexical[0]?.text.length).toBeLessThan(3_000)
    expect(notes).toEqual([
      'message: a word of 100000 characters, of which the lexical channels use start and end of 2000',
      'message: 100000 characters, 16000 of them embedded: 8 excerpts spread over it',
    ])
  })

  it('bounds every part of any input, and always keeps the message', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 1, max: 20_000 }),
        fc.array(fc.record({ role: text, content: text })),
        fc.array(text),
        (piece, times, history, queries) => {
          const message = piece.repeat(times)
          const result = formulateByRules({ message, history, queries }, options)
          expect(result.queries[0]).toBe(message.trim())
          for (const part of result.dense.flat().flatMap((each) => each.texts)) {
            expect(part.text.length).toBeLessThanOrEqual(16_021)
          }
          for (const part of result.lexical) {
            expect(part.text.split(/\s+/u).length).toBeLessThanOrEqual(256 + 2 * 256)
          }
        },
      ),
      { seed: 9, numRuns: 50 },
    )
  })
})

describe('exchangeShare', () => {
  const message = new Float32Array([1, 0])
  const at = (cosine: number): Float32Array => new Float32Array([cosine, Math.sqrt(1 - cosine * cosine)])

  it.each([
    [-0.2, 0],
    [0.34, 0],
    [0.475, 0.5],
    [0.6, 1],
    [0.9, 1],
  ])('at cosine %d is %d', (cosine, share) => {
    expect(exchangeShare(message, at(cosine))).toBeCloseTo(share, 5)
  })

  it('refuses vectors of unlike length', () => {
    expect(() => exchangeShare(new Float32Array(2), new Float32Array(3))).toThrow(RangeError)
  })
})
