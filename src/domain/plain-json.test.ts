import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assertPlainJson } from './plain-json.ts'

const cycle: Record<string, unknown> = {}
cycle.a = { b: [cycle, cycle] }
// biome-ignore lint/suspicious/noSparseArray: the hole is what is tested
const holed = [1, , 2]

test.each<[string, unknown, string]>([
  ['a BigInt', { a: 1n }, 'x.a'],
  ['NaN', { a: [Number.NaN] }, 'x.a[0]'],
  ['infinity', { a: { b: Number.POSITIVE_INFINITY } }, 'x.a.b'],
  ['a function', { a: () => 1 }, 'x.a'],
  ['a symbol', { a: Symbol('s') }, 'x.a'],
  ['a symbol as a key', { [Symbol('s')]: 1 }, 'x'],
  ['a Date', { a: new Date(0) }, 'x.a'],
  ['a Map', { a: new Map([[1, 2]]) }, 'x.a'],
  ['bytes', { a: new Uint8Array(1) }, 'x.a'],
  ['a boxed number', { a: Object(1) }, 'x.a'],
  ['undefined in a list', { a: [undefined] }, 'x.a[0]'],
  ['a hole', { a: holed }, 'x.a[1]'],
  ['a cycle', cycle, 'x.a.b[0]'],
])('%s is refused, with where it is', (_name, value, option) => {
  for (const absent of ['skip', 'refuse'] as const) {
    expect(() => assertPlainJson(value, 'x', absent)).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', hint: expect.any(String), details: { option } }),
    )
  }
})

test('a member that is undefined is left out, or refused where that changes the meaning', () => {
  expect(() => assertPlainJson({ a: undefined }, 'x', 'skip')).not.toThrow()
  expect(() => assertPlainJson({ a: undefined }, 'x', 'refuse')).toThrowError(/x\.a is undefined/)
})

test('what JSON gives passes, shared parts too', () => {
  const shared = { a: 1 }
  expect(() => assertPlainJson({ one: shared, two: [shared, shared] }, 'x', 'refuse')).not.toThrow()
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const clean = JSON.parse(JSON.stringify(value).replaceAll(/\\u0000|\\ud[89a-f]../gi, '')) as unknown
      expect(() => assertPlainJson(clean, 'x', 'refuse')).not.toThrow()
    }),
    { seed: 20261130 },
  )
})

test('depth without end is refused and bursts no stack', () => {
  let deep: unknown = 1
  for (let at = 0; at < 100_000; at++) deep = { deep }
  expect(() => assertPlainJson(deep, 'x', 'skip')).toThrowError(/nested over 200 levels/)
})
