import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MASK, maskSecrets } from './mask-secrets.ts'

// made up by the vendors' published forms
const LETTERS = 'Ab3dEf6hIj9kLmN0pQrS5uVwXyZ12345'
const SECRETS = [
  [`Authorization: Bearer ${LETTERS}`, LETTERS],
  [`"authorization": "Basic ${LETTERS}=="`, LETTERS],
  [`curl -H 'Authorization: token abcd1234'`, 'abcd1234'],
  [`use bearer ${LETTERS} here`, LETTERS],
  [`postgres://kelly:hunter2@db.example:5432/x`, 'hunter2'],
  [`https://:s3cr@t-less@example.org`, 's3cr'],
  [`sk-${LETTERS}`, LETTERS],
  [`sk-ant-api03-${LETTERS}`, LETTERS],
  [`sk_live_${LETTERS}`, LETTERS],
  [`ghp_${LETTERS}`, LETTERS],
  [`github_pat_11AAAAAAA0${LETTERS}`, LETTERS],
  [`glpat-${LETTERS}`, LETTERS],
  ['xoxb-1234567890-abcdef', '1234567890'],
  ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
  [`AIza${LETTERS}abc`, LETTERS],
  [`hf_${LETTERS}`, LETTERS],
  [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${LETTERS}`, LETTERS],
  ['password=hunter2 and more', 'hunter2'],
  ['{"client_secret": "a-b-c-d"}', 'a-b-c-d'],
  ['DB_PASSWORD: hunter2', 'hunter2'],
  ['OPENAI_API_KEY=abc123def456', 'abc123def456'],
  ['?access_token=abc123def456&x=1', 'abc123def456'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----', 'MIIEow'],
] as const

describe('maskSecrets', () => {
  test.each(SECRETS)('%s', (text, secret) => {
    expect(maskSecrets(text)).not.toContain(secret)
    expect(maskSecrets(text)).toContain(MASK)
  })

  test('what stands around stays', () => {
    expect(maskSecrets('See postgres://kelly:hunter2@db/x, then go.')).toBe(
      `See postgres://kelly:${MASK}@db/x, then go.`,
    )
    expect(maskSecrets('{"password": "hunter2", "user": "kelly"}')).toBe(
      `{"password": "${MASK}", "user": "kelly"}`,
    )
  })

  test.each([
    'Kelly was born on March 4th 1990.',
    'A token: the smallest unit that a tokeniser gives.',
    'Where is the key to the door? Ask the secretary.',
    'https://example.org:8080/path?q=1#top',
    'The task-force met at 10:30; sk-8 is a road.',
    'git commit 7e42384e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c',
  ])('leaves alone: %s', (text) => {
    expect(maskSecrets(text)).toBe(text)
  })

  test('masks any secret in any surroundings, and once is enough', () => {
    const words = fc.stringMatching(/^[a-z ]{0,40}$/)
    fc.assert(
      fc.property(words, fc.constantFrom(...SECRETS), words, (before, [text, secret], after) => {
        const masked = maskSecrets(`${before} ${text} ${after}`)
        expect(masked).not.toContain(secret)
        expect(maskSecrets(masked)).toBe(masked)
      }),
    )
  })

  test('takes any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => void maskSecrets(text)))
  })

  test('long runs of what a secret begins with take no time that grows faster than they do', () => {
    for (const part of [
      'password',
      'sk-',
      'a:',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'x://',
      'bearer ',
      'token=',
    ]) {
      const text = part.repeat(Math.ceil(200_000 / part.length))
      expect(maskSecrets(text).length).toBeLessThanOrEqual(text.length * 2)
    }
  })
})
