import { expect, test } from 'vitest'
import { isProlepsisError } from '../schema/names.ts'
import { fileError } from './files.ts'

test.each([
  ['ENOENT', 'NOT_FOUND'],
  ['ENOTDIR', 'NOT_FOUND'],
  ['EISDIR', 'INVALID_ARGUMENT'],
  ['EEXIST', 'INVALID_ARGUMENT'],
  ['ENAMETOOLONG', 'INVALID_ARGUMENT'],
  ['ELOOP', 'UNREADABLE_FILE'],
  ['EACCES', 'UNREADABLE_FILE'],
  ['EROFS', 'UNREADABLE_FILE'],
  ['ENOSPC', 'STORE_FULL'],
])('%s of the system is our %s', (code, ours) => {
  const error = fileError(Object.assign(new Error(code), { code }), 'notes.md')
  expect(isProlepsisError(error) && { code: error.code, hinted: error.hint !== undefined }).toEqual({
    code: ours,
    hinted: true,
  })
})

test('an error that is none of the system’s stays as it is', () => {
  const error = new RangeError('x')
  expect(fileError(error, 'notes.md')).toBe(error)
})
