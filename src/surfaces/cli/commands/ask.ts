import type { Command } from 'commander'
import type { AskAllOptions, AskOptions, AskResult, Memory, RecallQuery } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { isConfirmed } from '../confirm.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { addFilterOptions, type FilterCommandOptions, filterOf } from '../filter-options.ts'
import { isTerminal, write } from '../io.ts'
import { collect, defined, positiveNumber, wholeNumber } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { readHistory, readQuestion } from '../read-question.ts'
import {
  createAnswerWriter,
  NOT_IN_MEMORY,
  renderAnswer,
  renderDropped,
  renderEstimate,
  renderSpending,
} from '../render/answer.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'

interface AskCommandOptions extends CommonOptions, FilterCommandOptions {
  readonly all?: boolean
  readonly yes?: boolean
  readonly estimate?: boolean
  readonly stream?: boolean
  readonly history?: string
  readonly query?: readonly string[]
  readonly limit?: number
  readonly budget?: number
  readonly hops?: number
  readonly batch?: number
  readonly why?: boolean
}

export function registerAsk(program: Command, context: CliContext): void {
  const ask = command(
    program,
    'ask',
    'answer a question from memory alone, each sentence with its source',
    `prolepsis ask "when's Kelly's birthday?"`,
  )
    .argument('[question]', 'the question; - or nothing reads standard input')
    .option('--all', 'read every document that passes the filter, not only what recall finds')
    .option('--yes', 'with --all: do not ask before the model is called')
    .option('--estimate', 'with --all: say what it would take, and ask no model')
    .option('--batch <tokens>', 'with --all: tokens of text in one call (12000)', positiveNumber)
    .option('--stream', 'write each sentence when it has been checked (the default on a terminal)')
    .option('--no-stream', 'write the answer when it is whole')
    .option('--history <file>', 'the conversation before, JSON lines of {"role", "content"}')
    .option('--query <question>', 'a stand-alone question to ask beside the message, repeatable', collect)
    .option('--limit <n>', 'most passages (20)', positiveNumber)
    .option('--budget <tokens>', 'most tokens of evidence (8000)', positiveNumber)
    .option('--hops <n>', 'most further recalls when the evidence points on (1)', wholeNumber)
    .option('--why', 'also the questions that went out, and what the checks left out and why')
  addFilterOptions(ask).action(async (given: string | undefined, options: AskCommandOptions) => {
    assertTogether(options)
    const filter = filterOf(options)
    const question = await readQuestion(given, context)
    const history = options.history === undefined ? undefined : await readHistory(options.history, context)
    const { signal } = context.io
    await context.withMemory(options, async (memory) => {
      if (options.all === true) {
        const allOptions = { ...filter, ...defined({ batchTokens: options.batch }), signal }
        await askEverything(context, options, memory, question, allOptions)
        return
      }
      const query = { message: question, ...defined({ history, queries: options.query }) }
      const { limit, budget, hops } = options
      const askOptions = { ...filter, ...defined({ limit, tokenBudget: budget, hops }), signal }
      const streams = options.json !== true && (options.stream ?? isTerminal(context.io.stdout))
      const result = streams
        ? await streamed(context, memory, query, askOptions)
        : await memory.ask(query, askOptions)
      if (!streams) {
        await context.result(options, result, renderAnswer(result.sentences, 'running', context))
      }
      await tellMore(context, options, result)
    })
  })
}

/** @throws ProlepsisError INVALID_ARGUMENT for options that have no meaning together */
function assertTogether(options: AskCommandOptions): void {
  const { all, yes, estimate, batch, history, query, limit, budget, hops, stream } = options
  const ofAll = { '--yes': yes, '--estimate': estimate, '--batch': batch }
  const ofOne = {
    ...{ '--history': history, '--query': query, '--limit': limit, '--budget': budget, '--hops': hops },
    '--stream': stream,
  }
  const [idle] = Object.entries(all === true ? ofOne : ofAll).find(([, value]) => value !== undefined) ?? []
  if (idle === undefined || (idle === '--stream' && stream === false)) return
  throw new ProlepsisError(
    'INVALID_ARGUMENT',
    all === true ? `${idle} has no meaning with --all.` : `${idle} has a meaning with --all alone.`,
    { hint: all === true ? `Leave ${idle} or --all out.` : `Add --all, or leave ${idle} out.` },
  )
}

/** Writes sentences as they come, then the sources. */
async function streamed(
  context: CliContext,
  memory: Memory,
  query: RecallQuery,
  options: AskOptions,
): Promise<AskResult> {
  const { stdout } = context.io
  const writer = createAnswerWriter(context)
  let any = false
  for await (const event of memory.ask.stream(query, options)) {
    if (event.type === 'sentence') {
      await write(stdout, `${any ? ' ' : ''}${writer.sentence(event.sentence)}`)
      any = true
    } else if (event.type === 'done') {
      await write(stdout, any ? `\n\n${writer.sources().join('\n')}\n` : `${NOT_IN_MEMORY}\n`)
      return event.result
    }
  }
  throw new ProlepsisError('CANCELLED', 'The answer ended early.')
}

async function askEverything(
  context: CliContext,
  options: AskCommandOptions,
  memory: Memory,
  question: string,
  allOptions: AskAllOptions,
): Promise<void> {
  const estimate = await memory.askAll.estimate(question, allOptions)
  if (options.estimate === true) {
    await context.result(options, estimate, renderEstimate(estimate))
    return
  }
  await context.note(renderEstimate(estimate))
  if (options.yes !== true && estimate.batches > 0) {
    const why = `Reading everything takes about ${counted(estimate.calls, 'call')} of the model.`
    if (!(await isConfirmed(context, 'Go on?', why))) {
      throw new ProlepsisError('CANCELLED', 'Nothing was read.')
    }
  }
  const bar = await createProgressBar(context.io, 'read')
  const result = await memory
    .askAll(question, {
      ...allOptions,
      onProgress: ({ stage, done, total, facts }) =>
        bar.update(done, total, `${stage}: ${counted(facts, 'fact')}`),
    })
    .finally(() => bar.stop())
  await context.result(options, result, renderAnswer(result.sentences, 'list', context))
  await tellMore(context, options, result)
  if (result.incomplete.length === 0) return
  for (const { source, refs, code, reason } of result.incomplete) {
    await context.note(`not read: ${printable(`${source} (${refs.join(' to ')}): ${reason}`)} (${code})`)
  }
  await context.failed(
    `${counted(result.incomplete.length, 'part')} of the text could not be read; the answer is from the rest.`,
    'Ask again, with a smaller --batch where a reply was cut or too slow.',
  )
}

/** What is no part of the answer. */
async function tellMore(
  context: CliContext,
  options: AskCommandOptions,
  result: Pick<AskResult, 'degraded' | 'dropped' | 'usage' | 'tookMs'> & Partial<Pick<AskResult, 'queries'>>,
): Promise<void> {
  const { paint } = context
  for (const reason of result.degraded) await context.note(paint.bad(`degraded: ${printable(reason)}`))
  if (options.why === true) {
    for (const query of result.queries ?? []) await context.note(paint.faint(`asked: ${printable(query)}`))
    for (const line of renderDropped(result.dropped)) await context.note(paint.faint(line))
  }
  if (isTerminal(context.io.stderr)) {
    const seconds = (result.tookMs / 1000).toFixed(1)
    await context.note(paint.faint(`${renderSpending(result.usage)}; ${seconds} s`))
  }
}
