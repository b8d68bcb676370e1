import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { errorCodeOf } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { fileError } from '../files.ts'

export function registerInit(program: Command, context: CliContext): void {
  command(
    program,
    'init',
    'make a .prolepsis/ folder here, so that this project has a memory of its own',
    'prolepsis init',
  ).action(async (options: CommonOptions) => {
    const server = options.databaseUrl !== undefined
    const dataDir = options.dataDir ?? (server ? undefined : join(context.io.cwd, '.prolepsis'))
    if (dataDir !== undefined) await makeFolder(resolve(context.io.cwd, dataDir), dataDir)
    const where = dataDir === undefined ? options : { ...options, dataDir }
    await context.withMemory(where, async (memory) => {
      if ((await memory.banks.info(memory.name)) === null) await memory.banks.create(memory.name)
      const stats = await memory.stats()
      const place = dataDir ?? 'the server'
      await context.result(
        options,
        { place, bank: stats.bank },
        `Memory is ready in ${place}, bank ${memory.name}.\nNext: prolepsis index . ; prolepsis recall "your question"`,
      )
    })
  })
}

/** With a `.gitignore` of its own: a store is no source. */
async function makeFolder(path: string, name: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw fileError(error, name)
  }
  try {
    // one that is there stays: the folder may be somebody's project
    await writeFile(join(path, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw fileError(error, name)
  }
}
