import { expect, test } from 'vitest'
import { ProlepsisError } from '../../domain/errors.ts'
import { assertWithin, type Budget } from './spending.ts'

function refusalOf(budget: Budget, tokens: number, costUsd: number | null = null): string {
  try {
    assertWithin(budget, { tokens, costUsd }, 'm')
  } catch (error) {
    if (error instanceof ProlepsisError) return error.message
    throw error
  }
  return 'allowed'
}

test('a refusal tells what is left and what the call takes', () => {
  const none = { tokens: 0, costUsd: 0 }
  const day: Budget = { of: 'day', limit: { tokens: 50, costUsd: 0.5 }, spent: { ...none, costUsd: 0.25 } }
  expect(refusalOf(day, 50, 0.25)).toBe('allowed')
  expect(refusalOf(day, 531)).toContain('0 tokens of 50 tokens are spent, and it takes at least 531 tokens.')
  expect(refusalOf(day, 1, 0.3)).toContain('$0.25 of $0.5 are spent, and it takes at least $0.3.')
  const document: Budget = {
    of: 'document',
    limit: { tokens: 100, costUsd: null },
    spent: { ...none, tokens: 90 },
  }
  expect(refusalOf(document, 10)).toBe('allowed')
  expect(refusalOf(document, 11)).toContain('10 tokens are left, and it takes at least 11 tokens.')
})
