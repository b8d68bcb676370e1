import { createMemory } from '../../../src/index.ts'
import { createFakeEmbedder } from '../../../src/testing.ts'

/** Moves the bank of a data folder to another model: `embedder-mover FOLDER`. Says how far it is, document by document, and how it ended. */
const [folder = ''] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const memory = await createMemory({
  dataDir: folder,
  embedder: createFakeEmbedder({ dimension: 32 }),
  modelConcurrency: 1,
})
const { status, other } = await memory.embedder.migrate({
  to: createFakeEmbedder({ dimension: 64 }),
  onProgress: (done, total) => say(`${done}/${total}`),
})
say(`${status} ${other.missing}`)
await memory.close()
