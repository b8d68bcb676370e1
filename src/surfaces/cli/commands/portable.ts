import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { readFileLines } from '../files.ts'
import { isTerminal, write } from '../io.ts'
import { defined } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { counted } from '../render/layout.ts'
import { visibleJson } from '../render/printable.ts'
import { bytes } from '../render/table.ts'
import { writeLines } from '../write-target.ts'

export function registerPortable(program: Command, context: CliContext): void {
  command(
    program,
    'export',
    'write the bank as JSON lines, to a file or standard output',
    'prolepsis export bank.jsonl',
  )
    .argument('[file]', 'a new file; - or nothing writes to standard output')
    .option('--force', 'replace the file when it exists')
    .action(async (file: string | undefined, options: CommonOptions & { readonly force?: boolean }) => {
      await context.withMemory(options, async (memory) => {
        if (file === undefined || file === '-' || isStandardOutput(file)) {
          const { stdout } = context.io
          const show = isTerminal(stdout) ? visibleJson : (line: string): string => line
          for await (const line of memory.export()) await write(stdout, `${show(line)}\n`)
          return
        }
        const count = await writeLines(file, memory.export(), context.io, options.force === true)
        await context.result(
          options,
          { file: resolve(context.io.cwd, file), lines: count },
          `Exported ${counted(count, 'line')} to ${file}.`,
        )
      })
    })

  command(
    program,
    'import',
    'read an export back; documents that are there already stay as they are',
    'prolepsis import bank.jsonl --bank copy',
  )
    .argument('[file]', '- or nothing reads standard input')
    .option('--enrich', 'let the language model write questions of texts that come with none')
    .action(async (file: string | undefined, options: CommonOptions & { readonly enrich?: boolean }) => {
      const bar = await createProgressBar(context.io, 'import')
      const result = await context.withMemory(options, async (memory) => {
        try {
          return await memory.import(readFileLines(file, context.io), {
            enrich: options.enrich === true,
            signal: context.io.signal,
            onProgress: (count) => bar.update(count, count, ''),
          })
        } finally {
          bar.stop()
        }
      })
      await context.result(
        options,
        result,
        `Imported ${counted(result.documents, 'document')} (${result.unchanged} ${result.unchanged === 1 ? 'was' : 'were'} there already), ${counted(result.chunks, 'chunk')}.`,
      )
    })

  command(program, 'backup', 'copy the whole embedded store to a file', 'prolepsis backup memory.tar.gz')
    .argument('<file>')
    .action(async (file: string, options: CommonOptions) => {
      const result = await context.withMemory(options, (memory) =>
        memory.backup(resolve(context.io.cwd, file)),
      )
      await context.result(options, { file, ...result }, `Backed up to ${file}, ${bytes(result.bytes)}.`)
    })

  command(
    program,
    'restore',
    'make a store from a backup, in an empty folder',
    'prolepsis restore memory.tar.gz --data-dir ./restored',
  )
    .argument('<file>')
    .action(async (file: string, options: CommonOptions) => {
      const [{ restoreBackup }, { resolveSettings }, { processContext }] = await Promise.all([
        import('../../../index.ts'),
        import('../../../config/resolve.ts'),
        import('../../../config/sources.ts'),
      ])
      const { cwd } = context.io
      const { settings } = resolveSettings(defined({ dataDir: options.dataDir }), processContext(cwd))
      await restoreBackup(resolve(cwd, file), settings.dataDir)
      await context.result(options, { dataDir: settings.dataDir }, `Restored to ${settings.dataDir}.`)
    })
}

/** By its names in the file system, which need not lead to what can be opened. */
const isStandardOutput = (file: string): boolean => /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/.test(file)
