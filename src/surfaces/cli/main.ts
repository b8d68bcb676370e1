import { CommanderError } from 'commander'
import { isProlepsisError, ProlepsisError } from '../schema/names.ts'
import { createContext } from './context.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { type CliIo, isTerminal, write } from './io.ts'
import { withLeadingOptionsMoved } from './leading-options.ts'
import { inWordsOfCommands } from './option-names.ts'
import { createProgram } from './program.ts'
import { jsonLine, printable } from './render/printable.ts'

/**
 * Runs one command line. Results go to `io.stdout`, everything else to `io.stderr`.
 * @returns the exit code: 0 done, 1 failed, 2 wrong use, 3 not found, 130 interrupted
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const pending: Promise<void>[] = []
  const context = createContext(io)
  const program = createProgram(context, {
    writeOut: (text) => void pending.push(write(io.stdout, text)),
    writeErr: (text) => void pending.push(write(io.stderr, text)),
  })
  try {
    try {
      if (args.length === 0) program.outputHelp()
      else await program.parseAsync([...withLeadingOptionsMoved(args, program)], { from: 'user' })
    } finally {
      await Promise.all(pending)
    }
    return context.hasFailed() ? EXIT.failed : EXIT.done
  } catch (error) {
    return await report(error, args.includes('--json'), io)
  }
}

async function report(error: unknown, json: boolean, io: CliIo): Promise<number> {
  // help and version were asked for; help that was not, commander has printed where no subcommand was given
  if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help'))
    return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse
  const known = knownError(error, io)
  const text =
    known === null
      ? renderUnexpected(error, json, io)
      : json
        ? errorLine(known.toJSON(), io)
        : renderError(known)
  // where standard error cannot be written either, the exit code alone tells
  await write(io.stderr, text).catch(() => undefined)
  return known === null ? EXIT.failed : exitCodeOf(known.code)
}

function knownError(error: unknown, io: CliIo): ProlepsisError | null {
  if (error instanceof CommanderError) return wrongUse(error)
  if (isProlepsisError(error)) return inWordsOfCommands(error)
  return io.signal.aborted ? new ProlepsisError('CANCELLED', 'Interrupted.', { cause: error }) : null
}

/** `error: unknown option '--limt'\n(Did you mean --limit?)` as one of our errors. */
function wrongUse(error: CommanderError): ProlepsisError {
  const [first = '', ...rest] = error.message.split('\n')
  const hints = [
    ...rest.map((line) => line.replaceAll(/^\(|\)$/g, '')),
    'Add --help for the options and an example.',
  ]
  const code = error.code === 'commander.unknownOption' ? 'UNKNOWN_OPTION' : 'INVALID_ARGUMENT'
  const message = first.replace(/^error: /, '')
  return new ProlepsisError(code, `${message.charAt(0).toUpperCase()}${message.slice(1)}`, {
    hint: hints.filter((line) => line.trim() !== '').join(' '),
  })
}

function renderError(error: ProlepsisError): string {
  const hint = error.hint === undefined ? '' : `  ${printable(error.hint)}\n`
  return `error: ${printable(error.message)}\n${hint}  (${error.code})\n`
}

function errorLine(error: Readonly<Record<string, unknown>>, io: CliIo): string {
  return `${jsonLine({ error }, isTerminal(io.stderr))}\n`
}

function renderUnexpected(error: unknown, json: boolean, io: CliIo): string {
  const message = error instanceof Error ? error.message : String(error)
  const hint = 'Set PROLEPSIS_DEBUG=1 for the stack, and report it.'
  if (json) return errorLine({ code: 'UNEXPECTED', message, hint, retryable: false }, io)
  if (io.debug === true)
    return `error: ${printable(error instanceof Error ? (error.stack ?? message) : message)}\n`
  return `error: Unexpected: ${printable(message.split('\n')[0] ?? '')}\n  ${hint}\n`
}
