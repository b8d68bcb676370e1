import type { Command } from 'commander'
import type { Memory, TraceEvent, TraceType } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { isTerminal, write } from '../io.ts'
import { collect, defined, positiveNumber } from '../options.ts'
import { jsonLine } from '../render/printable.ts'
import { eventLine, exchangeText } from '../render/trace-events.ts'

interface TailOptions extends CommonOptions {
  /** Checked by the library. */
  readonly type?: readonly TraceType[]
  readonly limit?: number
  readonly after?: string
  readonly follow?: boolean
}

export function registerEvents(program: Command, context: CliContext): void {
  const events = program
    .command('events')
    .description('the trace: what was retained, recalled, asked of models, answered, done behind, swept')

  command(events, 'tail', 'the last events of the bank, and those to come', 'prolepsis events tail --follow')
    .option(
      '--type <type>',
      'retain, recall, formulate, model-call, answer, job or sweep; repeatable; all unless given',
      collect,
    )
    .option('--limit <n>', 'most events, 50 unless given', positiveNumber)
    .option('--after <event>', 'the first events after this one, in place of the last of all')
    .option('--follow', 'go on with every event as it comes, of other processes too, until interrupted')
    .action(async (options: TailOptions) => {
      await context.withMemory(options, async (memory) => {
        const tail = defined({ types: options.type, limit: options.limit, after: options.after })
        const shown = await memory.events.tail(tail)
        await print(shown, options, context)
        if (options.follow === true) await follow(memory, shown.at(-1)?.eventId, options, context)
      })
    })

  command(
    events,
    'show',
    'one exchange with all that came of it: questions, model calls with prompts and replies, answer, jobs',
    'prolepsis events show 0199…',
  )
    .argument('<id>', 'a trace id, as the tail shows it, or a receipt')
    .action(async (id: string, options: CommonOptions) => {
      const exchange = await context.withMemory(options, (memory) => memory.events.trace(id))
      if (exchange === null) {
        throw new ProlepsisError('NOT_FOUND', `The trace has no "${id.slice(0, 80)}".`, {
          hint: 'It may be older than trace_days, or the trace was off; `prolepsis events tail` shows what there is.',
        })
      }
      await context.result(options, exchange, exchangeText(exchange, context.paint))
    })
}

async function follow(
  memory: Memory,
  last: string | undefined,
  options: TailOptions,
  context: CliContext,
): Promise<void> {
  const after = last ?? options.after
  const following = memory.events.follow({
    ...defined({ types: options.type, after }),
    signal: context.io.signal,
  })
  for await (const event of following) await print([event], options, context)
}

/** One event a line. */
async function print(
  events: readonly TraceEvent[],
  options: CommonOptions,
  { io, paint }: CliContext,
): Promise<void> {
  const onTerminal = isTerminal(io.stdout)
  for (const event of events) {
    const line = options.json === true ? jsonLine(event, onTerminal) : eventLine(event, paint)
    await write(io.stdout, `${line}\n`)
  }
}
