import { Argument, type Command } from 'commander'
import type { CliContext } from '../context.ts'
import { write } from '../io.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `completions SHELL` prints the shell's script, which asks the hidden `complete` at each press of the key. */
export function registerCompletions(program: Command, context: CliContext): void {
  program
    .command('completions')
    .description('print completions for a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nExample:\n  $ source <(prolepsis completions bash)\n  $ prolepsis completions zsh > ~/.zfunc/_prolepsis\n  $ prolepsis completions fish > ~/.config/fish/completions/prolepsis.fish',
    )
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion/scripts.ts')
      await write(context.io.stdout, completionScript(shell))
    })

  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const { candidates } = await import('../completion/candidates.ts')
      const lines = candidates(program, words).map(({ value, about }) => `${value}\t${about}\n`)
      await write(context.io.stdout, lines.join(''))
    })
}
