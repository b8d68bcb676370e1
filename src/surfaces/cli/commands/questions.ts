import { type Command, InvalidArgumentError } from 'commander'
import type {
  ChunkQuestions,
  CueOrigin,
  RegenerateEstimate,
  RegenerateOptions,
  RegenerateResult,
} from '../../../index.ts'
import { CUE_ORIGINS, ProlepsisError } from '../../schema/names.ts'
import { isConfirmed } from '../confirm.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { promptsOf } from '../files.ts'
import { defined, positiveNumber } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { enrichmentFailure, renderEnrichment } from '../render/enrichment.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'

interface RegenerateCommandOptions extends CommonOptions {
  readonly all?: boolean
  readonly missing?: boolean
  readonly prompt?: string
  readonly estimate?: boolean
  readonly await?: boolean
  readonly yes?: boolean
}

export function registerQuestions(program: Command, context: CliContext): void {
  const questions = program.command('questions').description('the questions that lead to what was retained')

  const show = command(
    questions,
    'show',
    'show what leads to a chunk, or to each chunk of a source: questions, statements, concepts, and who made them',
    'prolepsis questions show kelly.md',
  ).argument('<target>', 'a source or a ref')
  show
    .addOption(show.createOption('--origin <origin>', 'of these alone').choices(CUE_ORIGINS))
    .action(async (target: string, options: CommonOptions & { readonly origin?: CueOrigin }) => {
      const chunks = await context.withMemory(options, (memory) =>
        memory.questions.list(target, defined({ origin: options.origin })),
      )
      await context.result(options, { chunks }, chunks.map(renderChunk).join('\n\n'))
    })

  command(
    questions,
    'add',
    'add questions of your own to a chunk by its ref, or to a source: then each goes to the chunk that answers it best',
    'prolepsis questions add kelly.md#1 "How old is Kelly?"',
  )
    .argument('<target>', 'a source or a ref')
    .argument('<question...>')
    .action(async (target: string, texts: readonly string[], options: CommonOptions) => {
      const added = await context.withMemory(options, (memory) => memory.questions.add(target, texts))
      await context.result(options, { added }, `${counted(added, 'question')} added.`)
    })

  command(
    questions,
    'edit',
    'put a question in place of one that you or a model gave, or remove it',
    'prolepsis questions edit kelly.md#1 2 "When was Kelly born?"',
  )
    .argument('<ref>')
    .argument('<n>', 'its number, as show has it', positiveNumber)
    .argument('[question]', 'what is asked instead')
    .option('--remove', 'remove it')
    .action(
      async (
        ref: string,
        n: number,
        question: string | undefined,
        options: CommonOptions & { readonly remove?: boolean },
      ) => {
        if ((question === undefined) === (options.remove !== true))
          throw new InvalidArgumentError('Give a question in its place, or --remove.')
        await context.withMemory(options, (memory) => memory.questions.edit(ref, n, question ?? null))
        const done = question === undefined ? 'removed' : 'edited'
        await context.result(options, { [done]: { ref, n } }, `Question ${n} of ${printable(ref)} ${done}.`)
      },
    )

  command(
    questions,
    'regenerate',
    'let the model write questions anew in place of those that it wrote; yours stay',
    'prolepsis questions regenerate --all --missing --await',
  )
    .argument('[source]', 'of the text at this source')
    .option('--all', 'of every text but those whose questions you gave')
    .option('--missing', 'only where the model has written none yet')
    .option('--prompt <file>', 'a text in place of the prompt')
    .option('--estimate', 'only say what it is likely to take')
    .option('--await', 'wait until it is done, and tell what it took')
    .option('--yes', 'with --all: do not ask before the model is called')
    .action((source: string | undefined, options: RegenerateCommandOptions) =>
      regenerate(context, source, options),
    )
}

async function regenerate(
  context: CliContext,
  source: string | undefined,
  options: RegenerateCommandOptions,
): Promise<void> {
  if ((source === undefined) === (options.all !== true))
    throw new InvalidArgumentError('Give a source, or --all.')
  const selector: RegenerateOptions = {
    ...(source === undefined ? { all: true } : { source }),
    ...(options.missing === true ? { missing: true } : {}),
    ...(await promptsOf(options.prompt, context.io)),
  }
  await context.withMemory(options, async (memory) => {
    const estimate = await memory.questions.regenerate.estimate(selector)
    if (options.estimate === true) {
      await context.result(options, estimate, renderEstimate(estimate))
      return
    }
    await context.note(renderEstimate(estimate))
    if (options.all === true && options.yes !== true && estimate.calls > 0) {
      const why = `Writing them takes about ${counted(estimate.calls, 'call')} of the model.`
      if (!(await isConfirmed(context, 'Go on?', why)))
        throw new ProlepsisError('CANCELLED', 'Nothing was asked of the model.')
    }
    const bar = await createProgressBar(context.io, 'jobs')
    const result = await memory.questions
      .regenerate({
        ...selector,
        ...(options.await === true ? { await: 'enriched' } : {}),
        onProgress: ({ done, total, source: at }) => bar.update(done, total, at ?? ''),
        signal: context.io.signal,
      })
      .finally(() => bar.stop())
    await context.result(options, result, renderResult(result))
    const failure = result.enrichment === undefined ? null : enrichmentFailure(result.enrichment)
    if (failure !== null) await context.failed(...failure)
  })
}

function renderEstimate({ documents, chunks, calls, ...estimate }: RegenerateEstimate): string {
  const { inputTokens, outputTokens, costUsd } = estimate
  const cost = costUsd === null ? '' : `, about $${costUsd.toFixed(4)}`
  return `${counted(documents, 'text')} with ${counted(chunks, 'chunk')}: about ${counted(calls, 'call')} of the model, ${inputTokens} tokens in and ${outputTokens} out${cost}.`
}

function renderResult({ jobs, enrichment }: RegenerateResult): string {
  if (enrichment !== undefined) return renderEnrichment(enrichment)
  return jobs === 0
    ? 'There is nothing to write.'
    : `${counted(jobs, 'job')} in line: prolepsis jobs shows them.`
}

function renderChunk({ ref, questions, statements, concepts, writer }: ChunkQuestions): string {
  const lines = [printable(ref)]
  for (const { n, text, origin } of questions) lines.push(`  ${n}. ${printable(text)} (${origin})`)
  for (const { text, origin } of statements) lines.push(`  statement: ${printable(text)} (${origin})`)
  for (const { text, origin } of concepts) lines.push(`  concept: ${printable(text)} (${origin})`)
  if (writer !== null) {
    const { modelId, prompt, written, kept, madeAt } = writer
    lines.push(
      `  ${printable(modelId)} with ${printable(prompt)}, ${madeAt.toISOString().slice(0, 10)}: ${written} written, ${kept} kept`,
    )
  } else if (questions.length + statements.length + concepts.length === 0) lines.push('  none')
  return lines.join('\n')
}
