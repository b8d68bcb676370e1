import { expect, test } from 'vitest'
import { isBlank } from './blank.ts'

test.each([
  '',
  ' \t\r\n',
  '\u200b',
  '\ufeff\u00a0',
  '\u200d\u2060\u00ad',
  '\u3164\uffa0',
  '\u202e\u200f',
  '\u2800',
  '\ufe0f',
  '\u{e0041}',
  '\u0007',
])('%j is blank', (text) => expect(isBlank(text)).toBe(true))

test.each(['.', 'a', '\u200bא', '❤️', '👩\u200d🚀', '한', '\u0301', '\ud800'])('%j is not', (text) =>
  expect(isBlank(text)).toBe(false),
)
