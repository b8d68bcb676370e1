import type { Command } from 'commander'
import type { Document } from '../../../index.ts'
import { ProlepsisError } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { defined, positiveNumber } from '../options.ts'
import { printable } from '../render/printable.ts'
import { bytes, day, table } from '../render/table.ts'

interface ListOptions extends CommonOptions {
  readonly prefix?: string
  readonly tag?: string
  readonly state?: Document['state']
  readonly limit: number
  readonly after?: string
}

export function registerDocuments(program: Command, context: CliContext): void {
  const documents = program.command('documents').description('what the bank holds')

  const list = command(
    documents,
    'list',
    'list documents by source',
    'prolepsis documents list --prefix docs/',
  )
    .option('--prefix <prefix>', 'sources that begin with this')
    .option('--tag <tag>', 'documents with this tag')
    .option('--limit <n>', 'most documents', positiveNumber, 100)
    .option('--after <source>', 'go on after this source')
  list
    .addOption(
      list.createOption('--state <state>', 'which versions').choices(['current', 'superseded', 'deleted']),
    )
    .action(async (options: ListOptions) => {
      const { prefix, tag, state, limit, after } = options
      const found = await context.withMemory(options, (memory) =>
        memory.documents({ ...defined({ sourcePrefix: prefix, tag, state, after }), limit }),
      )
      await context.result(options, { documents: found }, renderDocuments(found))
    })

  command(documents, 'show', 'print the whole text at a source', 'prolepsis documents show kelly.md')
    .argument('<source>')
    .option('--version <n>', 'an earlier version', positiveNumber)
    .option('--as-of <time>', 'as it stood at this time, ISO 8601')
    .action(async (source: string, options: CommonOptions & { version?: number; asOf?: string }) => {
      const found = await context.withMemory(options, (memory) =>
        memory.document(source, defined({ version: options.version, asOf: options.asOf })),
      )
      if (found === null) throw missing(source)
      await context.verbatim(options, found, found.text)
    })

  command(
    documents,
    'versions',
    'list the versions at a source, newest first',
    'prolepsis documents versions kelly.md',
  )
    .argument('<source>')
    .action(async (source: string, options: CommonOptions) => {
      const versions = await context.withMemory(options, (memory) => memory.versions(source))
      if (versions.length === 0) throw missing(source)
      await context.result(options, { versions }, renderDocuments(versions))
    })
}

export function missing(source: string): ProlepsisError {
  return new ProlepsisError('NOT_FOUND', `There is no document at ${source} in this bank.`, {
    hint: 'prolepsis documents list shows the sources.',
  })
}

function renderDocuments(documents: readonly Document[]): string {
  if (documents.length === 0) return 'None.'
  const rows = documents.map((document) => [
    printable(document.source),
    document.version,
    document.state,
    document.format,
    document.chunkCount,
    bytes(document.byteLength),
    day(document.occurredAt),
    day(document.retainedAt),
    printable(document.tags.join(', ')),
  ])
  return table(
    ['source', 'version', 'state', 'format', 'chunks', 'size', 'occurred', 'retained', 'tags'],
    rows,
  )
}
