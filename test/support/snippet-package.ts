import { format } from 'node:util'
import { expect } from 'vitest'
import { createMemory as createTrueMemory, type Memory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'

/** The package as the programs of the documents get it: every memory lives in this process, on the fake embedder. */
export * from '../../src/index.ts'

const opened: Memory[] = []

export async function createMemory({ dataDir, databaseUrl, ...others }: MemoryOptions = {}): Promise<Memory> {
  const memory = await createTrueMemory({ ...others, inMemory: true, embedder: createFakeEmbedder() })
  opened.push(memory)
  return memory
}

export async function closeMemories(): Promise<void> {
  await Promise.all(opened.splice(0).map((memory) => memory.close()))
}

/** Compares what a line of a document printed with what the document says. */
export function expectPrinted(text: string, values: readonly unknown[]): void {
  expect(format(...values), `what the document says is printed: ${text}`).toBe(text)
}
