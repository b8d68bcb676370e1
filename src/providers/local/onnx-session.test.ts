import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { openOnnxModel } from './onnx-session.ts'

const start = {
  modelPath: fileURLToPath(new URL('../../../models/bge-small-en-v1.5-int8/model.onnx', import.meta.url)),
  threads: 1,
  dimension: 384,
  pooling: 'cls',
} as const
const noBinary = () => Promise.reject(new Error('no binary for this platform'))
afterEach(() => {
  vi.unstubAllGlobals()
})

test('where the native runtime does not load, the WASM one runs, says why, and fetches nothing', async () => {
  const fetched: unknown[] = []
  vi.stubGlobal('fetch', (...args: unknown[]) => {
    fetched.push(args)
    throw new Error('no network')
  })
  const model = await openOnnxModel({ ...start, runtime: 'auto' }, noBinary)
  expect(model.runtime).toEqual({ name: 'wasm', fallbackReason: 'no binary for this platform' })
  const states = await model.run({
    ids: BigInt64Array.of(101n, 102n),
    mask: BigInt64Array.of(1n, 1n),
    rows: 1,
  })
  expect(states).toHaveLength(2 * 384)
  expect(fetched).toEqual([])
  await model.close()
})

test('asked for, a native runtime that does not load is an error', async () => {
  const opening = openOnnxModel({ ...start, runtime: 'native' }, noBinary)
  await expect(opening).rejects.toMatchObject({
    code: 'MODEL_FAILED',
    hint: expect.stringContaining('onnxruntime-node'),
  })
})
