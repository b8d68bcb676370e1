import type { Command } from 'commander'
import type { Memory } from '../../index.ts'
import { type CliIo, isTerminal, write } from './io.ts'
import { createPaint, type Paint } from './render/paint.ts'
import { jsonLine, printable } from './render/printable.ts'

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
  /** Characters a line of a terminal has; null elsewhere, where nothing is wrapped or cut. */
  readonly columns: number | null
  /** Opens the store that options, environment and configuration files name, and closes it after `work`. */
  withMemory<T>(options: CommonOptions, work: (memory: Memory) => Promise<T>): Promise<T>
  /** The result: a text, or under --json one object on a line. */
  result(options: CommonOptions, object: unknown, text: string): Promise<void>
  /** Stored text as the result: verbatim into a pipe, made visible on a terminal. */
  verbatim(options: CommonOptions, object: unknown, text: string): Promise<void>
  /** Something for the person, never part of the result. */
  note(text: string): Promise<void>
  /** Part of the work failed; the result says what. The command goes on, and ends with exit code 1. */
  failed(message: string, hint: string): Promise<void>
  readonly hasFailed: () => boolean
}

export function createContext(io: CliIo): CliContext {
  let hasFailed = false
  const onTerminal = isTerminal(io.stdout)
  const result = (options: CommonOptions, object: unknown, text: string): Promise<void> =>
    write(io.stdout, `${options.json === true ? jsonLine(object, onTerminal) : text}\n`)
  const note = (text: string): Promise<void> => write(io.stderr, `${text}\n`)
  return {
    io,
    paint: createPaint(io.color ?? onTerminal),
    columns: onTerminal ? (io.stdout.columns ?? 80) : null,
    withMemory: async (options, work) => {
      const { openForCommand } = await import('./open.ts')
      const memory = await openForCommand(options, io)
      try {
        return await work(memory)
      } finally {
        await memory.close({ signal: io.signal })
      }
    },
    result,
    verbatim: (options, object, text) => result(options, object, onTerminal ? printable(text) : text),
    note,
    failed: (message, hint) => {
      hasFailed = true
      return note(`error: ${printable(message)}\n  ${printable(hint)}`)
    },
    hasFailed: () => hasFailed,
  }
}

/** A subcommand with the common options and an example in its help. */
export function command(
  parent: Command,
  name: string,
  summary: string,
  example: string,
  how: { readonly isDefault?: boolean } = {},
): Command {
  return parent
    .command(name, how)
    .description(summary)
    .option('--json', 'machine-readable result on standard output')
    .option('--bank <name>', 'bank to work on')
    .option('--data-dir <folder>', 'folder of the embedded store')
    .option('--database-url <url>', 'PostgreSQL server instead of the embedded store')
    .addHelpText('after', `\nExample:\n  $ ${example}`)
}
