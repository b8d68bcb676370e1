import { expect, test } from 'vitest'
import { createUuidGenerator } from './uuid.ts'

const random = (bytes: Uint8Array): Uint8Array => crypto.getRandomValues(bytes)

test('ids are of version 7 and hold the time', () => {
  const id = createUuidGenerator({ now: () => Date.UTC(2026, 0, 1) }, random).next()
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toBe(Date.UTC(2026, 0, 1))
})

test('ids sort in the order they were made, also when the clock stands or steps back', () => {
  let now = 1_000_000
  const ids = createUuidGenerator({ now: () => now }, random)
  const made: string[] = []
  for (let at = 0; at < 10_000; at++) {
    if (at % 1000 === 999) now += at % 2000 === 1999 ? -5 : 3
    made.push(ids.next())
  }
  expect(new Set(made).size).toBe(made.length)
  expect([...made].sort()).toEqual(made)
})
