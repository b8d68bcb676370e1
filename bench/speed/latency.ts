import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLocalEmbedder, createMemory, type Memory, type RetainItem } from '../../src/index.ts'
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
  /** Most that a process held, all threads, that opened the bank and recalled. */
  readonly recallResidentMb: number
  /** Most that the process held which retained, in the part that this run added. */
  readonly retainResidentMb: number
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
    [`${store} ${size} resident MB, recalling / retaining`, row.recallResidentMb, row.retainResidentMb, ''],
    [`${store} ${size} re-open`, row.openMs, '', ''],
    ...(row.cli === undefined
      ? []
      : [[`${store} ${size} command line cold / with owner`, row.cli.coldMs, row.cli.withOwnerMs, '']]),
  ])
}

/** The same command for one size, its report read from the last line. */
function measureApart(size: number, dataDir: string, options: LatencyOptions): LatencyReport {
  const where = options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl]
  const flags = [
    '--chunks',
    size,
    '--data-dir',
    dataDir,
    '--queries',
    options.queries,
    '--corpus',
    options.corpus,
  ]
  // printed by this file's object
  return runBench(['latency', '--json', ...flags, ...where]) as LatencyReport
}

/** Runs another command of the benchmarks in a process of its own; what it printed on the last line. */
function runBench(command: readonly (string | number)[]): unknown {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawnSync(process.execPath, [...process.execArgv, main, ...command.map(String)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.status !== 0) throw new Error(`${command.join(' ')} ended with ${child.status ?? child.signal}`)
  return JSON.parse(child.stdout.trim().split('\n').at(-1) ?? '')
}

async function measureSize(size: number, dataDir: string, options: LatencyOptions): Promise<LatencyReport> {
  const { databaseUrl } = options
  const rows = { [size]: await measureStore({ dataDir }, size, options) }
  if (databaseUrl === undefined) return { set: 'latency', rows }
  return { set: 'latency', rows, server: { [size]: await measureStore({ databaseUrl }, size, options) } }
}

async function measureStore(where: StorePlace, size: number, options: LatencyOptions): Promise<SizeRow> {
  const place = 'dataDir' in where ? ['--data-dir', where.dataDir] : ['--database-url', where.databaseUrl]
  const filled = runBench(['fill', '--chunks', size, '--corpus', options.corpus, ...place]) as FillReport
  const watch = watchMemory()
  const openedAt = performance.now()
  const memory = await createMemory({ ...where, bank: BANK })
  await memory.stats()
  const openMs = performance.now() - openedAt
  const questions = questionsFrom(await firstTexts(options.corpus, filled.files), options.queries)
  progress(`latency: recalling from ${size} chunks`)
  for (const question of questions) await memory.recall(question, { limit: 10 })
  const recallResidentMb = watch.stop()
  const timings = await timeSideBySide(memory, questions)
  await memory.close()
  const cli = 'dataDir' in where ? await timeCommandLine(where.dataDir, BANK, questions) : undefined
  return {
    ...timings,
    ratio: round(timings.recall.p50Ms / (timings.embedding.p50Ms + timings.ann.p50Ms), 2),
    ...{ recallResidentMb, retainResidentMb: filled.residentMb, openMs: round(openMs) },
    ...(cli === undefined ? {} : { cli }),
  }
}

type StorePlace = { readonly dataDir: string } | { readonly databaseUrl: string }

const BANK = 'latency'
/** About; few enough that the last batch does not overshoot. */
const CHARACTERS_A_CHUNK = 300

export interface FillReport {
  /** Files of the corpus that were retained. */
  readonly files: number
  /** The most that the process held. */
  readonly residentMb: number
}

/** Retains files until the bank holds at least `size` chunks; what it holds already is not embedded again. */
export async function fillBank(where: StorePlace, corpus: string, size: number): Promise<FillReport> {
  const memory = await createMemory({ ...where, bank: BANK })
  if ((await memory.banks.info(BANK)) === null) await memory.banks.create(BANK)
  let [chunks, files] = [0, 0]
  const retainAll = async (items: readonly RetainItem[]): Promise<void> => {
    for await (const result of memory.retainMany(items)) {
      if (result.status === 'failed') throw new Error(`not retained: ${JSON.stringify(result)}`)
      chunks += result.document.chunkCount
      progress(`latency: ${chunks} of ${size} chunks retained`)
    }
    files += items.length
  }
  // In batches of about as many chunks as are missing: what is read ahead must not fill the bank past its size.
  let batch: RetainItem[] = []
  let characters = 0
  for await (const { source, text } of walkCorpus(corpus)) {
    batch.push({ content: text, source })
    characters += text.length
    if (characters < Math.min(1_000_000, (size - chunks) * CHARACTERS_A_CHUNK)) continue
    await retainAll(batch)
    batch = []
    characters = 0
    if (chunks >= size) break
  }
  if (chunks < size) await retainAll(batch)
  const held = (await memory.stats()).chunks
  await memory.close()
  progressEnd()
  if (chunks < size)
    throw new Error(`the corpus ${corpus} gives only ${chunks} chunks: name a larger one with --corpus`)
  if (held > 1.5 * size + 600)
    throw new Error(`the bank holds ${held} chunks of an earlier run, not ${size}: name another folder`)
  return { files, residentMb: highestResidentMb() }
}

async function firstTexts(corpus: string, count: number): Promise<string[]> {
  const texts: string[] = []
  for await (const { text } of walkCorpus(corpus)) {
    if (texts.length >= count) break
    texts.push(text)
  }
  return texts
}

/** All parts in turn, question by question: what slows the machine slows them alike. */
async function timeSideBySide(
  memory: Memory,
  questions: readonly string[],
): Promise<Record<'recall' | 'embedding' | 'ann' | 'bm25', Timing>> {
  const model = await createLocalEmbedder()
  progress('latency: building the plain HNSW index to compare with')
  const plain = await baselines(memory)
  const embed = async (question: string): Promise<Float32Array> => {
    const [vector] = await model.embed([question], { purpose: 'query' })
    if (vector === undefined) throw new Error('the model gave no vector')
    return vector
  }
  const times = {
    recall: [] as number[],
    embedding: [] as number[],
    ann: [] as number[],
    bm25: [] as number[],
  }
  const timed = async <T>(part: keyof typeof times, call: () => Promise<T>): Promise<T> => {
    const started = performance.now()
    const result = await call()
    times[part].push(performance.now() - started)
    return result
  }
  for (const question of questions.slice(0, 20)) await plain.annQuery(await embed(question))
  for (const [i, question] of questions.entries()) {
    progress(`latency: question ${i + 1} of ${questions.length}`)
    const vector = await timed('embedding', () => embed(question))
    await timed('ann', () => plain.annQuery(vector))
    await timed('bm25', () => plain.bm25Query(question))
    await timed('recall', () => memory.recall(question, { limit: 10 }))
  }
  await plain.drop()
  await model.close()
  const timing = (values: readonly number[]): Timing => ({
    p50Ms: round(percentile(values, 0.5), 2),
    p95Ms: round(percentile(values, 0.95), 2),
    p99Ms: round(percentile(values, 0.99), 2),
  })
  return {
    recall: timing(times.recall),
    embedding: timing(times.embedding),
    ann: timing(times.ann),
    bm25: timing(times.bm25),
  }
}
