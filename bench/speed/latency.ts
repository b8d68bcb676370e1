import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEmbedder, createMemory, type EmbeddingModel, type Memory } from '../../src/index.ts'
import { baselines } from '../../src/testing.ts'
import { questionsFrom, walkCorpus } from '../data/corpus.ts'
import { percentile, round } from '../quality/metrics.ts'
import { progress, progressEnd } from '../report.ts'
import { timeCommandLine } from './command-line.ts'
import { watchMemory } from './resident-memory.ts'

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

interface SizeRow {
  readonly recall: Timing
  readonly embedding: Timing
  readonly ann: Timing
  readonly bm25: Timing
  /** recall p50 over (embedding p50 + HNSW query p50). */
  readonly ratio: number
  readonly peakResidentMb: number
  readonly openMs?: number
  readonly cli?: { readonly coldMs: number; readonly withOwnerMs: number }
}

/** Fills one bank with real text, and measures it each time it has reached one of the sizes. */
export async function benchLatency(
  options: LatencyOptions,
): Promise<{ table: (string | number)[][]; object: unknown }> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'prolepsis-bench-')))
  const stores: Record<string, Record<string, SizeRow>> = {
    embedded: await measureStore({ dataDir }, options),
  }
  if (options.databaseUrl !== undefined)
    stores.server = await measureStore({ databaseUrl: options.databaseUrl }, options)
  if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  progressEnd()
  const table = Object.entries(stores).flatMap(([store, sizes]) =>
    Object.entries(sizes).flatMap(([size, row]) => [
      ...(['recall', 'embedding', 'ann', 'bm25'] as const).map((part) => [
        `${store} ${size} ${part}`,
        row[part].p50Ms,
        row[part].p95Ms,
        row[part].p99Ms,
      ]),
      [`${store} ${size} recall / (embedding + ann)`, row.ratio, '', ''],
      [`${store} ${size} peak resident MB`, row.peakResidentMb, '', ''],
      ...(row.openMs === undefined ? [] : [[`${store} ${size} re-open`, row.openMs, '', '']]),
      ...(row.cli === undefined
        ? []
        : [[`${store} ${size} command line cold / with owner`, row.cli.coldMs, row.cli.withOwnerMs, '']]),
    ]),
  )
  return {
    table,
    object: {
      set: 'latency',
      rows: stores.embedded,
      ...(stores.server === undefined ? {} : { server: stores.server }),
    },
  }
}

async function measureStore(
  where: { dataDir: string } | { databaseUrl: string },
  options: LatencyOptions,
): Promise<Record<string, SizeRow>> {
  const rows: Record<string, SizeRow> = {}
  for (const size of [...options.sizes].sort((a, b) => a - b)) {
    const memory_ = watchMemory()
    const texts = await fill(where, options.corpus, size)
    const filledMb = memory_.peakMb()
    const openedAt = performance.now()
    const memory = await createMemory({ ...where, bank: 'latency' })
    await memory.stats()
    const openMs = performance.now() - openedAt
    const model = await createLocalEmbedder()
    const questions = questionsFrom(texts, options.queries)
    progress(`latency: recalling from ${size} chunks`)
    const recall = await time(questions, (question) => memory.recall(question, { limit: 10 }))
    const peakResidentMb = Math.max(filledMb, memory_.stop())
    const { embedding, ann, bm25 } = await timeBaselines(memory, model, questions)
    await memory.close()
    const cli = 'dataDir' in where ? await timeCommandLine(where.dataDir, 'latency', questions) : undefined
    rows[size] = {
      recall,
      embedding,
      ann,
      bm25,
      ratio: round(recall.p50Ms / (embedding.p50Ms + ann.p50Ms), 2),
      peakResidentMb,
      openMs: round(openMs),
      ...(cli === undefined ? {} : { cli }),
    }
    await model.close()
  }
  return rows
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
  model: EmbeddingModel,
  questions: readonly string[],
): Promise<{ embedding: Timing; ann: Timing; bm25: Timing }> {
  const embedding = await time(questions, (question) => model.embed([question], { purpose: 'query' }))
  progress('latency: building the plain HNSW index to compare with')
  const plain = await baselines(memory)
  const vectors = await Promise.all(
    questions.map(async (question) => (await model.embed([question], { purpose: 'query' }))[0]!),
  )
  const ann = await time(vectors, (vector) => plain.annQuery(vector))
  const bm25 = await time(questions, (question) => plain.bm25Query(question))
  await plain.drop()
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
