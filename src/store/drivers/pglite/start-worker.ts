import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { WorkerStart } from './worker-protocol.ts'

/** Starts the session's thread: from `dist` by plain Node, from the TypeScript sources (tests, tsx) with a loader. */
export function startSessionWorker(start: WorkerStart): Worker {
  const options = { workerData: start, name: 'prolepsis-store' }
  if (!import.meta.url.endsWith('.ts')) {
    return new Worker(new URL('./session-worker.js', import.meta.url), options)
  }
  const entry = new URL('./session-worker.ts', import.meta.url)
  if (readsTypeScript()) return new Worker(entry, options)
  // tsx does not hook into threads by itself on Node 20. Its module for import() lies beside the one for require().
  const loader = createRequire(import.meta.url)
    .resolve('tsx/esm/api')
    .replace(/\.cjs$/, '.mjs')
  const urls = [pathToFileURL(loader).href, entry.href].map((url) => JSON.stringify(url))
  const bootstrap = `import(${urls[0]}).then((tsx) => { tsx.register(); return import(${urls[1]}) })`
  return new Worker(bootstrap, { ...options, eval: true, execArgv: [] })
}

function readsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript)
}
