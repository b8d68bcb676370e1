import { expect, test } from 'vitest'
import type { EngineEvent } from '../domain/events.ts'
import { createEventBus } from './event-bus.ts'

const event: EngineEvent = { type: 'maintenance-end', task: 'vacuum', durationMs: 3 }

test('every listener gets every event until it unsubscribes', () => {
  const bus = createEventBus()
  const seen: string[] = []
  const leave = bus.subscribe(() => seen.push('a'))
  bus.subscribe(() => seen.push('b'))
  bus.emit(event)
  leave()
  bus.emit(event)
  expect(seen).toEqual(['a', 'b', 'b'])
})

test('a listener that throws breaks neither the emitter nor the others, and is reported once', () => {
  const errors: unknown[] = []
  const bus = createEventBus((error) => errors.push(error))
  let seen = 0
  bus.subscribe(() => {
    throw new Error('mine')
  })
  bus.subscribe(() => {
    seen++
  })
  bus.emit(event)
  bus.emit(event)
  expect(seen).toBe(2)
  expect(errors).toEqual([new Error('mine')])
})
