import type { Command } from 'commander'
import type { ForgetSelector } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { isConfirmed } from '../confirm.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { counted } from '../render/layout.ts'
import { missing } from './documents.ts'

interface ForgetOptions extends CommonOptions {
  readonly ref?: string
  readonly source?: string
  readonly prefix?: string
  readonly tag?: string
  readonly all?: boolean
  readonly yes?: boolean
}

export function registerForget(program: Command, context: CliContext): void {
  command(
    program,
    'forget',
    'remove for good: text, cues, vectors, words, receipts’ passages; every version',
    'prolepsis forget --source kelly.md',
  )
    .option('--ref <ref>', 'the one chunk of this ref, in every version of its source')
    .option('--source <source>', 'the document at this source')
    .option('--prefix <prefix>', 'documents whose source begins with this')
    .option('--tag <tag>', 'documents with this tag')
    .option('--all', 'everything in the bank')
    .option('--yes', 'do not ask')
    .action(async (options: ForgetOptions) => {
      const selector = selectorOf(options)
      if (options.yes !== true && ('all' in selector || 'sourcePrefix' in selector || 'tag' in selector))
        await confirm(context)
      const result = await context.withMemory(options, (memory) => memory.forget(selector))
      if (result.documents === 0 && result.chunks === 0 && !('all' in selector))
        throw new ProlepsisError('NOT_FOUND', 'Nothing matches, so nothing was forgotten.', {
          hint: 'prolepsis documents list shows what the bank holds.',
        })
      await context.result(
        options,
        result,
        `Forgot ${counted(result.documents, 'document')}, ${counted(result.chunks, 'chunk')}.`,
      )
    })

  command(
    program,
    'remove',
    'mark a source as deleted: it leaves recall, its history stays',
    'prolepsis remove kelly.md',
  )
    .argument('<source>')
    .action(async (source: string, options: CommonOptions) => {
      if (!(await context.withMemory(options, (memory) => memory.remove(source)))) throw missing(source)
      await context.result(
        options,
        { source, removed: true },
        `Removed ${source}; --as-of an earlier time still finds it.`,
      )
    })
}

function selectorOf(options: ForgetOptions): ForgetSelector {
  const given: ForgetSelector[] = [
    ...(options.ref === undefined ? [] : [{ ref: options.ref }]),
    ...(options.source === undefined ? [] : [{ source: options.source }]),
    ...(options.prefix === undefined ? [] : [{ sourcePrefix: options.prefix }]),
    ...(options.tag === undefined ? [] : [{ tag: options.tag }]),
    ...(options.all === true ? [{ all: true } as const] : []),
  ]
  const [selector] = given
  if (selector === undefined || given.length > 1) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'Say what to forget with exactly one option.', {
      hint: '--ref, --source, --prefix, --tag or --all.',
    })
  }
  return selector
}

async function confirm(context: CliContext): Promise<void> {
  const question = 'This cannot be undone. Forget?'
  if (await isConfirmed(context, question, 'This may forget many documents.')) return
  throw new ProlepsisError('CANCELLED', 'Nothing was forgotten.')
}
