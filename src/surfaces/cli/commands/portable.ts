import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { ProlepsisError } from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { write } from '../io.ts'
import { createProgressBar } from '../progress.ts'
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
          for await (const line of memory.export()) await write(context.io.stdout, `${line}\n`)
          return
        }
        const path = resolve(context.io.cwd, file)
        const count = await writeWhole(path, memory.export())
        await context.result(options, { file: path, lines: count }, `Exported ${count} lines to ${file}.`)
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
      const input =
        file === undefined || file === '-'
          ? context.io.stdin
          : createReadStream(resolve(context.io.cwd, file))
      const failed = new Promise<never>((_, reject) => {
        input.on('error', (error) =>
          reject(
            new ProlepsisError('UNREADABLE_FILE', `${file ?? 'Standard input'} cannot be read.`, {
              cause: error,
              hint: error.message,
            }),
          ),
        )
      })
      failed.catch(() => {})
      const bar = createProgressBar(context.io, 'import')
      const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
      const result = await context.withMemory(options, async (memory) => {
        try {
          const done = memory.import(lines, {
            signal: context.io.signal,
            onProgress: (count) => bar.update(count, count, ''),
          })
          return await Promise.race([done, failed])
        } finally {
          bar.stop()
        }
      })
      await context.result(
        options,
        result,
        `Imported ${result.documents} documents (${result.unchanged} were there already), ${result.chunks} chunks.`,
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
      const { restoreBackup } = await import('../../../index.ts')
      const { settings } = await import('../../../config/resolve.ts').then(({ resolveSettings }) => ({
        settings: resolveSettings(options.dataDir === undefined ? {} : { dataDir: options.dataDir }).settings,
      }))
      await restoreBackup(resolve(context.io.cwd, file), settings.dataDir)
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
    await pipeline(Readable.from(counted()), createWriteStream(partial))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return count
}
