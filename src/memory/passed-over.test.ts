import { expect, test } from 'vitest'
import type { EngineEvent } from '../domain/events.ts'
import { reportPassedOver } from './passed-over.ts'

const key = { path: '/p/prolepsis.toml', key: 'database_url', reason: 'not its own', decides: true }

test('a file that is passed over is a warning; a key that would have decided ends the opening', () => {
  const events: EngineEvent[] = []
  const sink = { emit: (event: EngineEvent) => void events.push(event) }
  const file = {
    path: '/tmp/prolepsis.toml',
    key: null,
    reason: 'it belongs to another user',
    decides: false,
  }
  reportPassedOver([file, { ...key, decides: false }], sink, [])
  reportPassedOver([key], sink, ['database_url'])
  expect(events).toEqual([
    {
      type: 'warning',
      code: 'CONFIG_PASSED_OVER',
      message: '/tmp/prolepsis.toml is passed over: it belongs to another user.',
    },
  ])
  expect(() => reportPassedOver([key], sink, [])).toThrowError(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('not its own') }),
  )
})
