import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { QualityRow } from './quality/metrics.ts'
import { ABLATIONS, RECORDED_ABLATIONS, RECORDED_VARIANTS, VARIANTS } from './quality/variants.ts'
import { print, printObject, printTable } from './report.ts'

const DATA = '../shared/data'

interface CommonOptions {
  readonly json?: boolean
  readonly dataDir?: string
  readonly databaseUrl?: string
}

function qualityTable(
  rows: Readonly<Record<string, QualityRow>>,
  ks: readonly number[],
): (string | number)[][] {
  return Object.entries(rows).map(([name, row]) => [
    name,
    ...ks.map((k) => row.any[k]!.toFixed(1)),
    ...ks.map((k) => row.recall[k]!.toFixed(1)),
    row.mrr.toFixed(3),
    row.p50Ms.toFixed(1),
  ])
}

function qualityColumns(ks: readonly number[]): string[] {
  return ['row', ...ks.map((k) => `any@${k}`), ...ks.map((k) => `recall@${k}`), 'MRR', 'p50 ms']
}

const KS: readonly number[] = [5, 10, 20]
const program = new Command('bench').description('Measures Prolepsis through its public interface.')

function common(command: Command): Command {
  return command
    .option('--json', 'one JSON object on the last line')
    .option('--data-dir <folder>', 'keep the store there: a second run embeds nothing again')
    .option('--database-url <url>', 'measure on a PostgreSQL server')
}

common(program.command('locomo'))
  .description('recall of evidence turns in long conversations (LoCoMo)')
  .option('--data <file>', 'LoCoMo file', join(DATA, 'locomo/dev.json'))
  .option(
    '--recorded <folder>',
    'conv-*.jsonl: questions and facts that a strong model wrote, as row `recorded`',
  )
  .option('--no-ablations', 'only the default and the plain methods')
  .action(async (options: CommonOptions & { data: string; recorded?: string; ablations: boolean }) => {
    const { benchLocomo } = await import('./quality/locomo.ts')
    const report = await benchLocomo(
      options.data,
      options.ablations ? { ...VARIANTS, ...ABLATIONS } : VARIANTS,
      options,
      options.recorded === undefined
        ? undefined
        : {
            folder: options.recorded,
            variants: options.ablations ? { ...RECORDED_VARIANTS, ...RECORDED_ABLATIONS } : RECORDED_VARIANTS,
          },
    )
    print(
      options.json === true,
      `LoCoMo, ${report.n} questions, per cent`,
      qualityColumns(KS),
      qualityTable(report.rows, KS),
      report,
    )
    const { writing } = report
    if (writing !== null && options.json !== true) {
      printTable(false, 'What writing the questions took', Object.keys(writing), [Object.values(writing)])
    }
  })

common(program.command('memaware'))
  .description('unprompted recall of chat sessions (MemAware)')
  .option('--data <file>', 'questions', join(DATA, 'memaware/dev.json'))
  .option('--sessions <file>', 'sessions', join(DATA, 'memaware/sessions.jsonl.gz'))
  .option('--ablations', 'also the default without each of its parts')
  .action(async (options: CommonOptions & { data: string; sessions: string; ablations?: boolean }) => {
    const { benchMemAware } = await import('./quality/memaware.ts')
    const variants = options.ablations === true ? { ...VARIANTS, ...ABLATIONS } : VARIANTS
    const report = await benchMemAware(options.data, options.sessions, variants, options)
    const rows = Object.entries(report.rows).flatMap(([name, { byDifficulty }]) =>
      Object.entries(byDifficulty).flatMap(([level, row]) =>
        qualityTable({ [`${name}: ${level}`]: row }, KS),
      ),
    )
    print(
      options.json === true,
      `MemAware, ${report.n} requests, sessions, per cent`,
      qualityColumns(KS),
      rows,
      report,
    )
  })

common(program.command('mtrag'))
  .description('recall of passages late in a conversation (MTRAG-UN)')
  .option('--data <folder>', 'MTRAG-UN folder', join(DATA, 'mtrag-un'))
  .option('--ablations', 'also the default without each of its parts')
  .action(async (options: CommonOptions & { data: string; ablations?: boolean }) => {
    const { benchMtrag } = await import('./quality/mtrag.ts')
    const variants = options.ablations === true ? { ...VARIANTS, ...ABLATIONS } : VARIANTS
    const report = await benchMtrag(options.data, variants, options)
    print(
      options.json === true,
      `MTRAG-UN, ${report.n} tasks, passages, per cent`,
      qualityColumns(KS),
      qualityTable(report.rows, KS),
      report,
    )
  })

