import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createVectorSpool } from './vector-spool.ts'

const vector = (seed: number) => Float32Array.from({ length: 8 }, (_, at) => Math.sin(seed * 8 + at))

test('gives back every vector, in memory or from its file, which goes away with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prolepsis-spool-'))
  const spool = createVectorSpool(8, 10, folder)
  for (let at = 0; at < 10; at++) spool.put(`h${at}`, vector(at))
  expect(readdirSync(folder)).toEqual([])
  for (let at = 10; at < 100; at++) spool.put(`h${at}`, vector(at))
  spool.put('h50', vector(1))
  expect(readdirSync(folder)).toHaveLength(1)
  for (const at of [0, 9, 10, 50, 99]) expect(spool.get(`h${at}`)).toEqual(vector(at))
  expect(spool.has('h99')).toBe(true)
  expect(spool.has('h100')).toBe(false)
  expect(() => spool.get('h100')).toThrow(RangeError)
  spool.dispose()
  spool.dispose()
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})

test('a vector that is a view on a larger buffer is kept by itself', () => {
  const spool = createVectorSpool(4, 0)
  const buffer = Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8])
  spool.put('a', buffer.subarray(4))
  expect(spool.get('a')).toEqual(Float32Array.from([5, 6, 7, 8]))
  spool.dispose()
})
