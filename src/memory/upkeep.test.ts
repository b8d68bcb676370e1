import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeOf } from '../../test/support/store-of.ts'
import type { EngineEvent } from '../domain/events.ts'
import { createMemory } from '../index.ts'
import type { Memory } from '../memory-api.ts'
import type { BankStore } from '../store/bank-store.ts'
import { createFakeEmbedder } from '../testing.ts'
import { createUpkeep, type Upkeep } from './upkeep.ts'

let memory: Memory
let store: BankStore
let busy = false
let now = Date.parse('2026-03-02T10:00:00Z')
let events: EngineEvent[] = []

beforeEach(async () => {
  busy = false
  events = []
  memory = await createMemory({ inMemory: true, embedder: createFakeEmbedder({ dimension: 16 }) })
  const content = Array.from({ length: 30 }, (_, i) => `${i % 2 === 0 ? 'Ann' : 'Bob'}: item ${i} is here.`)
  await memory.retain(content.join('\n'), { source: 'log', mediaType: 'text/x-chat' })
  store = await storeOf(memory)
})

afterEach(async () => {
  vi.useRealTimers()
  await memory.close()
})

function upkeepOf(mostWaiting: number): Upkeep {
  return createUpkeep({
    database: store.database,
    clock: { now: () => now },
    events: { emit: (event) => void events.push(event) },
    calls: { isBusy: () => busy },
    ...{ receiptDays: 90, traceDays: 30, traceMegabytes: 1 },
    mostWaiting,
  })
}

async function indexCount(): Promise<number> {
  const [row] = await store.database.query<{ count: number }>(
    `select count(*)::int as count from pg_indexes where indexdef ilike '%using hnsw%'`,
  )
  return row?.count ?? 0
}

test('after a bulk, kinds of which many vectors wait get their index; searches go on as before', async () => {
  const upkeep = upkeepOf(10)
  const before = await memory.recall('item 7', { receipt: false })
  expect(await indexCount()).toBe(0)
  await upkeep.afterBulk(store, 30)
  expect(await indexCount()).toBeGreaterThan(0)
  const after = await memory.recall('item 7', { receipt: false })
  expect(after.degraded).toEqual([])
  expect(after.passages[0]?.ref).toBe(before.passages[0]?.ref)
})

test('a small bank gets no index', async () => {
  await upkeepOf(1_000).afterBulk(store, 30)
  expect(await indexCount()).toBe(0)
})

test('a write is followed up when nothing runs any more, and receipts past their days go', async () => {
  const { receipt } = await memory.recall('item 7')
  await memory.stats()
  now = Date.now() + 91 * 86_400_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const upkeep = upkeepOf(10)
  busy = true
  upkeep.noteWrite()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await indexCount()).toBe(0)
  busy = false
  await vi.advanceTimersByTimeAsync(20_000)
  vi.useRealTimers()
  await vi.waitFor(() =>
    expect(events.map((event) => 'task' in event && event.task)).toContain('old receipts'),
  )
  expect(await indexCount()).toBeGreaterThan(0)
  await expect(memory.explain(receipt!)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await upkeep.stop()
})

test('events of the trace are followed up when nothing runs, though nothing is written else: what is too old goes', async () => {
  const { traceId } = await memory.recall('item 7')
  expect(await memory.events.trace(traceId)).not.toBeNull()
  now = Date.now() + 31 * 86_400_000
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const upkeep = upkeepOf(1_000)
  upkeep.noteTrace([store.bankId])
  await vi.advanceTimersByTimeAsync(10_000)
  // more of it does not put it off
  upkeep.noteTrace([store.bankId])
  await vi.advanceTimersByTimeAsync(10_000)
  vi.useRealTimers()
  await vi.waitFor(() => expect(events.map((event) => 'task' in event && event.task)).toContain('old trace'))
  expect(await memory.events.trace(traceId)).toBeNull()
  await upkeep.stop()
})

test('a failure is a warning: the texts are safe already', async () => {
  const upkeep = upkeepOf(10)
  const broken = { ...store, space: { ...store.space, spaceId: 99 } }
  await store.database.execute('insert into vector_statistics values ($1, 99, 0, 100, 0)', [store.bankId])
  await upkeep.afterBulk(broken, 30)
  expect(events).toEqual([expect.objectContaining({ type: 'warning', code: 'UPKEEP' })])
})