common(program.command('ablation'))
  .description('what each channel and rule adds, on every set that is there')
  .option('--data <folder>', 'folder of the evaluation data', DATA)
  .action(async (options: CommonOptions & { data: string }) => {
    const { benchAblation } = await import('./quality/ablation.ts')
    const report = await benchAblation(options.data, options)
    print(
      options.json === true,
      'Ablation, any@10, per cent',
      ['row', ...report.columns],
      report.table,
      report,
    )
  })

common(program.command('train'))
  .description(
    'trains the weights of fusion on the sets together, and judges them on what they have not seen',
  )
  .option('--data <folder>', 'folder of the evaluation data', DATA)
  .option('--sets <list>', 'of locomo, mtrag, memaware; comma-separated', 'locomo,mtrag,memaware')
  .option('--recorded', 'the table for banks with questions that a model wrote')
  .action(async (options: CommonOptions & { data: string; sets: string; recorded?: boolean }) => {
    const { trainFusion } = await import('./train/train-fusion.ts')
    const { trainingTables } = await import('./train/training-tables.ts')
    const report = await trainFusion(
      options.data,
      options.sets.split(','),
      options,
      options.recorded === true,
    )
    for (const { heading, columns, table } of trainingTables(report))
      printTable(options.json === true, heading, columns, table)
    printObject(options.json === true, report)
  })

common(program.command('latency'))
  .description(
    'recall beside one embedding, one HNSW query and one BM25 query; memory; opening; the command line',
  )
  .option('--chunks <list>', 'sizes, comma-separated', '10000,50000')
  .option('--corpus <folder>', 'real text to fill the bank with', 'node_modules')
  .option('--queries <n>', 'recalls measured a size', '200')
  .action(async (options: CommonOptions & { chunks: string; corpus: string; queries: string }) => {
    const { benchLatency } = await import('./speed/latency.ts')
    const sizes = options.chunks.split(',').map(Number)
    if (sizes.some((size) => !Number.isInteger(size) || size < 1))
      throw new Error(`--chunks takes whole numbers, not ${options.chunks}`)
    const databaseUrl = options.databaseUrl ?? process.env.DATABASE_URL
    const report = await benchLatency({
      sizes,
      corpus: options.corpus,
      queries: Number(options.queries),
      databaseUrl,
      dataDir: options.dataDir,
    })
    print(
      options.json === true,
      'Latency',
      ['size and part', 'p50 ms', 'p95 ms', 'p99 ms'],
      report.table,
      report.object,
    )
  })

common(program.command('fill', { hidden: true }))
  .requiredOption('--chunks <n>')
  .requiredOption('--corpus <folder>')
  .action(async (options: CommonOptions & { chunks: string; corpus: string }) => {
    const { fillBank } = await import('./speed/latency.ts')
    const { dataDir, databaseUrl } = options
    if (dataDir === undefined && databaseUrl === undefined) throw new Error('fill needs a store')
    const where = databaseUrl === undefined ? { dataDir: dataDir ?? '' } : { databaseUrl }
    printObject(true, await fillBank(where, options.corpus, Number(options.chunks)))
  })

common(program.command('retain'))
  .description('retain beside the bare embedder on the same texts, in the same run')
  .option('--data <folder>', 'folder of the evaluation data', DATA)
  .option('--turns <n>', 'turns of the chat', '5000')
  .option('--corpus <folder>', 'folder of long documents', 'node_modules')
  .action(async (options: CommonOptions & { data: string; turns: string; corpus: string }) => {
    if (!existsSync(options.data))
      throw new Error(`${options.data} does not exist: name the evaluation data with --data`)
    const { benchRetain } = await import('./speed/retain.ts')
    const report = await benchRetain({
      data: options.data,
      turns: Number(options.turns),
      corpus: options.corpus,
    })
    print(
      options.json === true,
      'Retain',
      ['what', 'texts', 'tokens', 'embedder s', 'retain s', 'rate, % of embedder'],
      report.table,
      report.object,
    )
  })

await program.parseAsync()
