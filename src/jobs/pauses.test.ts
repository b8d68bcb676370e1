import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ERROR_CODES, ProlepsisError } from '../domain/errors.ts'
import { judgeFailure } from './pauses.ts'

const NOW = Date.UTC(2024, 4, 17, 15, 30)
const failed = (error: unknown, attempts = 1, random = 0.5, maxAttempts = 50) =>
  judgeFailure({ error, attempts, maxAttempts, now: NOW, random })
const error = (code: ConstructorParameters<typeof ProlepsisError>[0], details = {}) =>
  new ProlepsisError(code, 'x', { details })

/** Pauses before attempts 2, 3, …, in seconds. */
function pausesOf(cause: unknown, most = 60): number[] {
  const pauses: number[] = []
  for (let attempt = 1; attempt <= most; attempt++) {
    const verdict = failed(cause, attempt)
    if (verdict.state === 'dead') return pauses
    pauses.push((verdict.runAfter - NOW) / 1000)
  }
  return pauses
}

describe('what becomes of a job that failed', () => {
  test('a model that is away is asked again soon, then every hour, for about two days', () => {
    const pauses = pausesOf(error('MODEL_UNAVAILABLE'))
    expect(pauses.slice(0, 11)).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600])
    expect(pauses).toHaveLength(49)
    expect(pauses.reduce((a, b) => a + b) / 3600).toBeGreaterThan(36)
  })

  test('a wrong key is tried again for as long, with longer pauses', () => {
    for (const code of ['MODEL_REFUSED', 'MODEL_KEY_MISSING', 'PROVIDER_NOT_INSTALLED'] as const) {
      const pauses = pausesOf(error(code))
      expect([code, ...pauses.slice(0, 6)]).toEqual([code, 120, 240, 480, 960, 1920, 3600])
      expect(pauses).toHaveLength(49)
    }
  })

  test('replies of no use are paid for a dozen times at most', () => {
    expect(pausesOf(error('MODEL_REPLY_INVALID'))).toHaveLength(11)
  })

  test('a fault that nobody expected is tried five times', () => {
    expect(pausesOf(new TypeError('x is undefined'))).toEqual([5, 10, 20, 40])
  })

  test('what no attempt changes is dead at once', () => {
    expect(failed(error('INVALID_ARGUMENT'))).toEqual({ state: 'dead' })
    expect(failed(error('BUDGET_EXCEEDED', { budget: 'document' }))).toEqual({ state: 'dead' })
  })

  test("the day's budget is waited for until the next day, without using up an attempt", () => {
    const verdict = failed(error('BUDGET_EXCEEDED'), 50)
    expect(verdict).toEqual({ state: 'waiting', counts: false, runAfter: Date.UTC(2024, 4, 18) + 30_000 })
  })

  test("a vendor's Retry-After is heeded, up to a day", () => {
    const pauseFor = (retryAfterMs: number): number => {
      const verdict = failed(error('MODEL_UNAVAILABLE', { retryAfterMs }))
      return verdict.state === 'waiting' ? verdict.runAfter - NOW : Number.NaN
    }
    expect(pauseFor(90_000)).toBe(90_000)
    expect(pauseFor(1_000)).toBe(5_000)
    expect(pauseFor(1e12)).toBe(86_400_000)
    expect(pauseFor(Number.NaN)).toBe(5_000)
  })

  test('every error, at every attempt, ends the job or gives it a time between now and tomorrow', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ERROR_CODES),
        fc.integer({ min: 1, max: 32_767 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (code, attempts, random) => {
          const verdict = failed(error(code), attempts, random, 32_767)
          if (verdict.state === 'dead') return
          expect(Number.isInteger(verdict.runAfter)).toBe(true)
          expect(verdict.runAfter).toBeGreaterThan(NOW)
          expect(verdict.runAfter).toBeLessThanOrEqual(NOW + 86_400_000)
        },
      ),
    )
  })

  test('jobs that failed together come back apart, by a quarter either way', () => {
    const at = (random: number): number => {
      const verdict = failed(error('MODEL_TIMEOUT'), 4, random)
      return verdict.state === 'waiting' ? (verdict.runAfter - NOW) / 1000 : Number.NaN
    }
    expect([at(0), at(0.5), at(1)]).toEqual([30, 40, 50])
  })
})
