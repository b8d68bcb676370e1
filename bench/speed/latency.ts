import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLocalEmbedder, createMemory, type Memory } from '../../src/index.ts'
import { baselines } from '../../src/testing.ts'
import { questionsFrom, walkCorpus } from '../data/corpus.ts'
import { percentile, round } from '../quality/metrics.ts'
import { progress, progressEnd } from '../report.ts'
import { timeCommandLine } from './command-line.ts'
import { highestResidentMb, watchMemory } from './resident-memory.ts'

export interface LatencyOptions {
  readonly sizes: readonly number[]
  readonly corpus: string
  readonly queries: number
  readonly databaseUrl: string | undefined
  readonly dataDir: string | undefined
}

export interface Timing {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export interface LatencyReport {
  readonly set: 'latency'
  /** By number of chunks. */
  readonly rows: Readonly<Record<string, SizeRow>>
  readonly server?: Readonly<Record<string, SizeRow>>
}

interface SizeRow {
  readonly recall: Timing
  readonly embedding: Timing
  readonly ann: Timing
  readonly bm25: Timing
  /** recall p50 over (embedding p50 + HNSW query p50). */
  readonly ratio: number
  /** Most that the whole process held while it recalled. */
  readonly recallResidentMb: number
  /** Most that it ever held, retaining too. */
  readonly peakResidentMb: number
  readonly openMs: number
  readonly cli?: { readonly coldMs: number; readonly withOwnerMs: number }
}

/**
 * Fills one bank with real text, and measures it when it has reached each of the sizes: each size in a process of its own, so that nobody
 * else's memory is counted.
 */
export async function benchLatency(
  options: LatencyOptions,
): Promise<{ table: (string | number)[][]; object: LatencyReport }> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'prolepsis-bench-')))
  const sizes = [...options.sizes].sort((a, b) => a - b)
  const [only] = sizes
  const reports =
    sizes.length === 1 && only !== undefined
      ? [await measureSize(only, dataDir, options)]
      : sizes.map((size) => measureApart(size, dataDir, options))
  if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  progressEnd()
  const merge = (store: 'rows' | 'server'): Record<string, SizeRow> =>
    Object.assign({}, ...reports.map((report) => report[store] ?? {}))
  const object: LatencyReport = {
    ...{ set: 'latency', rows: merge('rows') },
    ...(options.databaseUrl === undefined ? {} : { server: merge('server') }),
  }
  const table = [...tableOf('embedded', object.rows), ...tableOf('server', object.server ?? {})]
  return { table, object }
}

function tableOf(store: string, sizes: Readonly<Record<string, SizeRow>>): (string | number)[][] {
  return Object.entries(sizes).flatMap(([size, row]) => [
    ...(['recall', 'embedding', 'ann', 'bm25'] as const).map((part) => [
      `${store} ${size} ${part}`,
      row[part].p50Ms,
      row[part].p95Ms,
      row[part].p99Ms,
    ]),
    [`${store} ${size} recall / (embedding + ann)`, row.ratio, '', ''],
    [`${store} ${size} resident MB, recalling / highest`, row.recallResidentMb, row.peakResidentMb, ''],
    [`${store} ${size} re-open`, row.openMs, '', ''],
    ...(row.cli === undefined
      ? []
      : [[`${store} ${size} command line cold / with owner`, row.cli.coldMs, row.cli.withOwnerMs, '']]),
  ])
}

/** The same command for one size, its report read from the last line. */
function measureApart(size: number, dataDir: string, options: LatencyOptions): LatencyReport {
  const flags = ['latency', '--json', '--chunks', size, '--data-dir', dataDir, '--queries', options.queries]
  const where = options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl]
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawnSync(
    process.execPath,
    [...process.execArgv, main, ...[...flags, '--corpus', options.corpus].map(String), ...where],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (child.status !== 0)
    throw new Error(`latency at ${size} chunks ended with ${child.status ?? child.signal}`)
  // printed by this file's object
  return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '') as LatencyReport
}

