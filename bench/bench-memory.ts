import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemory, type EmbeddingModel, type LanguageModel, type Memory } from '../src/index.ts'

export interface BenchStoreOptions {
  /** Keeps the store between runs: unchanged texts are then not embedded again. */
  readonly dataDir?: string | undefined
  /** Measures on a server instead. */
  readonly databaseUrl?: string | undefined
  readonly embedder?: EmbeddingModel
  /** Writes and asks questions. @default none: the rules alone */
  readonly model?: LanguageModel | undefined
}

/** A memory on a folder of its own that goes away with it, unless a folder or a server is named. */
export async function openBenchMemory(options: BenchStoreOptions): Promise<Memory> {
  const models = {
    ...(options.embedder === undefined ? {} : { embedder: options.embedder }),
    ...(options.model === undefined ? {} : { model: options.model }),
  }
  if (options.databaseUrl !== undefined) return createMemory({ databaseUrl: options.databaseUrl, ...models })
  if (options.dataDir !== undefined) return createMemory({ dataDir: options.dataDir, ...models })
  const dataDir = await mkdtemp(join(tmpdir(), 'prolepsis-bench-'))
  const memory = await createMemory({ dataDir, ...models })
  const close = memory.close.bind(memory)
  const closeAndRemove = async (): Promise<void> => {
    await close()
    await rm(dataDir, { recursive: true, force: true })
  }
  return Object.assign(memory, { close: closeAndRemove, [Symbol.asyncDispose]: closeAndRemove })
}
