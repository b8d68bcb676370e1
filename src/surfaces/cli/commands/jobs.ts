import { type Command, InvalidArgumentError } from 'commander'
import type { Job, JobKind, JobSelector, JobState, Memory } from '../../../index.ts'
import { JOB_KINDS, JOB_STATES, ProlepsisError } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { defined, positiveNumber } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { enrichmentFailure, renderEnrichment } from '../render/enrichment.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'
import { table } from '../render/table.ts'

interface SelectorOptions extends CommonOptions {
  readonly state?: JobState
  readonly kind?: JobKind
  readonly source?: string
  readonly prefix?: string
}

export function registerJobs(program: Command, context: CliContext): void {
  const jobs = program.command('jobs').description('work that was put off: a model’s questions of new texts')

  selecting(command(jobs, 'list', 'list jobs, newest first', 'prolepsis jobs list --state dead'))
    .option('--limit <n>', 'most jobs', positiveNumber, 100)
    .option('--before <job>', 'go on before this job', positiveNumber)
    .action(async (options: SelectorOptions & { readonly limit: number; readonly before?: number }) => {
      const { limit, before } = options
      const found = await context.withMemory(options, async ({ jobs: line }) => ({
        jobs: await line.list({ ...selectorOf(options), ...defined({ before }), limit }),
        counts: await line.counts(),
      }))
      await context.result(options, found, renderJobs(found.jobs, found.counts))
    })

  command(jobs, 'show', 'show one job, with the reason of its last failure', 'prolepsis jobs show 17')
    .argument('<job>', 'its number', positiveNumber)
    .action(async (jobId: number, options: CommonOptions) => {
      const job = await context.withMemory(options, (memory) => memory.jobs.get(jobId))
      if (job === null) {
        throw new ProlepsisError('NOT_FOUND', `There is no job ${jobId} in this bank.`, {
          hint: 'prolepsis jobs list shows those that there are.',
        })
      }
      await context.result(options, job, renderJob(job))
    })

  changing(
    command(
      jobs,
      'retry',
      'run jobs that are dead, cancelled or in a pause at once, with all their attempts',
      'prolepsis jobs retry --state dead',
    ),
    context,
    { verb: 'retried', change: (line, which) => line.retry(which) },
  )

  changing(
    command(jobs, 'cancel', 'end jobs that wait or run', 'prolepsis jobs cancel --prefix docs/'),
    context,
    { verb: 'cancelled', change: (line, which) => line.cancel(which) },
  )

  command(
    jobs,
    'wait',
    'wait until the jobs that are in line now have ended, whoever runs them',
    'prolepsis jobs wait --prefix docs/',
  )
    .option('--source <source>', 'of the text at this source')
    .option('--prefix <prefix>', 'of sources that begin with this')
    .action(async (options: SelectorOptions) => {
      const bar = await createProgressBar(context.io, 'jobs')
      const enrichment = await context.withMemory(options, async (memory) => {
        try {
          return await memory.jobs.wait({
            ...selectorOf(options),
            signal: context.io.signal,
            onProgress: ({ done, total, source }) => bar.update(done, total, source ?? ''),
          })
        } finally {
          bar.stop()
        }
      })
      await context.result(options, enrichment, renderEnrichment(enrichment))
      const failure = enrichmentFailure(enrichment)
      if (failure !== null) await context.failed(...failure)
    })
}

function selecting(one: Command): Command {
  return one
    .addOption(one.createOption('--state <state>', 'in this state').choices(JOB_STATES))
    .addOption(one.createOption('--kind <kind>', 'of this kind').choices(JOB_KINDS))
    .option('--source <source>', 'of the text at this source')
    .option('--prefix <prefix>', 'of sources that begin with this')
}

function selectorOf({ state, kind, source, prefix }: SelectorOptions): JobSelector {
  return defined({ state, kind, source, sourcePrefix: prefix })
}

/** One job by its number, those that the options name, or all. */
function changing(
  one: Command,
  context: CliContext,
  how: {
    readonly verb: string
    readonly change: (jobs: Memory['jobs'], which: number | JobSelector) => Promise<number>
  },
): void {
  selecting(one)
    .argument('[job]', 'its number', positiveNumber)
    .option('--all', 'every job that can be')
    .action(async (jobId: number | undefined, options: SelectorOptions & { readonly all?: boolean }) => {
      const selector = selectorOf(options)
      const ways = [jobId !== undefined, Object.keys(selector).length > 0, options.all === true]
      if (ways.filter(Boolean).length !== 1) {
        throw new InvalidArgumentError('Give the number of a job, or options that name some, or --all.')
      }
      const count = await context.withMemory(options, (memory) => how.change(memory.jobs, jobId ?? selector))
      await context.result(options, { jobs: count }, `${counted(count, 'job')} ${how.verb}.`)
    })
}

function renderJobs(jobs: readonly Job[], counts: Readonly<Record<JobState, number>>): string {
  const total = JOB_STATES.filter((state) => counts[state] > 0)
    .map((state) => `${counts[state]} ${state}`)
    .join(', ')
  if (jobs.length === 0) return total === '' ? 'None.' : `None. In all: ${total}.`
  const rows = jobs.map((job) => [
    job.jobId,
    job.kind,
    printable(job.source ?? ''),
    job.state,
    job.attempts,
    job.state === 'waiting' ? time(job.runAfter) : time(job.finishedAt),
    job.spent.calls,
    job.state === 'done' ? '' : (job.errorCode ?? ''),
  ])
  const columns = ['job', 'kind', 'source', 'state', 'attempts', 'next or ended', 'calls', 'error']
  return `${table(columns, rows)}\n\n${total}.`
}

function renderJob(job: Job): string {
  const { spent } = job
  const rows: (string | number)[][] = [
    ['job', String(job.jobId)],
    ['kind', job.kind],
    ['source', printable(job.source ?? '')],
    ['state', job.state],
    ['attempts', `${job.attempts} of ${job.maxAttempts}`],
    ['made', time(job.createdAt)],
    ...(job.state === 'waiting' ? [['not before', time(job.runAfter)]] : []),
    ...(job.state === 'running' ? [['held until', time(job.leaseUntil)]] : []),
    ...(job.worker === null ? [] : [['worker', printable(job.worker)]]),
    ...(job.finishedAt === null ? [] : [['ended', time(job.finishedAt)]]),
    ...(job.error === null ? [] : [['last failure', `${printable(job.error)} (${job.errorCode})`]]),
    ['model', `${counted(spent.calls, 'call')}, ${spent.inputTokens} tokens in, ${spent.outputTokens} out`],
    ...(spent.costUsd === 0 ? [] : [['cost', `$${spent.costUsd.toFixed(4)}`]]),
    ...Object.entries(job.result).map(([name, count]) => [name, String(count)]),
    ...(job.traceId === null ? [] : [['trace', job.traceId]]),
  ]
  return table(['what', 'value'], rows)
}

function time(date: Date | null): string {
  return date === null ? '' : date.toISOString().slice(0, 19).replace('T', ' ')
}
