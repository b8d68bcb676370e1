import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  type Channel,
  FUSIONS,
  type Fusion,
  type HistoryMessage,
  ProlepsisError,
  RECALL_MODES,
  type RecallMode,
  type RecallOptions,
  TRUST_LEVELS,
  type Trust,
} from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { isTerminal, readAll } from '../io.ts'
import { channelWeight, collect, defined, keyValue, positiveNumber, wholeNumber } from '../options.ts'
import { renderRecall } from '../render/passages.ts'

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
  readonly why?: boolean
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
    .option('--weight <channel=number>', 'multiply a channel’s weight, repeatable', channelWeight)
    .option('--expand <n>', 'neighbouring chunks on each side, where the budget allows', wholeNumber)
    .option('--tag <tag>', 'documents with one of these tags, repeatable', collect)
    .option('--tag-all <tag>', 'documents with every one of these tags, repeatable', collect)
    .option('--tag-none <tag>', 'documents with none of these tags, repeatable', collect)
    .option('--tag-strict', 'leave out documents without any tag')
    .option('--where <key=value>', 'metadata that must be there, repeatable', keyValue)
    .option('--from <time>', 'what happened at or after this time, ISO 8601')
    .option('--to <time>', 'what happened before this time, ISO 8601')
    .option('--as-of <time>', 'as memory stood at this time, ISO 8601')
    .option('--source <prefix>', 'sources that begin with this')
    .option('--person <name>', 'who speaks or is named, repeatable', collect)
    .option('--history <file>', 'the conversation before, JSON lines of {"role", "content"}')
    .option('--query <question>', 'a stand-alone question to ask beside the message, repeatable', collect)
    .option('--why', 'every score part of each passage')
    .option('--prompt', 'print the block to put in a prompt')
    .option('--no-receipt', 'write no receipt')
  recall
    .addOption(recall.createOption('--mode <mode>', 'which channels').choices(RECALL_MODES))
    .addOption(recall.createOption('--fusion <fusion>', 'how channels are joined').choices(FUSIONS))
    .addOption(recall.createOption('--min-trust <level>', 'least trust').choices(TRUST_LEVELS))
    .action(async (query: string | undefined, options: RecallCommandOptions) => {
      const message = await readQuery(query, context)
      const history =
        options.history === undefined
          ? undefined
          : await readHistory(resolve(context.io.cwd, options.history))
      await context.withMemory(options, async (memory) => {
        const result = await memory.recall(
          { message, ...defined({ history, queries: options.query }) },
          recallOptionsOf(options, context.io.signal),
        )
        const text =
          options.prompt === true ? String(result) : renderRecall(result, context.paint, options.why === true)
        await context.result(options, result, text)
      })
    })
}

function recallOptionsOf(options: RecallCommandOptions, signal: AbortSignal): RecallOptions {
  const { limit, mode, fusion, expand, where, source, minTrust } = options
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

async function readQuery(query: string | undefined, context: CliContext): Promise<string> {
  if (query !== undefined && query !== '-') return query
  if (query === undefined && isTerminal(context.io.stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'There is no question.', {
      hint: 'Give it as an argument or on standard input.',
    })
  }
  return Buffer.from(await readAll(context.io.stdin))
    .toString('utf8')
    .trim()
}

async function readHistory(path: string): Promise<readonly HistoryMessage[]> {
  try {
    const text = await readFile(path, 'utf8')
    return (
      text
        .split('\n')
        .filter((line) => line.trim() !== '')
        // recall validates each message.
        .map((line) => JSON.parse(line) as HistoryMessage)
    )
  } catch (error) {
    throw new ProlepsisError('UNREADABLE_FILE', `The history ${path} cannot be read.`, {
      cause: error,
      hint: 'It is JSON lines, each {"role": "user" or "assistant", "content": "…"}.',
    })
  }
}
