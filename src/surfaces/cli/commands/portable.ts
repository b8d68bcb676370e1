import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { fileError, readFileLines } from '../files.ts'
import { isTerminal, write } from '../io.ts'
import { defined } from '../options.ts'
import { createProgressBar } from '../progress.ts'
import { counted } from '../render/layout.ts'
import { visibleJson } from '../render/printable.ts'
import { bytes } from '../render/table.ts'

export function registerPortable(program: Command, context: CliContext): void {
  command(
    program,
    'export',
    'write the bank as JSON lines, to a file or standard output',
    'prolepsis export bank.jsonl',
  )
    .argument('[file]', '- or nothing writes to standard output')
    .action(async (file: string | undefined, options: CommonOptions) => {
      await context.withMemory(options, async (memory) => {
        if (file === undefined || file === '-') {
          const { stdout } = context.io
          const show = isTerminal(stdout) ? visibleJson : (line: string): string => line
          for await (const line of memory.export()) await write(stdout, `${show(line)}\n`)
          return
        }
        const path = resolve(context.io.cwd, file)
        const count = await writeWhole(path, memory.export())
        await context.result(
          options,
          { file: path, lines: count },
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
    .action(async (file: string | undefined, options: CommonOptions) => {
      const bar = await createProgressBar(context.io, 'import')
      const result = await context.withMemory(options, async (memory) => {
        try {
          return await memory.import(readFileLines(file, context.io), {
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

/** Writes beside the target and renames, so that an interrupted export leaves no half file. */
async function writeWhole(path: string, lines: AsyncIterable<string>): Promise<number> {
  const partial = `${path}.partial`
  let count = 0
  async function* counted(): AsyncGenerator<string> {
    for await (const line of lines) {
      count += 1
      yield `${line}\n`
    }
  }
  try {
    await pipeline(Readable.from(counted()), createWriteStream(partial, { mode: 0o600 }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw fileError(error, path)
  }
  return count
}
