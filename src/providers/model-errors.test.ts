import { describe, expect, test } from 'vitest'
import { ProlepsisError } from '../domain/errors.ts'
import { modelErrorOf, withoutSecrets } from './model-errors.ts'

const NOW = Date.parse('2026-03-04T05:06:07Z')
const of = (thrown: unknown, baseUrl?: string) =>
  modelErrorOf(thrown, { modelId: 'p:m', baseUrl, now: () => NOW })
const error = (message: string, members: object) => Object.assign(new Error(message), members)

describe('what clients throw', () => {
  test.each<[string, unknown, object]>([
    // openai and @anthropic-ai/sdk: `status`, `headers` as the platform's Headers
    [
      'of a vendor',
      error('429 slow down', { status: 429, headers: new Headers({ 'Retry-After': '3' }) }),
      { code: 'MODEL_UNAVAILABLE', retryable: true, details: { status: 429, retryAfterMs: 3_000 } },
    ],
    [
      'a date of HTTP',
      error('x', { statusCode: 503, responseHeaders: { 'Retry-After': 'Wed, 04 Mar 2026 05:07:07 GMT' } }),
      { details: { retryAfterMs: 60_000 } },
    ],
    [
      'a date that has passed',
      error('x', { status: 503, headers: { 'retry-after': 'Wed, 04 Mar 2026 05:00:00 GMT' } }),
      { details: { retryAfterMs: 0 } },
    ],
    [
      'nonsense in place of a date',
      error('x', { status: 503, headers: { 'retry-after': 'soon' } }),
      { details: { modelId: 'p:m', status: 503 } },
    ],
    [
      'of many attempts, by the last',
      error('x', { errors: [error('a', { status: 500 }), error('b', { status: 400 })] }),
      { code: 'MODEL_REFUSED' },
    ],
    [
      'of the network, below another',
      new TypeError('fetch failed', { cause: error('connect', { code: 'ECONNREFUSED' }) }),
      { code: 'MODEL_UNAVAILABLE', message: expect.stringContaining('connect') },
    ],
    [
      'a page with status 200',
      error('Invalid JSON response', { statusCode: 200 }),
      { code: 'MODEL_UNAVAILABLE' },
    ],
    [
      'a plain object inside of a stream',
      { type: 'overloaded_error', message: 'Overloaded' },
      { message: expect.stringContaining('Overloaded') },
    ],
    ['a text', 'no luck', { message: expect.stringContaining('no luck') }],
    ['nothing', undefined, { code: 'MODEL_UNAVAILABLE' }],
    [
      'too many tokens',
      error('max_tokens: 9000 > 4096', { status: 400 }),
      { hint: expect.stringContaining('thinking_tokens') },
    ],
    [
      'an account without credit',
      error('x', { status: 402 }),
      { code: 'MODEL_REFUSED', hint: expect.stringContaining('credit') },
    ],
  ])('%s', (_, thrown, expected) => {
    expect(of(thrown)).toMatchObject(expected)
  })

  test('a wrong address is named', () => {
    const refused = new TypeError('fetch failed', { cause: error('connect', { code: 'ECONNREFUSED' }) })
    expect(of(refused, 'http://127.0.0.1:9')).toMatchObject({
      hint: expect.stringContaining('model_base_url'),
    })
    expect(of(error('Not Found', { status: 404 }), 'http://127.0.0.1:9')).toMatchObject({
      hint: expect.stringContaining('http://127.0.0.1:9'),
    })
  })

  test('a reply of a form that is not known is not repeated', () => {
    for (const said of [
      'Invalid JSON response: JSON parsing failed: Text: Kelly lives in Oslo.\nError message: x is not valid JSON',
      'Invalid JSON response: Type validation failed: Value: {"a":"Kelly lives"}.\nError message: x is not valid JSON',
    ]) {
      const { message } = of(error('Invalid JSON response', { cause: new Error(said) }))
      expect(message).not.toContain('Kelly')
      expect(message).toMatch(/failed\. Error message: x is not valid JSON$/)
    }
  })

  test('an error of ours stays itself', () => {
    const own = new ProlepsisError('CANCELLED', 'x')
    expect(of(own)).toBe(own)
  })

  test('an error of ours inside of a vendor’s is what counts', () => {
    const own = new ProlepsisError('MODEL_REFUSED', 'x')
    expect(of(new Error('Failed to process successful response', { cause: own }))).toBe(own)
  })

  test('neither the request nor the key is kept, the place in the code is', () => {
    const secret = ['private', 'value'].join('-')
    const thrown = error(`bad key ${secret}`, {
      status: 401,
      requestBodyValues: { prompt: 'stored text' },
      headers: { 'x-api-key': secret },
    })
    const made = modelErrorOf(thrown, { modelId: 'm', secrets: [secret] })
    const cause = made.cause as Error
    expect(
      `${made.message} ${made.stack} ${JSON.stringify(made)} ${cause.stack} ${JSON.stringify(cause)}`,
    ).not.toMatch(/private-value|stored text/)
    expect(cause.stack).toContain('model-errors.test.ts')
  })
})

test.each([
  [`Bearer ${'a'.repeat(20)}`, 'Bearer ***'],
  [`key ${['sk', 'abcdefgh12345678'].join('-')} is wrong`, 'key *** is wrong'],
  ['https://host/v1?key=abc123&x=1', 'https://host/v1?key=***&x=1'],
  ['http://user:word@host/v1', 'http://***@host/v1'],
  ['a sky-blue text stays', 'a sky-blue text stays'],
])('%s is shown as %s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown)
})
