import { afterAll, beforeAll } from 'vitest'
import { createMemory, type Memory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder, type FakeEmbedder } from '../../src/testing.ts'
import { createTestDatabase, serverUrl, type TestDatabase } from './postgres.ts'

export interface TestMemory {
  readonly embedder: FakeEmbedder
  /** A bank of its own for each call, made at its first write. */
  bank(): Memory
  readonly memory: Memory
  /** The clock of the memory, which stands until it is set. */
  readonly clock: { time: number; now(): number }
}

/** One memory for a whole test file, on the fake embedder: on the tests' server when there is one, else in this process. */
export function useTestMemory(options: MemoryOptions = {}): TestMemory {
  const embedder = createFakeEmbedder()
  const clock = { time: Date.UTC(2024, 0, 1), now: () => clock.time }
  let memory: Memory | undefined
  let server: TestDatabase | undefined
  let banks = 0
  beforeAll(async () => {
    server = serverUrl === undefined ? undefined : await createTestDatabase()
    const where = server === undefined ? { inMemory: true } : { databaseUrl: server.databaseUrl }
    memory = await createMemory({ ...where, embedder, clock, ...options })
  })
  afterAll(async () => {
    await memory?.close()
    await server?.drop()
  })
  return {
    embedder,
    clock,
    get memory() {
      return memory!
    },
    bank: () => memory!.bank(`bank-${++banks}`, { createIfMissing: true }),
  }
}

/** The code of the error that a call ends with, or null when it ends well. */
export async function codeOf(call: Promise<unknown> | (() => unknown)): Promise<string | null> {
  try {
    await (typeof call === 'function' ? call() : call)
    return null
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
