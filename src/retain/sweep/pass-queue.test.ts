import { expect, test } from 'vitest'
import type { SweepPass } from '../../domain/sweep.ts'
import { createPassQueue } from './pass-queue.ts'
import { createSweepTally } from './sweep-tally.ts'

const pass = (tookMs: number): SweepPass =>
  createSweepTally({ sourcePrefix: '', onProgress: undefined }).pass({
    ...{ root: '/r', reason: 'poll', error: null, traceId: null, tookMs },
  })

test('passes come in their order, those of a slow reader without the oldest, and end', async () => {
  const queue = createPassQueue()
  for (let at = 0; at < 150; at++) queue.push(pass(at))
  queue.end()
  const read: number[] = []
  for await (const { tookMs } of queue.passes) read.push(tookMs)
  expect(read).toEqual(Array.from({ length: 100 }, (_, at) => at + 50))
})

test('a reader that waits gets the next one', async () => {
  const queue = createPassQueue()
  const passes = queue.passes[Symbol.asyncIterator]()
  const next = passes.next()
  queue.push(pass(7))
  expect((await next).value).toMatchObject({ tookMs: 7 })
  const end = passes.next()
  queue.end()
  expect((await end).done).toBe(true)
})
