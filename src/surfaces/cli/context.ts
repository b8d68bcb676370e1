import type { Command } from 'commander'
import type { Memory } from '../../index.ts'
import { type CliIo, isTerminal, write } from './io.ts'
import { createPaint, type Paint } from './render/paint.ts'

/** Options that every command has. */
export interface CommonOptions {
  readonly json?: boolean
  readonly bank?: string
  readonly dataDir?: string
  readonly databaseUrl?: string
}

/** What a command works with. */
export interface CliContext {
  readonly io: CliIo
  readonly paint: Paint
  /** Opens the store that options, environment and configuration files name, and closes it after `work`. */
  withMemory<T>(options: CommonOptions, work: (memory: Memory) => Promise<T>): Promise<T>
  /** The result: a line of text, or under --json one object on a line. */
  result(options: CommonOptions, object: unknown, text: string): Promise<void>
  /** Something for the person, never part of the result. */
  note(text: string): Promise<void>
}

export function createContext(io: CliIo): CliContext {
  const paint = createPaint(io.color ?? isTerminal(io.stdout))
  return {
    io,
    paint,
    withMemory: async (options, work) => {
      const { openForCommand } = await import('./open.ts')
      const memory = await openForCommand(options, io)
      try {
        return await work(memory)
      } finally {
        await memory.close()
      }
    },
    result: (options, object, text) =>
      write(io.stdout, `${options.json === true ? JSON.stringify(object) : text}\n`),
    note: (text) => write(io.stderr, `${text}\n`),
  }
}

/** A subcommand with the common options and an example in its help. */
export function command(parent: Command, name: string, summary: string, example: string): Command {
  return parent
    .command(name)
    .description(summary)
    .option('--json', 'machine-readable result on standard output')
    .option('--bank <name>', 'bank to work on')
    .option('--data-dir <folder>', 'folder of the embedded store')
    .option('--database-url <url>', 'PostgreSQL server instead of the embedded store')
    .addHelpText('after', `\nExample:\n  $ ${example}`)
}
