import { type Command, Option } from 'commander'
import type { JobRunProgress, JobRunResult } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { defined, positiveNumber } from '../options.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'

interface WorkOptions extends CommonOptions {
  readonly once?: boolean
  readonly untilIdle?: boolean
  readonly concurrency?: number
  readonly quiet?: boolean
}

export function registerWork(program: Command, context: CliContext): void {
  command(
    program,
    'work',
    'run jobs: of every bank, or of the one that --bank names, until it is interrupted',
    'prolepsis work --until-idle',
  )
    .addOption(new Option('--once', 'run what is due, and end').conflicts('untilIdle'))
    .option('--until-idle', 'end when no job is left in line; pauses after failures are sat out')
    .option('--concurrency <n>', 'jobs at once', positiveNumber)
    .option('--quiet', 'do not name each job that ends')
    .action(async (options: WorkOptions) => {
      const until = options.once === true ? 'now' : options.untilIdle === true ? 'idle' : undefined
      const result = await context.withMemory(options, (memory) =>
        memory.jobs.run({
          ...defined({ until, concurrency: options.concurrency }),
          allBanks: options.bank === undefined,
          signal: context.io.signal,
          onProgress: (progress) => {
            if (options.quiet !== true) void context.note(renderEnded(progress))
          },
        }),
      )
      await context.result(options, result, renderRun(result))
    })
}

function renderEnded({ bank, jobId, kind, source, state }: JobRunProgress): string {
  const how = state === 'waiting' ? 'failed, tried again later' : state
  return `${bank}: ${kind} ${jobId}${source === null ? '' : ` ${printable(source)}`}: ${how}`
}

function renderRun({ done, failed, dead, cancelled }: JobRunResult): string {
  const others = [
    ...(failed === 0 ? [] : [`${failed} failed attempts`]),
    ...(dead === 0 ? [] : [`${dead} dead`]),
    ...(cancelled === 0 ? [] : [`${cancelled} cancelled`]),
  ]
  return `${[`${counted(done, 'job')} done`, ...others].join(', ')}.`
}
