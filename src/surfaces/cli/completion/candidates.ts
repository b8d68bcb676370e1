import type { Argument, Command, Option } from 'commander'

export interface Candidate {
  readonly value: string
  readonly about: string
}

/** What the shell is to complete as a path itself. */
const FILES: Candidate = { value: ':files', about: '' }
const FOLDERS: Candidate = { value: ':folders', about: '' }

/**
 * What can stand where the last word is.
 * @param words those after the program's name, the last one as far as it is typed (perhaps empty)
 */
export function candidates(program: Command, words: readonly string[]): readonly Candidate[] {
  const typed = words.at(-1) ?? ''
  const { command, given, open, onlyArguments } = walk(program, words.slice(0, -1))
  const startingTyped = (all: readonly Candidate[]): Candidate[] =>
    all.filter((one) => one.value.startsWith(':') || one.value.startsWith(typed))
  if (open !== null) return startingTyped(valuesOf(open.argChoices, open.flags))
  if (typed.startsWith('-') && !onlyArguments) return startingTyped(optionsOf(command))
  const subcommands = command.commands
    .filter((child) => isShown(command, child))
    .map((child) => ({ value: child.name(), about: child.description() }))
  const argument = argumentAt(command, given)
  const values = argument === undefined ? [] : valuesOf(argument.argChoices, argument.name())
  return startingTyped(given === 0 ? [...subcommands, ...values] : values)
}

interface Place {
  readonly command: Command
  /** Arguments of the command before the word. */
  readonly given: number
  /** The option whose value the word is. */
  readonly open: Option | null
  /** After `--`. */
  readonly onlyArguments: boolean
}

function walk(program: Command, before: readonly string[]): Place {
  let command = program
  let given = 0
  let open: Option | null = null
  let onlyArguments = false
  for (const word of before) {
    if (open !== null) {
      open = null
    } else if (!onlyArguments && word === '--') {
      onlyArguments = true
    } else if (!onlyArguments && word.startsWith('-')) {
      const option = command.options.find((one) => one.long === word || one.short === word)
      open = option?.required === true ? option : null
    } else {
      const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
      if (child === undefined) given += 1
      else command = child
    }
  }
  return { command, given, open, onlyArguments }
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const last = command.registeredArguments.at(-1)
  return command.registeredArguments[index] ?? (last?.variadic === true ? last : undefined)
}

function valuesOf(choices: readonly string[] | undefined, name: string): Candidate[] {
  if (choices !== undefined) return choices.map((value) => ({ value, about: '' }))
  if (/dir|folder/.test(name)) return [FOLDERS]
  return /file|path|history/.test(name) ? [FILES] : []
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .map((option) => ({ value: option.long ?? option.short ?? '', about: option.description }))
}

function isShown(parent: Command, child: Command): boolean {
  return parent.createHelp().visibleCommands(parent).includes(child)
}
