import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

/** `prolepsis completions bash|zsh|fish|powershell` prints the shell's script; the hidden `complete` answers it. */
export function registerCompletions(program: Command): void {
  tab(program, { completionCommandName: 'completions' })
  program.commands
    .find((subcommand) => subcommand.name() === 'completions')
    ?.addHelpText('after', '\nExample:\n  $ source <(prolepsis completions bash)')
}
