import type { Command } from 'commander'

/** Options of every command, and whether a value follows. */
const COMMON: ReadonlyMap<string, boolean> = new Map([
  ['--json', false],
  ['--bank', true],
  ['--data-dir', true],
  ['--database-url', true],
])

/** `--json recall x` as `recall --json x`: what all commands take may stand before the command too. */
export function withLeadingOptionsMoved(args: readonly string[], program: Command): readonly string[] {
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] ?? ''
    const takesValue = COMMON.get(arg)
    if (takesValue === true) at++
    else if (takesValue === undefined && !COMMON.get(arg.split('=')[0] ?? '')) break
  }
  let after = at
  let command: Command | undefined = program
  for (; after < args.length; after++) {
    command = command.commands.find((one) => [one.name(), ...one.aliases()].includes(args[after] ?? ''))
    if (command === undefined) break
  }
  return after === at ? args : [...args.slice(at, after), ...args.slice(0, at), ...args.slice(after)]
}
