import { Command, CommanderError } from 'commander'
import { isProlepsisError, type ProlepsisError } from '../../index.ts'
import { registerBank } from './commands/bank.ts'
import { registerCare } from './commands/care.ts'
import { registerCompletions } from './commands/completions.ts'
import { registerConfig } from './commands/config.ts'
import { registerDocuments } from './commands/documents.ts'
import { registerForget } from './commands/forget.ts'
import { registerIndex } from './commands/index-folder.ts'
import { registerInit } from './commands/init.ts'
import { registerPortable } from './commands/portable.ts'
import { registerRecall } from './commands/recall.ts'
import { registerReceipts } from './commands/receipts.ts'
import { registerRefs } from './commands/refs.ts'
import { registerRetain } from './commands/retain.ts'
import { createContext } from './context.ts'
import { EXIT, exitCodeOf } from './exit-codes.ts'
import { type CliIo, write } from './io.ts'
import { packageVersion } from './version.ts'

/**
 * Runs one command line. Results go to `io.stdout`, everything else to `io.stderr`.
 * @returns the exit code: 0 done, 1 failed, 2 wrong use, 3 not found, 130 interrupted
 */
export async function main(args: readonly string[], io: CliIo): Promise<number> {
  const pending: Promise<void>[] = []
  const program = new Command('prolepsis')
    .description('Memory for LLM agents: retains text verbatim and recalls it by the questions it answers.')
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(add --help for the options and an example)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void pending.push(write(io.stdout, text)),
      writeErr: (text) => void pending.push(write(io.stderr, text)),
    })
  const context = createContext(io)
  registerInit(program, context)
  registerRetain(program, context)
  registerIndex(program, context)
  registerRecall(program, context)
  registerRefs(program, context)
  registerReceipts(program, context)
  registerDocuments(program, context)
  registerForget(program, context)
  registerBank(program, context)
  registerPortable(program, context)
  registerCare(program, context)
  registerConfig(program, context)
  registerCompletions(program)
  for (const subcommand of descendants(program)) {
    subcommand
      .exitOverride()
      .configureOutput(program.configureOutput())
      .showHelpAfterError('(add --help for the options and an example)')
  }

  try {
    if (args.length === 0) {
      program.outputHelp()
      return EXIT.done
    }
    await program.parseAsync([...args], { from: 'user' })
    return EXIT.done
  } catch (error) {
    return await report(error, args.includes('--json'), io)
  } finally {
    await Promise.all(pending)
  }
}

async function report(error: unknown, json: boolean, io: CliIo): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.wrongUse
  if (isProlepsisError(error)) {
    await write(io.stderr, `${json ? JSON.stringify({ error: error.toJSON() }) : renderError(error)}\n`)
    return exitCodeOf(error.code)
  }
  if (io.signal.aborted) {
    await write(io.stderr, 'Interrupted.\n')
    return EXIT.interrupted
  }
  throw error
}

function renderError(error: ProlepsisError): string {
  return [
    `error: ${error.message}`,
    ...(error.hint === undefined ? [] : [`  ${error.hint}`]),
    `  (${error.code})`,
  ].join('\n')
}

function descendants(parent: Command): Command[] {
  return parent.commands.flatMap((child) => [child, ...descendants(child)])
}
