import { expect, test } from 'vitest'
import { didYouMean, nearestName } from './nearest-name.ts'

const names = ['dataDir', 'databaseUrl', 'bank', 'language', 'deadlineMs']

test.each([
  ['datadir', 'dataDir'],
  ['data_dir', 'dataDir'],
  ['databseUrl', 'databaseUrl'],
  ['bnak', 'bank'],
  ['langauge', 'language'],
  ['deadline', 'deadlineMs'],
])('%s is nearest to %s', (wrong, expected) => {
  expect(nearestName(wrong, names)).toBe(expected)
})

test('nothing near gives null and the fallback sentence', () => {
  expect(nearestName('colour', names)).toBeNull()
  expect(nearestName('', names)).toBeNull()
  expect(didYouMean('colour', names, 'Known: bank.')).toBe('Known: bank.')
  expect(didYouMean('bnak', names, 'Known: bank.')).toBe('Did you mean "bank"?')
})
