import { describe, expect, it } from 'vitest'
import type { RecallOptions, RecallQuery } from '../domain/recall.ts'
import { validateRecall } from './validate.ts'

/** The code and the option that a call is refused with. */
function refusal(query: unknown, options: unknown = {}): unknown {
  try {
    // What JavaScript callers may pass.
    validateRecall(query as RecallQuery, options as RecallOptions)
    return null
  } catch (error) {
    const { code, details } = error as { code: string; details: { option?: string } }
    return [code, details.option]
  }
}

describe('validateRecall', () => {
  it('fills in the defaults', () => {
    const request = validateRecall('Where?')
    expect(request).toMatchObject({
      ...{ message: 'Where?', history: [], queries: [], filter: {}, limit: 10, tokenBudget: null },
      ...{ mode: 'hybrid', fusion: 'learned', expand: 0, receipt: true },
    })
    expect(request.weights).toMatchObject({
      content: 1,
      window: 0,
      body: 0,
      cue: 0,
      text: 1,
      context: 1,
      document: 1,
    })
  })

  it('reads filters, times with any offset, and weights', () => {
    const request = validateRecall('Where?', {
      ...{
        tags: { any: ['a'], strict: true },
        where: { k: 1 },
        source: 'x/',
        minTrust: 'tool',
        people: ['Ann'],
      },
      during: { from: '2023-05-08T01:00+02:00', to: new Date('2023-06-01') },
      asOf: '2024-01-01',
      weights: { body: 0, cue: 2 },
    })
    expect(request.filter).toEqual({
      ...{
        tags: { any: ['a'], strict: true },
        where: { k: 1 },
        source: 'x/',
        minTrust: 'tool',
        people: ['Ann'],
      },
      during: { from: new Date('2023-05-07T23:00:00Z'), to: new Date('2023-06-01') },
      asOf: new Date('2024-01-01T00:00:00Z'),
    })
    expect(request.weights).toMatchObject({ body: 0, cue: 2, content: 1 })
  })

  it('switches off the channels that a mode leaves out', () => {
    expect(validateRecall('x', { mode: 'lexical' }).weights).toMatchObject({
      body: 1,
      context: 0,
      cue: 1,
      content: 0,
      entity: 0,
    })
    expect(validateRecall('x', { mode: 'semantic' }).weights).toMatchObject({
      context: 0,
      content: 1,
      question: 1,
    })
  })

  it('keeps a query of 100,000 characters', () => {
    expect(validateRecall('word '.repeat(20_000)).message).toHaveLength(100_000)
  })

  it.each([
    ['', {}, ['EMPTY_TEXT', 'message']],
    [' \n\t', {}, ['EMPTY_TEXT', 'message']],
    [{ message: 'x', queries: [' '] }, {}, ['EMPTY_TEXT', 'queries[0]']],
    ['a\u0000b', {}, ['INVALID_TEXT', undefined]],
    ['a\ud800b', {}, ['INVALID_TEXT', undefined]],
    [7, {}, ['INVALID_ARGUMENT', 'query']],
    [null, {}, ['INVALID_ARGUMENT', 'query']],
    [{ message: 7 }, {}, ['INVALID_ARGUMENT', 'message']],
    [{ message: 'x', hist: [] }, {}, ['UNKNOWN_OPTION', 'hist']],
    [{ message: 'x', history: 'y' }, {}, ['INVALID_ARGUMENT', 'history']],
    [{ message: 'x', history: [{ role: 'user' }] }, {}, ['INVALID_ARGUMENT', 'history[0].content']],
    ['x', null, ['INVALID_ARGUMENT', 'options']],
    ['x', { limits: 3 }, ['UNKNOWN_OPTION', 'limits']],
    ['x', { limit: -1 }, ['INVALID_ARGUMENT', 'limit']],
    ['x', { limit: 0 }, ['INVALID_ARGUMENT', 'limit']],
    ['x', { limit: 2.5 }, ['INVALID_ARGUMENT', 'limit']],
    ['x', { limit: '5' }, ['INVALID_ARGUMENT', 'limit']],
    ['x', { limit: 501 }, ['INVALID_ARGUMENT', 'limit']],
    ['x', { tokenBudget: -5 }, ['INVALID_ARGUMENT', 'tokenBudget']],
    ['x', { tokenBudget: Number.NaN }, ['INVALID_ARGUMENT', 'tokenBudget']],
    ['x', { expand: -1 }, ['INVALID_ARGUMENT', 'expand']],
    ['x', { mode: 'lexcial' }, ['INVALID_ARGUMENT', 'mode']],
    ['x', { fusion: 1 }, ['INVALID_ARGUMENT', 'fusion']],
    ['x', { receipt: 'no' }, ['INVALID_ARGUMENT', 'receipt']],
    ['x', { signal: {} }, ['INVALID_ARGUMENT', 'signal']],
    ['x', { weights: { bodi: 1 } }, ['UNKNOWN_OPTION', 'bodi']],
    ['x', { weights: { body: -1 } }, ['INVALID_ARGUMENT', 'weights.body']],
    ['x', { mode: 'lexical', weights: { body: 0, cue: 0 } }, ['INVALID_ARGUMENT', 'weights']],
    ['x', { asOf: 'yesterday' }, ['INVALID_TIME', 'asOf']],
    ['x', { asOf: new Date(Number.NaN) }, ['INVALID_TIME', 'asOf']],
    ['x', { during: { from: '2024', to: '2023' } }, ['INVALID_ARGUMENT', 'during']],
    ['x', { during: { until: '2024' } }, ['UNKNOWN_OPTION', 'until']],
    ['x', { tags: ['a'] }, ['INVALID_ARGUMENT', 'tags']],
    ['x', { tags: { any: [1] } }, ['INVALID_ARGUMENT', 'tags.any[0]']],
    ['x', { where: 'k' }, ['INVALID_ARGUMENT', 'where']],
    ['x', { where: { k: () => 1 } }, ['INVALID_ARGUMENT', 'where.k']],
    ['x', { where: { k: Number.NaN } }, ['INVALID_ARGUMENT', 'where.k']],
    ['x', { where: { k: undefined } }, ['INVALID_ARGUMENT', 'where.k']],
    ['x', { where: { k: new Date(0) } }, ['INVALID_ARGUMENT', 'where.k']],
    ['x', { where: { k: 'a\u0000' } }, ['INVALID_TEXT', undefined]],
    ['x', { minTrust: 'admin' }, ['INVALID_ARGUMENT', 'minTrust']],
    ['x', { source: 3 }, ['INVALID_ARGUMENT', 'source']],
    ['x', { people: 'Ann' }, ['INVALID_ARGUMENT', 'people']],
  ])('refuses %j with %j', (query, options, expected) => {
    expect(refusal(query, options)).toEqual(expected)
  })

  it('names the option that was meant', () => {
    expect(() => validateRecall('x', { tokenbudget: 3 } as RecallOptions)).toThrow(
      expect.objectContaining({ hint: 'Did you mean "tokenBudget"?' }),
    )
  })
})
