import { PassThrough } from 'node:stream'
import type { Command, Option } from 'commander'
import { createContext } from './context.ts'
import { createProgram } from './program.ts'

const COMMON = ['--json', '--bank', '--data-dir', '--database-url', '--help']

const HEAD = `# Command line

Written by \`npx tsx scripts/cli-reference.ts\` from the commands themselves; a test keeps it up to date.

Every command takes \`--json\` (one object on standard output, or JSON lines; errors as \`{"error": {"code", "message", "hint"}}\` on standard error),
\`--bank <name>\`, \`--data-dir <folder>\` or \`--database-url <url>\`, and \`--help\`. Exit codes: 0 done, 1 failed, 2 wrong use, 3 not found, 130 interrupted; the codes of errors
are in [errors.md](errors.md). Nothing found is no error: \`recall\` then ends with 0 and an empty list.

Text that begins with \`-\` goes after \`--\`. \`-\` as a text or file means standard input. Into a pipe, stored text goes verbatim; on a terminal, control characters in it are made
visible, and JSON escapes them and every mark that does not show. \`NO_COLOR\` and \`FORCE_COLOR\` decide on colour, else whether standard output is a terminal. \`PROLEPSIS_DEBUG=1\` prints the stack of an unexpected error.

The store: \`--data-dir\` > \`PROLEPSIS_DATA_DIR\` > a \`.prolepsis/\` folder here or above > your user data folder. Several processes may use one folder: one owns it, the others work
through it.
`

/** The reference of every command, as Markdown. */
export function cliReference(): string {
  const stream = new PassThrough()
  const io = { stdin: stream, stdout: stream, stderr: stream, cwd: '/', color: false }
  const context = createContext({ ...io, signal: new AbortController().signal })
  const program = createProgram(context, { writeOut: () => {}, writeErr: () => {} })
  return `${[HEAD, ...commandsOf(program, '').map(section)].join('\n')}`
}

interface Named {
  readonly path: string
  readonly command: Command
}

function commandsOf(parent: Command, path: string): Named[] {
  return parent
    .createHelp()
    .visibleCommands(parent)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => {
      const own = `${path}${command.name()}`
      const below = commandsOf(command, `${own} `)
      // one that has commands of its own may be one itself
      const isGroup = below.length > 0 && command.registeredArguments.length === 0
      return isGroup ? below : [{ path: own, command }, ...below]
    })
}

function section({ path, command }: Named): string {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  )
  const summary = command.description()
  const aliases = command.aliases().map((alias) => `\`${alias}\``)
  const also = aliases.length === 0 ? '' : ` Also: ${aliases.join(', ')}.`
  const described = command.registeredArguments
    .filter((argument) => argument.description !== '')
    .map((argument) => `| \`${argument.name()}\` | ${cell(argument.description)} |`)
  const options = command.options.filter((option) => !COMMON.includes(option.long ?? ''))
  const rows = [...described, ...options.map(row)]
  return [
    `## ${path}`,
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${also}`,
    '',
    '```sh',
    ...new Set([`prolepsis ${[path, ...names].join(' ')}`, ...examplesOf(command)]),
    '```',
    '',
    ...(rows.length === 0 ? [] : ['| option | meaning |', '|---|---|', ...rows, '']),
  ].join('\n')
}

function row(option: Option): string {
  const choices = option.argChoices === undefined ? '' : ` (${option.argChoices.join(', ')})`
  const unless =
    option.defaultValue === undefined || option.negate ? '' : `; ${String(option.defaultValue)} unless given`
  return `| \`${option.flags}\` | ${cell(`${option.description}${choices}${unless}`)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** What the help gives as examples, without the prompt. */
function examplesOf(command: Command): string[] {
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  const [, examples = ''] = help.split('\nExample:\n')
  return examples
    .split('\n')
    .filter((line) => line.startsWith('  $ '))
    .map((line) => line.slice(4))
}
