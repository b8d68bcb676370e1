import type { Command } from 'commander'
import type { Passage } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { positiveNumber, wholeNumber } from '../options.ts'
import { type PassageStyle, renderPassage } from '../render/passages.ts'

export function registerRefs(program: Command, context: CliContext): void {
  const style: PassageStyle = { paint: context.paint, columns: context.columns, full: true, why: false }
  command(program, 'get', 'show a chunk by its ref', 'prolepsis get kelly.md#1')
    .argument('<ref>')
    .action(async (ref: string, options: CommonOptions) => {
      const passage = await context.withMemory(options, (memory) => memory.get(ref))
      if (passage === null) throw notFound(ref)
      await context.result(options, passage, renderPassage(passage, style, null))
    })

  command(
    program,
    'neighbours',
    'show the chunks before and after a ref',
    'prolepsis neighbours notes.md#4 --before 2 --after 2',
  )
    .alias('neighbors')
    .argument('<ref>')
    .option('--before <n>', 'chunks before', wholeNumber, 1)
    .option('--after <n>', 'chunks after', wholeNumber, 1)
    .action(async (ref: string, options: CommonOptions & { before: number; after: number }) => {
      await list(options, (memory) =>
        memory.neighbours(ref, { before: options.before, after: options.after }),
      )
    })

  command(program, 'similar', 'show the chunks most like a ref', 'prolepsis similar notes.md#4 --limit 5')
    .argument('<ref>')
    .option('--limit <n>', 'most chunks', positiveNumber, 10)
    .action(async (ref: string, options: CommonOptions & { limit: number }) => {
      await list(options, (memory) => memory.similar(ref, { limit: options.limit }))
    })

  async function list(
    options: CommonOptions,
    find: Parameters<typeof context.withMemory<readonly Passage[]>>[1],
  ): Promise<void> {
    const passages = await context.withMemory(options, find)
    const text = passages.map((passage) => renderPassage(passage, style, null)).join('\n\n')
    await context.result(options, { passages }, text === '' ? 'None.' : text)
  }
}

export function notFound(ref: string): ProlepsisError {
  return new ProlepsisError('NOT_FOUND', `There is no ${ref} in this bank.`, {
    hint: 'Refs look like source#3; prolepsis documents list shows the sources.',
  })
}
