import { Argument, type Command } from 'commander'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { write } from '../io.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** `completions SHELL` prints the shell's script, which asks the hidden `complete` at each press of the key. */
export function registerCompletions(program: Command, context: CliContext): void {
  command(
    program,
    'completions',
    'print completions for a shell',
    [
      'source <(prolepsis completions bash)',
      'prolepsis completions zsh > ~/.zfunc/_prolepsis',
      'prolepsis completions fish > ~/.config/fish/completions/prolepsis.fish',
    ].join('\n  $ '),
  )
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .action(async (shell: Shell, options: CommonOptions) => {
      const { completionScript } = await import('../completion/scripts.ts')
      const script = completionScript(shell)
      await context.result(options, { shell, script }, script.trimEnd())
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
