import { expect, test } from 'vitest'
import { createFormulationCache } from './formulation-cache.ts'

const settable = (): { time: number; now(): number } => {
  const clock = { time: 1_000_000, now: () => clock.time }
  return clock
}

test('gives back what was kept, to the same bank alone', () => {
  const cache = createFormulationCache(settable())
  cache.open(1, 'a').keep(['Who?'])
  expect(cache.open(1, 'a').queries).toEqual(['Who?'])
  expect(cache.open(2, 'a').queries).toBeNull()
  expect(cache.open(1, 'b').queries).toBeNull()
})

test('forgets by age, and what was kept in the future of a clock that was set back', () => {
  const clock = settable()
  const cache = createFormulationCache(clock, { maxAgeMs: 1_000 })
  cache.open(1, 'a').keep(['Who?'])
  clock.time += 1_000
  expect(cache.open(1, 'a').queries).toEqual(['Who?'])
  clock.time += 1
  expect(cache.open(1, 'a').queries).toBeNull()
  cache.open(1, 'a').keep(['Who?'])
  clock.time -= 1
  expect(cache.open(1, 'a').queries).toBeNull()
})

test('the least recently used goes first, whatever the bank', () => {
  const cache = createFormulationCache(settable(), { maxEntries: 2 })
  cache.open(1, 'a').keep(['a'])
  cache.open(2, 'b').keep(['b'])
  expect(cache.open(1, 'a').queries).toEqual(['a'])
  cache.open(1, 'c').keep(['c'])
  expect(cache.open(2, 'b').queries).toBeNull()
  expect(cache.open(1, 'a').queries).toEqual(['a'])
  expect(cache.open(1, 'c').queries).toEqual(['c'])
})

test('clearing a bank leaves the others, and drops what was asked for before it', () => {
  const cache = createFormulationCache(settable())
  cache.open(1, 'a').keep(['a'])
  cache.open(11, 'a').keep(['eleven'])
  const underWay = cache.open(1, 'late')
  cache.clear(1)
  underWay.keep(['late'])
  expect(cache.open(1, 'a').queries).toBeNull()
  expect(cache.open(1, 'late').queries).toBeNull()
  expect(cache.open(11, 'a').queries).toEqual(['eleven'])
})
