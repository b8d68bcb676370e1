import { Command } from 'commander'
import { registerAsk } from './commands/ask.ts'
import { registerBank } from './commands/bank.ts'
import { registerCare } from './commands/care.ts'
import { registerCompletions } from './commands/completions.ts'
import { registerConfig } from './commands/config.ts'
import { registerDocuments } from './commands/documents.ts'
import { registerEmbedder } from './commands/embedder.ts'
import { registerEval } from './commands/eval.ts'
import { registerEvents } from './commands/events.ts'
import { registerForget } from './commands/forget.ts'
import { registerIndex } from './commands/index-folder.ts'
import { registerInit } from './commands/init.ts'
import { registerJobs } from './commands/jobs.ts'
import { registerPortable } from './commands/portable.ts'
import { registerQuestions } from './commands/questions.ts'
import { registerRecall } from './commands/recall.ts'
import { registerReceipts } from './commands/receipts.ts'
import { registerRefs } from './commands/refs.ts'
import { registerRetain } from './commands/retain.ts'
import { registerSweep } from './commands/sweep.ts'
import { registerWork } from './commands/work.ts'
import type { CliContext } from './context.ts'
import { packageVersion } from './version.ts'

/** Where commander's own texts go: help, version. Its errors are raised. */
export interface ProgramOutput {
  writeOut(text: string): void
  writeErr(text: string): void
}

/** Every command. Nothing of the engine is loaded until one of them runs. */
export function createProgram(context: CliContext, output: ProgramOutput): Command {
  const program = new Command('prolepsis')
    .description('Memory for LLM agents: retains text verbatim and recalls it by the questions it answers.')
    .enablePositionalOptions() // --version after a command is that command's own
    .version(packageVersion(), '-V, --version')
    .addHelpText(
      'after',
      '\nExample:\n  $ prolepsis init && prolepsis index docs\n  $ prolepsis recall "how is a data folder shared?"\n\nExit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 130 interrupted.',
    )
  registerInit(program, context)
  registerRetain(program, context)
  registerIndex(program, context)
  registerSweep(program, context)
  registerRecall(program, context)
  registerAsk(program, context)
  registerRefs(program, context)
  registerReceipts(program, context)
  registerDocuments(program, context)
  registerForget(program, context)
  registerQuestions(program, context)
  registerJobs(program, context)
  registerWork(program, context)
  registerBank(program, context)
  registerPortable(program, context)
  registerCare(program, context)
  registerEmbedder(program, context)
  registerEvents(program, context)
  registerEval(program, context)
  registerConfig(program, context)
  registerCompletions(program, context)
  for (const one of [program, ...descendants(program)]) {
    one.exitOverride().configureOutput({ ...output, outputError: () => {} })
  }
  return program
}

function descendants(parent: Command): Command[] {
  return parent.commands.flatMap((child) => [child, ...descendants(child)])
}
