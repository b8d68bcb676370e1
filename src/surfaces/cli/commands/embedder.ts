import { type Command, InvalidArgumentError } from 'commander'
import type { EmbedderTarget, Memory } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { collect, defined, positiveNumber } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import {
  renderChange,
  renderComparison,
  renderEmbedderStatus,
  settingsToSet,
  type ToSet,
} from '../render/embedder.ts'
import { counted } from '../render/layout.ts'

interface TargetOptions extends CommonOptions {
  readonly to?: string
  readonly with?: string
  readonly modelDir?: string
  readonly baseUrl?: string
}

export function registerEmbedder(program: Command, context: CliContext): void {
  const embedder = program
    .command('embedder')
    .description('the embedding model of a bank: move it to another one while recalls go on')

  command(
    embedder,
    'status',
    'show the vector spaces of the bank: what they hold and lack',
    'prolepsis embedder status',
  ).action(async (options: CommonOptions) => {
    const status = await context.withMemory(options, (memory) => memory.embedder.status())
    await context.result(options, status, renderEmbedderStatus(status))
  })

  registerMigrate(embedder, context)
  registerCompare(embedder, context)

  command(
    embedder,
    'cut-over',
    'let recalls ask the new space from now on; the old one is kept',
    'prolepsis embedder cut-over',
  ).action(async (options: CommonOptions) => {
    const change = await context.withMemory(options, (memory) => memory.embedder.cutOver())
    await context.result(options, { ...change, set: toSet(change) }, renderChange(change))
  })

  naming(
    command(
      embedder,
      'back-out',
      'let recalls ask the space that was active before again; what was written since is embedded into it first',
      'prolepsis embedder back-out',
    ),
    '--with <model>',
    'the model to go back to, where the settings of the cut-over do not name it: local or provider:model',
  ).action(async (options: TargetOptions) => {
    const change = await withProgress(context, options, 'embed', (memory, how) =>
      memory.embedder.backOut({ ...how, ...defined({ with: targetOf(options.with, options) }) }),
    )
    await context.result(options, { ...change, set: toSet(change) }, renderChange(change))
  })

  command(
    embedder,
    'drop',
    'remove the vectors of a space that is not active',
    'prolepsis embedder drop --space 1',
  )
    .option('--space <space>', 'its number or its model; without, the only one')
    .action(async (options: CommonOptions & { space?: string }) => {
      const { space } = options
      const which = space === undefined ? undefined : /^\d+$/.test(space) ? Number(space) : space
      const dropped = await context.withMemory(options, (memory) =>
        memory.embedder.drop(defined({ space: which })),
      )
      const { modelId, vectors } = dropped
      await context.result(options, dropped, `Dropped ${counted(vectors, 'vector')} of ${modelId}.`)
    })
}

function registerMigrate(embedder: Command, context: CliContext): void {
  naming(
    command(
      embedder,
      'migrate',
      'embed everything with another model beside the active one; a migration that was cut short goes on',
      'prolepsis embedder migrate --to openai:text-embedding-3-small',
    ),
    '--to <model>',
    'local (the model of the package) or provider:model; without, the one that the bank is being moved to',
  )
    .option('--cut-over', 'cut over as soon as nothing is missing')
    .action(async (options: TargetOptions & { cutOver?: boolean }) => {
      const change = await withProgress(context, options, 'embed', (memory, how) =>
        memory.embedder.migrate({
          ...how,
          cutOver: options.cutOver === true,
          ...defined({ to: targetOf(options.to, options) }),
        }),
      )
      await context.result(options, { ...change, set: toSet(change) }, renderChange(change))
    })
}

function registerCompare(embedder: Command, context: CliContext): void {
  naming(
    command(
      embedder,
      'compare',
      'ask both spaces what was recalled last, and tell how alike they answer; nothing is written',
      'prolepsis embedder compare --n 100',
    ),
    '--with <model>',
    'the model of the other space, where the settings of the migration do not name it: local or provider:model',
  )
    .option('--query <text>', 'ask this in place of what was recalled, repeatable', collect)
    .option('--n <n>', 'most queries', positiveNumber, 50)
    .action(async (options: TargetOptions & { query?: readonly string[]; n: number }) => {
      const { query: queries, n } = options
      const compared = await withProgress(context, options, 'compare', (memory, how) =>
        memory.embedder.compare({
          ...how,
          n,
          ...defined({ queries, with: targetOf(options.with, options) }),
        }),
      )
      await context.result(options, compared, renderComparison(compared))
    })
}

/** The three ways to name a model. */
function naming(one: Command, flag: string, about: string): Command {
  return one
    .option(flag, about)
    .option('--model-dir <folder>', 'a local model instead: its folder')
    .option('--base-url <url>', 'address of the provider’s API')
}

function targetOf(name: string | undefined, options: TargetOptions): EmbedderTarget | undefined {
  const { modelDir, baseUrl } = options
  if (modelDir !== undefined && name !== undefined)
    throw new InvalidArgumentError('Name a model or the folder of one, not both.')
  if (baseUrl !== undefined && (name === undefined || name === 'local'))
    throw new InvalidArgumentError('--base-url goes with a model of a provider.')
  if (modelDir !== undefined) return { modelDir }
  if (name === undefined || baseUrl === undefined) return name
  return { embedder: name, embedderBaseUrl: baseUrl }
}

interface How {
  readonly signal: AbortSignal
  readonly onProgress: (done: number, total: number) => void
}

async function withProgress<T>(
  context: CliContext,
  options: CommonOptions,
  verb: string,
  work: (memory: Memory, how: How) => Promise<T>,
): Promise<T> {
  const bar = await createProgressBar(context.io, verb)
  const onProgress = (done: number, total: number): void => bar.update(done, total, '')
  return context.withMemory(options, async (memory) => {
    try {
      return await work(memory, { signal: context.io.signal, onProgress })
    } finally {
      bar.stop()
    }
  })
}

/** Nothing has to be set before a cut-over. */
const toSet = (change: Parameters<typeof renderChange>[0]): readonly ToSet[] | null =>
  change.status === 'filled' ? null : settingsToSet(change.settings)
