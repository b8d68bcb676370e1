import { expect, test } from 'vitest'
import { ProlepsisError } from '../schema/names.ts'
import { inWordsOfCommands } from './option-names.ts'

test.each([
  ['during.from is not a time: "x".', 'during.from', '--from is not a time: "x".'],
  ['during.from must be before during.to.', 'during', '--from must be before --to.'],
  ['tags[0] must not be blank.', 'tags[0]', '--tag must not be blank.'],
  ['where.k is NaN, which JSON does not have.', 'where.k', '--where k is NaN, which JSON does not have.'],
  ['history[2].role must be a string.', 'history[2].role', '--history [2].role must be a string.'],
  ['tokenBudget must be a whole number.', 'tokenBudget', '--budget must be a whole number.'],
  ['The source is gone.', undefined, 'The source is gone.'],
])('%s', (message, option, ours) => {
  const error = new ProlepsisError('INVALID_ARGUMENT', message, { details: { option } })
  expect(inWordsOfCommands(error)).toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: ours,
    details: { option },
  })
})

test('hints too', () => {
  const hint = (text: string): string | undefined =>
    inWordsOfCommands(new ProlepsisError('NOT_FOUND', 'x', { hint: text })).hint
  expect(hint('Create it with `prolepsis bank create a` or banks.create(), or pass createIfMissing.')).toBe(
    'Create it with `prolepsis bank create a`.',
  )
  expect(hint('Give a Date or ISO 8601: 2023-05-08.')).toBe('Give ISO 8601: 2023-05-08.')
  expect(hint('Raise maxBytes, or leave it out.')).toBe('Raise --max-bytes, or leave it out.')
  expect(hint('It takes fusion, mode, limit, tokenBudget, weights.')).toContain('tokenBudget')
})
