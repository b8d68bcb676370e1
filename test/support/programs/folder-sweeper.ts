/**
 * folder-sweeper STORE FOLDER [watch]: sweeps FOLDER into the memory in STORE once (or watches it), says `ready`, then each source that
 * was retained, then `pass` with its counts as JSON; for an error its code and message.
 */
import { createMemory, isProlepsisError } from '../../../src/index.ts'
import { createFakeEmbedder } from '../../../src/testing.ts'

const [store = '', folder = '', mode = 'once'] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const memory = await createMemory({ dataDir: store, embedder: createFakeEmbedder() })
const onProgress = ({ source, status }: { readonly source: string; readonly status: string }): void =>
  say(`${status} ${source}`)
say('ready')
try {
  if (mode === 'watch') {
    const sweeper = await memory.sweep.watch(folder, { onProgress })
    process.once('SIGTERM', () => void sweeper.stop())
    say('watching')
    for await (const pass of sweeper.passes) say(`pass ${JSON.stringify(pass)}`)
  } else say(`pass ${JSON.stringify(await memory.sweep(folder, { onProgress }))}`)
} catch (error) {
  if (!isProlepsisError(error)) throw error
  say(`${error.code} ${error.message}`)
}
await memory.close()
say('done')
