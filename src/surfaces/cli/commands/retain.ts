import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import {
  ProlepsisError,
  type RetainContent,
  type RetainItem,
  type RetainOptions,
  type RetainResult,
  TRUST_LEVELS,
  type Trust,
} from '../../../index.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { isTerminal, readAll, write } from '../io.ts'
import { collect, defined, keyValue } from '../options.ts'
import { printable } from '../render/paint.ts'

interface RetainCommandOptions extends CommonOptions {
  readonly file?: string
  readonly jsonl?: boolean
  readonly source?: string
  readonly mediaType?: string
  readonly title?: string
  readonly tag?: readonly string[]
  readonly meta?: Readonly<Record<string, unknown>>
  readonly question?: readonly string[]
  readonly occurredAt?: string
  readonly trust?: Trust
}

export function registerRetain(program: Command, context: CliContext): void {
  const retain = command(
    program,
    'retain',
    'keep a text: an argument, a file, or standard input',
    `prolepsis retain "Kelly was born on March 4th 1990." --source kelly.md --tag family`,
  )
    .argument('[text]', 'the text; - or nothing reads standard input')
    .option('--file <path>', 'read the text from a file (PDF and HTML too)')
    .option('--jsonl', 'standard input is JSON lines, one {"content": …, "source": …, …} a line')
    .option('--source <source>', 'where it comes from; the same source again is a new version')
    .option('--media-type <type>', 'media type, where the source does not tell')
    .option('--title <title>', 'title')
    .option('--tag <tag>', 'tag, repeatable', collect)
    .option('--meta <key=value>', 'metadata, repeatable', keyValue)
    .option('--question <question>', 'a question that it answers, kept verbatim, repeatable', collect)
    .option('--occurred-at <time>', 'when it happened, ISO 8601')
  retain
    .addOption(retain.createOption('--trust <level>', 'how far it is to be believed').choices(TRUST_LEVELS))
    .action(async (text: string | undefined, options: RetainCommandOptions) => {
      if (options.jsonl === true) return retainLines(options, context)
      const content = await readContent(text, options, context)
      const source =
        options.source ?? (options.file === undefined ? undefined : options.file.replaceAll('\\', '/'))
      const retainOptions: RetainOptions = {
        ...retainOptionsOf(options),
        ...defined({ source }),
        signal: context.io.signal,
      }
      await context.withMemory(options, async (memory) => {
        const result = await memory.retain(content, retainOptions)
        await context.result(options, result, renderRetained(result))
      })
    })
}

function retainOptionsOf(options: RetainCommandOptions): RetainOptions {
  const { mediaType, title, trust, occurredAt } = options
  return defined({
    mediaType,
    title,
    trust,
    occurredAt,
    tags: options.tag,
    metadata: options.meta,
    questions: options.question,
  })
}

async function readContent(
  text: string | undefined,
  options: RetainCommandOptions,
  context: CliContext,
): Promise<RetainContent> {
  if (options.file !== undefined) {
    if (text !== undefined)
      throw new ProlepsisError('INVALID_ARGUMENT', 'Both a text and --file were given.', {
        hint: 'Give one of them.',
      })
    const path = resolve(context.io.cwd, options.file)
    try {
      return new Uint8Array(await readFile(path))
    } catch (error) {
      throw new ProlepsisError('UNREADABLE_FILE', `${options.file} cannot be read.`, {
        cause: error,
        hint: error instanceof Error ? error.message : 'See that it exists and may be read.',
      })
    }
  }
  if (text !== undefined && text !== '-') return text
  if (text === undefined && isTerminal(context.io.stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'There is no text to retain.', {
      hint: 'Give it as an argument, with --file, or on standard input.',
    })
  }
  const bytes = await readAll(context.io.stdin)
  // Bytes that are not UTF-8 go on as they are, so that the engine says what is wrong with them; typed text is text of the user's.
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes
  }
}

async function retainLines(options: RetainCommandOptions, context: CliContext): Promise<void> {
  const defaults = retainOptionsOf(options)
  async function* items(): AsyncGenerator<RetainItem> {
    let number = 0
    for await (const line of createInterface({
      input: context.io.stdin,
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      number += 1
      if (line.trim() !== '') yield { ...defaults, ...parseItem(line, number) }
    }
  }
  let failed = 0
  await context.withMemory(options, async (memory) => {
    for await (const result of memory.retainMany(items(), { signal: context.io.signal })) {
      if (result.status === 'failed') failed += 1
      await write(
        context.io.stdout,
        `${options.json === true ? JSON.stringify(result) : renderMany(result)}\n`,
      )
    }
  })
  if (failed > 0)
    throw new ProlepsisError('INVALID_ARGUMENT', `${failed} lines were not retained; the others were.`, {
      hint: 'The failed ones are listed above with their reasons.',
    })
}

function parseItem(line: string, number: number): RetainItem {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new ProlepsisError('INVALID_ARGUMENT', `Line ${number} of standard input is not JSON.`, {
      cause: error,
      hint: 'Each line is one object with "content" and the options of retain.',
    })
  }
  if (typeof value !== 'object' || value === null || !('content' in value)) {
    throw new ProlepsisError('INVALID_ARGUMENT', `Line ${number} of standard input has no "content".`, {
      hint: 'Each line is one object with "content" and the options of retain.',
    })
  }
  // retainMany validates every field of the item.
  return value as RetainItem
}

function renderMany(result: RetainResult | { readonly status: 'failed' }): string {
  return result.status === 'failed'
    ? `failed: ${JSON.stringify(result)}`
    : renderRetained(result as RetainResult)
}

function renderRetained(result: RetainResult): string {
  const { document } = result
  const source = printable(document.source)
  const notes = result.notes.map((note) => `\n  note: ${printable(note)}`).join('')
  if (result.status === 'unchanged') return `Unchanged: ${source}, version ${document.version}.${notes}`
  const verb = result.status === 'created' ? 'Retained' : 'Updated'
  return `${verb} ${source}, version ${document.version}: ${result.chunks} chunks, ${result.cues} cues.${notes}`
}
