import { expect, test } from 'vitest'
import { terminalPreferences } from './terminal.ts'

test('colour is left to the terminal unless a variable decides', () => {
  expect(terminalPreferences({}).color).toBeNull()
  expect(terminalPreferences({ NO_COLOR: '', FORCE_COLOR: '' }).color).toBeNull()
  expect(terminalPreferences({ NO_COLOR: '1' }).color).toBe(false)
  expect(terminalPreferences({ FORCE_COLOR: '1' }).color).toBe(true)
  expect(terminalPreferences({ FORCE_COLOR: '0' }).color).toBe(false)
  expect(terminalPreferences({ FORCE_COLOR: '1', NO_COLOR: '1' }).color).toBe(true)
})

test('stacks are shown on demand', () => {
  expect(terminalPreferences({}).debug).toBe(false)
  expect(terminalPreferences({ PROLEPSIS_DEBUG: '0' }).debug).toBe(false)
  expect(terminalPreferences({ PROLEPSIS_DEBUG: '1' }).debug).toBe(true)
})
