import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ThreadStart } from './inference-protocol.ts'

/** From `dist` by plain Node, from the TypeScript sources (tests, benchmarks) with a loader where Node reads none. */
export function startInferenceWorker(start: ThreadStart): Worker {
  const options = { workerData: start, name: 'prolepsis-embedder' }
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./inference-worker.js', import.meta.url), options)
  }
  const entry = new URL('./inference-worker.ts', import.meta.url)
  if ('typescript' in process.features && process.features.typescript) return new Worker(entry, options)
  // tsx does not hook into threads by itself on Node 20. Its module for import() lies beside the one for require().
  const loader = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs')
  const urls = [pathToFileURL(loader).href, entry.href].map((url) => JSON.stringify(url))
  const bootstrap = `import(${urls[0]}).then((tsx) => { tsx.register(); return import(${urls[1]}) })`
  return new Worker(bootstrap, { ...options, eval: true, execArgv: [] })
}