async function measureSize(size: number, dataDir: string, options: LatencyOptions): Promise<LatencyReport> {
  const { databaseUrl } = options
  const rows = { [size]: await measureStore({ dataDir }, size, options) }
  if (databaseUrl === undefined) return { set: 'latency', rows }
  return { set: 'latency', rows, server: { [size]: await measureStore({ databaseUrl }, size, options) } }
}

async function measureStore(
  where: { dataDir: string } | { databaseUrl: string },
  size: number,
  options: LatencyOptions,
): Promise<SizeRow> {
  const texts = await fill(where, options.corpus, size)
  const watch = watchMemory()
  const openedAt = performance.now()
  const memory = await createMemory({ ...where, bank: 'latency' })
  await memory.stats()
  const openMs = performance.now() - openedAt
  const questions = questionsFrom(texts, options.queries)
  progress(`latency: recalling from ${size} chunks`)
  const recall = await time(questions, (question) => memory.recall(question, { limit: 10 }))
  const recallResidentMb = watch.stop()
  const peakResidentMb = Math.max(recallResidentMb, highestResidentMb())
  const { embedding, ann, bm25 } = await timeBaselines(memory, questions)
  await memory.close()
  const cli = 'dataDir' in where ? await timeCommandLine(where.dataDir, 'latency', questions) : undefined
  return {
    ...{ recall, embedding, ann, bm25 },
    ratio: round(recall.p50Ms / (embedding.p50Ms + ann.p50Ms), 2),
    ...{ recallResidentMb, peakResidentMb, openMs: round(openMs) },
    ...(cli === undefined ? {} : { cli }),
  }
}

/** Retains files until the bank holds at least `size` chunks; what it holds already is not embedded again. */
async function fill(
  where: { dataDir: string } | { databaseUrl: string },
  corpus: string,
  size: number,
): Promise<string[]> {
  const memory = await createMemory({ ...where, bank: 'latency' })
  const texts: string[] = []
  let chunks = 0
  async function* items(): AsyncGenerator<{ content: string; source: string }> {
    for await (const { source, text } of walkCorpus(corpus)) {
      if (chunks >= size) return
      texts.push(text)
      yield { content: text, source }
    }
  }
  if ((await memory.banks.info('latency')) === null) await memory.banks.create('latency')
  for await (const result of memory.retainMany(items())) {
    if (result.status === 'failed') throw new Error(`not retained: ${JSON.stringify(result)}`)
    chunks += result.document.chunkCount
    progress(`latency: ${chunks} of ${size} chunks retained`)
  }
  await memory.close()
  if (chunks < size)
    throw new Error(`the corpus ${corpus} gives only ${chunks} chunks: name a larger one with --corpus`)
  return texts
}

async function timeBaselines(
  memory: Memory,
  questions: readonly string[],
): Promise<{ embedding: Timing; ann: Timing; bm25: Timing }> {
  const model = await createLocalEmbedder()
  const embedding = await time(questions, (question) => model.embed([question], { purpose: 'query' }))
  progress('latency: building the plain HNSW index to compare with')
  const plain = await baselines(memory)
  const vectors = await Promise.all(
    questions.map(async (question) => (await model.embed([question], { purpose: 'query' }))[0]!),
  )
  const ann = await time(vectors, (vector) => plain.annQuery(vector))
  const bm25 = await time(questions, (question) => plain.bm25Query(question))
  await plain.drop()
  await model.close()
  return { embedding, ann, bm25 }
}

async function time<T>(inputs: readonly T[], call: (input: T) => Promise<unknown>): Promise<Timing> {
  for (const input of inputs.slice(0, 20)) await call(input)
  const times: number[] = []
  for (const input of inputs) {
    const started = performance.now()
    await call(input)
    times.push(performance.now() - started)
  }
  return {
    p50Ms: round(percentile(times, 0.5), 2),
    p95Ms: round(percentile(times, 0.95), 2),
    p99Ms: round(percentile(times, 0.99), 2),
  }
}
