import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Memory, SweepPass, SweptFolder } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { type FolderOptions, folderOptions, folderOptionsOf } from '../folder-options.ts'
import { createProgressBar } from '../progress.ts'
import { enrichmentFailure, renderEnrichment } from '../render/enrichment.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'
import { table } from '../render/table.ts'

interface SweepCommandOptions extends CommonOptions, FolderOptions {
  readonly watch?: boolean
  readonly poll?: number
  readonly interval?: number
  readonly enrich: boolean
  readonly await?: boolean
  readonly verbose?: boolean
}

export function registerSweep(program: Command, context: CliContext): void {
  const sweep = folderOptions(
    command(
      program,
      'sweep',
      'keep a folder and its documents in step: adds, changes, renames, and deletions that two passes see',
      'prolepsis sweep ./docs --watch',
    ).argument('<dir>', 'folder (./status for one of that name)'),
  )
    .option('--watch', 'go on with every change until it is interrupted; else one pass')
    .addOption(
      new Option('--poll <seconds>', 'look this often instead of waiting to be told of changes')
        .argParser(seconds)
        .implies({ watch: true }),
    )
    .addOption(
      new Option('--interval <seconds>', 'look at least this often, whatever is told; 600 by default')
        .argParser(seconds)
        .implies({ watch: true }),
    )
    .option('--no-enrich', 'let no model write questions of the files')
    .addOption(
      new Option(
        '--await',
        'wait until the model has written its questions, and tell what that took',
      ).conflicts('watch'),
    )
    .option('--verbose', 'name every file that was skipped, and tell of passes that changed nothing')
    .action((dir: string, options: SweepCommandOptions) =>
      options.watch === true ? watch(context, dir, options) : once(context, dir, options),
    )

  command(
    sweep,
    'status',
    'list the folders that are or were swept into the bank',
    'prolepsis sweep status',
  ).action(async (options: CommonOptions) => {
    const folders = await context.withMemory(options, (memory) => memory.sweep.status())
    await context.result(options, { folders }, renderStatus(folders))
  })
}

function seconds(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number >= 0.1 && number <= 86_400))
    throw new InvalidArgumentError('A number of seconds, from 0.1 to 86400, is expected.')
  return Math.round(number * 1000)
}

async function once(context: CliContext, dir: string, options: SweepCommandOptions): Promise<void> {
  const bar = await createProgressBar(context.io, 'sweep')
  const pass = await context.withMemory(options, async (memory) => {
    try {
      return await memory.sweep(resolve(context.io.cwd, dir), {
        ...folderOptionsOf(options),
        ...(options.enrich ? {} : { enrich: false }),
        ...(options.await === true ? { await: 'enriched' as const } : {}),
        onJobProgress: ({ done, total, source }) => bar.update(done, total, source ?? ''),
        onProgress: ({ done, total, source }) => bar.update(done, total, source),
        signal: context.io.signal,
      })
    } finally {
      bar.stop()
    }
  })
  await context.result(options, pass, renderPass(pass, options.verbose === true))
  const failure = pass.enrichment === undefined ? null : enrichmentFailure(pass.enrichment)
  if (failure !== null) await context.failed(...failure)
  if (pass.away !== null)
    await context.failed(`${pass.root}: ${pass.away}.`, 'Sweep again when the folder is back.')
  if (pass.failed.length > 0) {
    await context.failed(
      `${counted(pass.failed.length, 'file')} could not be retained; all others were.`,
      'The result lists them; sweep again once they can be read.',
    )
  }
}

async function watch(context: CliContext, dir: string, options: SweepCommandOptions): Promise<void> {
  await context.withMemory(options, async (memory) => {
    const sweeper = await start(memory, context, dir, options)
    try {
      await context.note(`watching ${printable(sweeper.root)} by ${sweeper.by}; interrupt to end (Ctrl-C)`)
      for await (const pass of sweeper.passes) {
        const isQuiet = options.json !== true && options.verbose !== true && !tells(pass)
        if (!isQuiet) await context.result(options, pass, renderPass(pass, options.verbose === true))
      }
    } finally {
      await sweeper.stop()
    }
  })
}

function start(
  memory: Memory,
  { io }: CliContext,
  dir: string,
  options: SweepCommandOptions,
): ReturnType<Memory['sweep']['watch']> {
  return memory.sweep.watch(resolve(io.cwd, dir), {
    ...folderOptionsOf(options),
    ...(options.enrich ? {} : { enrich: false }),
    ...(options.poll === undefined ? {} : { pollMs: options.poll }),
    ...(options.interval === undefined ? {} : { intervalMs: options.interval }),
    signal: io.signal,
  })
}

/** Whether a pass of a watch has something to say. */
function tells(pass: SweepPass): boolean {
  const { created, updated, moved, missing, deleted, away, error } = pass
  const changes = created + updated + moved.length + missing.length + deleted.length
  return pass.reason === 'start' || changes > 0 || away !== null || error !== null
}

const SHOWN = 5

function renderPass(pass: SweepPass, verbose: boolean): string {
  const { created, updated, unchanged, moved, missing, deleted, skipped, failed } = pass
  if (pass.error !== null) return `failed: ${printable(pass.error.message)} (${pass.error.code})`
  const jobs = pass.jobs === 0 ? '' : `; ${counted(pass.jobs, 'job')}`
  const lines = [
    `${counted(pass.files, 'file')} in ${(pass.tookMs / 1000).toFixed(1)} s, ${pass.read} read: ${created} new, ${updated} updated, ${unchanged} unchanged, ${moved.length} moved, ${missing.length} missing, ${deleted.length} deleted, ${skipped.length} skipped, ${failed.length} failed${jobs}.`,
    ...(pass.enrichment === undefined ? [] : [renderEnrichment(pass.enrichment)]),
  ]
  const list = (items: readonly string[]): void => {
    lines.push(...(verbose ? items : items.slice(0, SHOWN)))
    if (!verbose && items.length > SHOWN)
      lines.push(`  … and ${items.length - SHOWN} more (--verbose names them)`)
  }
  if (pass.away !== null) lines.push(`  ${pass.away}`)
  list(moved.map(({ from, to }) => `  moved ${printable(from)} to ${printable(to)}`))
  list(missing.map((path) => `  missing ${printable(path)}: deleted when the next pass does not find it`))
  list(deleted.map((source) => `  deleted ${printable(source)}`))
  list(skipped.map(({ path, reason }) => `  skipped ${printable(path)}: ${printable(reason)}`))
  lines.push(
    ...failed.map(({ path, code, reason }) => `  failed ${printable(path)}: ${printable(reason)} (${code})`),
  )
  return lines.join('\n')
}

function renderStatus(folders: readonly SweptFolder[]): string {
  if (folders.length === 0) return 'No folder is swept into this bank.'
  const rows = folders.map((folder) => [
    printable(folder.root),
    printable(folder.sourcePrefix),
    folder.files,
    folder.missing,
    folder.problems,
    folder.lastPassAt?.toISOString() ?? '',
    printable(folder.holder === null ? (folder.lastError ?? '') : `held by ${folder.holder}`),
  ])
  return table(['folder', 'prefix', 'files', 'missing', 'without', 'last pass', ''], rows)
}
