import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWake, type Woken } from './wake.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

function waiting(wait: Promise<Woken>): { by: Woken | null } {
  const state: { by: Woken | null } = { by: null }
  void wait.then((woken) => {
    state.by = woken
  })
  return state
}

test('changes wake once they pause, and at the latest after five seconds', async () => {
  const wake = createWake()
  const one = waiting(wake.wait(60_000, true))
  wake.note()
  await vi.advanceTimersByTimeAsync(299)
  wake.note()
  await vi.advanceTimersByTimeAsync(299)
  expect(one.by).toBeNull()
  await vi.advanceTimersByTimeAsync(2)
  expect(one.by).toBe('change')
  wake.clear()
  const other = waiting(wake.wait(60_000, true))
  for (let at = 0; at < 49; at++) {
    wake.note()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(other.by).toBeNull()
  await vi.advanceTimersByTimeAsync(101)
  expect(other.by).toBe('change')
})

test('a change before the wait counts unless it was cleared; time wakes too; who does not listen hears of time alone', async () => {
  const wake = createWake()
  wake.note()
  wake.clear()
  const still = waiting(wake.wait(1000, true))
  await vi.advanceTimersByTimeAsync(999)
  expect(still.by).toBeNull()
  await vi.advanceTimersByTimeAsync(1)
  expect(still.by).toBe('time')
  wake.note()
  const deaf = waiting(wake.wait(1000, false))
  await vi.advanceTimersByTimeAsync(1000)
  expect(deaf.by).toBe('time')
  const woken = waiting(wake.wait(1000, true))
  await vi.advanceTimersByTimeAsync(0)
  expect(woken.by).toBe('change')
})

test('a stop ends the wait that there is and every later one', async () => {
  const wake = createWake()
  const one = waiting(wake.wait(60_000, true))
  wake.stop()
  await vi.advanceTimersByTimeAsync(0)
  expect(one.by).toBe('stop')
  expect(await wake.wait(60_000, true)).toBe('stop')
})
