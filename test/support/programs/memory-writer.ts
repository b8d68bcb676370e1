/**
 * memory-writer FOLDER WRITER COUNT: retains COUNT texts of WRITER into the memory in FOLDER, every fourth one twice (a new version),
 * and says the source of each that was acknowledged, then `done`. Goes on after the last one that is there.
 */
import { createMemory } from '../../../src/index.ts'
import { createFakeEmbedder } from '../../../src/testing.ts'

const [folder = '', writer = '', count = '0'] = process.argv.slice(2)
const memory = await createMemory({ dataDir: folder, embedder: createFakeEmbedder() })
const there = await memory.documents({ sourcePrefix: `${writer}/`, limit: 10_000 })
process.stdout.write('ready\n')
for (let number = there.length; number < there.length + Number(count); number++) {
  const source = `${writer}/${String(number).padStart(6, '0')}`
  const text = (edition: string) =>
    Array.from(
      { length: 1 + (number % 5) },
      (_, at) => `Ann: The ${edition} ${at} of ${source} speaks of Bob.`,
    ).join('\n')
  await memory.retain(text('first'), { source, tags: [writer] })
  if (number % 4 === 0) await memory.retain(text('second'), { source })
  process.stdout.write(`${source}\n`)
}
await memory.close()
process.stdout.write('done\n')
