import type { Command } from 'commander'
import type { Channel, FormulatorChoice, Fusion, RecallMode, RecallOptions } from '../../../index.ts'
import { CHANNELS, FORMULATOR_CHOICES, FUSIONS, RECALL_MODES } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { addFilterOptions, type FilterCommandOptions, filterOf } from '../filter-options.ts'
import { channelWeight, collect, defined, positiveNumber, wholeNumber } from '../options.ts'
import { readHistory, readQuestion } from '../read-question.ts'
import { renderRecall } from '../render/passages.ts'

interface RecallCommandOptions extends CommonOptions, FilterCommandOptions {
  readonly limit?: number
  readonly budget?: number
  readonly mode?: RecallMode
  readonly fusion?: Fusion
  readonly weight?: Partial<Readonly<Record<Channel, number>>>
  readonly expand?: number
  readonly history?: string
  readonly query?: readonly string[]
  readonly formulator?: FormulatorChoice
  readonly rerank?: boolean
  readonly rerankTop?: number
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
  addFilterOptions(recall)
    .option('--history <file>', 'the conversation before, JSON lines of {"role", "content"}')
    .option('--query <question>', 'a stand-alone question to ask beside the message, repeatable', collect)
    .option('--rerank', 'let the reranking model order the best 30 anew')
    .option('--rerank-top <n>', 'let it order so many of the best', positiveNumber)
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
    .action(async (query: string | undefined, options: RecallCommandOptions) => {
      const recallOptions = recallOptionsOf(options, context.io.signal)
      const message = await readQuestion(query, context)
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
  const { limit, mode, fusion, expand, formulator, rerank, rerankTop } = options
  return {
    ...filterOf(options),
    ...defined({
      limit,
      mode,
      fusion,
      expand,
      formulator,
      rerank: rerankTop === undefined ? rerank : { top: rerankTop },
      tokenBudget: options.budget,
      weights: options.weight,
    }),
    receipt: options.receipt,
    signal,
  }
}
