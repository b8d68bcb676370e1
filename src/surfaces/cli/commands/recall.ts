import type { Command } from 'commander'
import type {
  Channel,
  FormulatorChoice,
  Fusion,
  HistoryMessage,
  RecallMode,
  RecallOptions,
  Trust,
} from '../../../index.ts'
import {
  CHANNELS,
  FORMULATOR_CHOICES,
  FUSIONS,
  ProlepsisError,
  RECALL_MODES,
  TRUST_LEVELS,
} from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { decodeUtf8, parseJsonLine, readFileLines } from '../files.ts'
import { isTerminal, readAll } from '../io.ts'
import { channelWeight, collect, defined, keyValue, positiveNumber, wholeNumber } from '../options.ts'
import { renderRecall } from '../render/passages.ts'

/** A question is no book: see what recall takes. */
const LARGEST_QUERY_BYTES = 16 * 1024 * 1024

interface RecallCommandOptions extends CommonOptions {
  readonly limit?: number
  readonly budget?: number
  readonly mode?: RecallMode
  readonly fusion?: Fusion
  readonly weight?: Partial<Readonly<Record<Channel, number>>>
  readonly expand?: number
  readonly tag?: readonly string[]
  readonly tagAll?: readonly string[]
  readonly tagNone?: readonly string[]
  readonly tagStrict?: boolean
  readonly where?: Readonly<Record<string, unknown>>
  readonly from?: string
  readonly to?: string
  readonly asOf?: string
  readonly source?: string
  readonly minTrust?: Trust
  readonly person?: readonly string[]
  readonly history?: string
  readonly query?: readonly string[]
  readonly formulator?: FormulatorChoice
  readonly rerank?: true | number
  readonly why?: boolean
  readonly full?: boolean
  readonly prompt?: boolean
  readonly receipt: boolean
}

export function registerRecall(program: Command, context: CliContext): void {
  const recall = command(
    program,
    'recall',
    'find the passages that answer a question',
    `prolepsis recall "when's Kelly's birthday?" --limit 3`,
  )
    .alias('search')
    .argument('[query]', 'the question or message; - or nothing reads standard input')
    .option('--limit <n>', 'most passages', positiveNumber)
    .option('--budget <tokens>', 'most tokens in all passages together', positiveNumber)
    .option(
      '--weight <channel=number>',
      `multiply a channel’s weight, repeatable (${CHANNELS.join(', ')})`,
      channelWeight,
    )
    .option('--expand <n>', 'neighbouring chunks on each side, where the budget allows', wholeNumber)
    .option('--tag <tag>', 'documents with one of these tags, and those without any tag, repeatable', collect)
    .option(
      '--tag-all <tag>',
      'documents with every one of these tags, and those without any tag, repeatable',
      collect,
    )
    .option('--tag-none <tag>', 'documents with none of these tags, repeatable', collect)
    .option('--tag-strict', 'with --tag or --tag-all: leave out documents without any tag')
    .option('--where <key=value>', 'metadata that must be there, repeatable', keyValue)
    .option('--from <time>', 'what happened at or after this time, ISO 8601')
    .option('--to <time>', 'what happened before this time, ISO 8601')
    .option('--as-of <time>', 'as memory stood at this time, ISO 8601')
    .option('--source <prefix>', 'sources that begin with this')
    .option('--person <name>', 'who speaks or is named, repeatable', collect)
    .option('--history <file>', 'the conversation before, JSON lines of {"role", "content"}')
    .option('--query <question>', 'a stand-alone question to ask beside the message, repeatable', collect)
    .option(
      '--rerank [top]',
      'let the reranking model order the best anew (30 unless a number is given)',
      positiveNumber,
    )
    .option('--why', 'the questions that went out, and every score part of each passage')
    .option('--full', 'whole passages, however long')
    .option('--prompt', 'print the block to put in a prompt')
    .option('--no-receipt', 'write no receipt')
  recall
    .addOption(
      recall
        .createOption('--formulator <who>', 'who makes stand-alone questions of the message')
        .choices(FORMULATOR_CHOICES),
    )
    .addOption(recall.createOption('--mode <mode>', 'which channels').choices(RECALL_MODES))
    .addOption(recall.createOption('--fusion <fusion>', 'how channels are joined').choices(FUSIONS))
    .addOption(recall.createOption('--min-trust <level>', 'least trust').choices(TRUST_LEVELS))
    .action(async (query: string | undefined, options: RecallCommandOptions) => {
      const recallOptions = recallOptionsOf(options, context.io.signal)
      const message = await readQuery(query, context)
      const history = options.history === undefined ? undefined : await readHistory(options.history, context)
      await context.withMemory(options, async (memory) => {
        const result = await memory.recall(
          { message, ...defined({ history, queries: options.query }) },
          recallOptions,
        )
        if (options.prompt === true) {
          const prompt = String(result)
          await context.verbatim(options, { ...result, prompt }, prompt)
          return
        }
        const style = {
          paint: context.paint,
          columns: context.columns,
          full: options.full === true,
          why: options.why === true,
        }
        await context.result(options, result, renderRecall(result, style))
      })
    })
}

function recallOptionsOf(options: RecallCommandOptions, signal: AbortSignal): RecallOptions {
  if (options.tagStrict === true && options.tag === undefined && options.tagAll === undefined)
    throw new ProlepsisError('INVALID_ARGUMENT', '--tag-strict alone leaves nothing out.', {
      hint: 'Give --tag or --tag-all with it.',
    })
  const { limit, mode, fusion, expand, where, source, minTrust, formulator, rerank } = options
  const hasTags = options.tag !== undefined || options.tagAll !== undefined || options.tagNone !== undefined
  const tags = hasTags
    ? defined({ any: options.tag, all: options.tagAll, none: options.tagNone, strict: options.tagStrict })
    : undefined
  const during =
    options.from === undefined && options.to === undefined
      ? undefined
      : defined({ from: options.from, to: options.to })
  return {
    ...defined({
      limit,
      mode,
      fusion,
      expand,
      where,
      source,
      minTrust,
      formulator,
      rerank: typeof rerank === 'number' ? { top: rerank } : rerank,
      tags,
      during,
      asOf: options.asOf,
      tokenBudget: options.budget,
      weights: options.weight,
      people: options.person,
    }),
    receipt: options.receipt,
    signal,
  }
}

async function readQuery(query: string | undefined, { io }: CliContext): Promise<string> {
  if (query !== undefined && query !== '-') return query
  if (query === undefined && isTerminal(io.stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'There is no question.', {
      hint: 'Give it as an argument or on standard input.',
    })
  }
  return decodeUtf8(
    await readAll(io.stdin, 'Standard input', LARGEST_QUERY_BYTES, io.signal),
    'Standard input',
  ).trim()
}

async function readHistory(path: string, { io }: CliContext): Promise<readonly HistoryMessage[]> {
  const messages: HistoryMessage[] = []
  let number = 0
  for await (const line of readFileLines(path, io)) {
    number += 1
    // recall validates each message
    if (line.trim() !== '') messages.push(parseJsonLine(line, `Line ${number} of ${path}`) as HistoryMessage)
  }
  return messages
}
