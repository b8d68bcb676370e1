import type { Command } from 'commander'
import type {
  Enrichment,
  RetainContent,
  RetainItem,
  RetainManyOptions,
  RetainManyResult,
  RetainOptions,
  RetainResult,
  Trust,
} from '../../../index.ts'
import { isProlepsisError, ProlepsisError, TRUST_LEVELS } from '../../schema/names.ts'
import { type CliContext, type CommonOptions, command } from '../context.ts'
import { parseJsonLine, promptsOf, readFileBytes, readFileLines } from '../files.ts'
import { isTerminal, readAll } from '../io.ts'
import { collect, defined, keyValue } from '../options.ts'
import { enrichmentFailure, renderEnrichment } from '../render/enrichment.ts'
import { counted } from '../render/layout.ts'
import { printable } from '../render/printable.ts'

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
  readonly enrich: boolean
  readonly await?: boolean
  readonly prompt?: string
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
    .option('--jsonl', 'the input is JSON lines, one {"content": …, "source": …, …} a line')
    .option('--source <source>', 'where it comes from; the same source again is a new version')
    .option('--media-type <type>', 'media type, where the source does not tell')
    .option('--title <title>', 'title')
    .option('--tag <tag>', 'tag, repeatable', collect)
    .option('--meta <key=value>', 'metadata, repeatable', keyValue)
    .option('--question <question>', 'a question that it answers, kept verbatim, repeatable', collect)
    .option('--occurred-at <time>', 'when it happened, ISO 8601')
    .option('--no-enrich', 'let no model write questions of it')
    .option('--prompt <file>', 'a text in place of the prompt of the model that writes questions')
    .option('--await', 'wait until the model has written its questions, and tell what that took')
  retain
    .addOption(retain.createOption('--trust <level>', 'how far it is to be believed').choices(TRUST_LEVELS))
    .action(async (text: string | undefined, options: RetainCommandOptions) => {
      if (options.jsonl === true) return retainLines(options, context)
      const content = await readContent(text, options, context)
      const source =
        options.source ?? (options.file === undefined ? undefined : options.file.replaceAll('\\', '/'))
      const retainOptions: RetainOptions = {
        ...retainOptionsOf(options),
        ...(await promptsOf(options.prompt, context.io)),
        ...defined({ source }),
        signal: context.io.signal,
      }
      await context.withMemory(options, async (memory) => {
        const result = await memory.retain(content, {
          ...retainOptions,
          ...(options.await === true ? { await: 'enriched' } : {}),
        })
        await context.result(options, result, renderRetained(result))
        const failure = result.enrichment === undefined ? null : enrichmentFailure(result.enrichment)
        if (failure !== null) await context.failed(...failure)
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
    enrich: options.enrich ? undefined : false,
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
    return readFileBytes(options.file, await largestText(context), context.io)
  }
  if (text !== undefined && text !== '-') return text
  if (text === undefined && isTerminal(context.io.stdin)) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'There is no text to retain.', {
      hint: 'Give it as an argument, with --file, or on standard input.',
    })
  }
  const most = await largestText(context)
  const bytes = await readAll(context.io.stdin, 'Standard input', most, context.io.signal)
  // Bytes that are not UTF-8 go on as they are, so that the engine says what is wrong with them, and so do a PDF, which may be
  // ASCII throughout, and what has an encoding of its own; typed text is text of the user's.
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 5))
  if (head === '%PDF-' || /^application\/pdf|charset/i.test(options.mediaType ?? '')) return bytes
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return bytes
  }
}

/** Bytes: what the memory would refuse need not be read. */
async function largestText({ io }: CliContext): Promise<number> {
  const [{ resolveSettings }, { processContext }] = await Promise.all([
    import('../../../config/resolve.ts'),
    import('../../../config/sources.ts'),
  ])
  return resolveSettings({}, processContext(io.cwd)).settings.maxTextBytes
}

async function retainLines(options: RetainCommandOptions, context: CliContext): Promise<void> {
  const { io } = context
  const defaults = { ...retainOptionsOf(options), ...(await promptsOf(options.prompt, context.io)) }
  async function* items(): AsyncGenerator<RetainItem> {
    let number = 0
    for await (const line of readFileLines(options.file, io)) {
      number += 1
      if (line.trim() !== '') yield { ...defaults, ...parseItem(line, number) }
    }
  }
  let done = 0
  let failed = 0
  let enrichment: Enrichment | null = null
  const onEnriched = (so: Enrichment): void => {
    enrichment = so
  }
  try {
    await context.withMemory(options, async (memory) => {
      const waiting: RetainManyOptions = options.await === true ? { await: 'enriched', onEnriched } : {}
      for await (const result of memory.retainMany(items(), { ...waiting, signal: io.signal })) {
        done += 1
        if (result.status === 'failed') failed += 1
        await context.result(options, result, renderMany(result, done))
      }
      if (enrichment !== null) await tellEnriched(options, context, enrichment)
    })
  } catch (error) {
    // what came before a line that ends it is committed, and its results are told
    throw isProlepsisError(error) ? withKept(error, done - failed) : error
  }
  if (failed > 0) {
    await context.failed(
      `${counted(failed, 'item')} ${failed === 1 ? 'was' : 'were'} not retained; the others were.`,
      'The result says why.',
    )
  }
}

async function tellEnriched(
  options: CommonOptions,
  context: CliContext,
  enrichment: Enrichment,
): Promise<void> {
  await context.result(options, { enrichment }, renderEnrichment(enrichment))
  const failure = enrichmentFailure(enrichment)
  if (failure !== null) await context.failed(...failure)
}

function withKept(error: ProlepsisError, kept: number): ProlepsisError {
  const told =
    kept === 0
      ? 'Nothing was retained.'
      : `${counted(kept, 'item')} before it ${kept === 1 ? 'was' : 'were'} retained.`
  return new ProlepsisError(error.code, error.message, {
    hint: error.hint === undefined ? told : `${error.hint} ${told}`,
    details: { ...error.details, retained: kept },
    retryable: error.retryable,
    cause: error,
  })
}

function parseItem(line: string, number: number): RetainItem {
  const value = parseJsonLine(line, `Line ${number}`)
  if (typeof value !== 'object' || value === null || !('content' in value)) {
    throw new ProlepsisError('INVALID_ARGUMENT', `Line ${number} has no "content".`, {
      hint: 'Each line is one object with "content" and the options of retain.',
    })
  }
  // retainMany validates every field of the item
  return value as RetainItem
}

function renderMany(result: RetainManyResult, number: number): string {
  if (result.status !== 'failed') return renderRetained(result)
  const what = result.source === null ? `item ${number}` : printable(result.source)
  return `Failed ${what}: ${printable(result.error.message)} (${result.error.code})`
}

function renderRetained(result: RetainResult): string {
  const { document } = result
  const source = printable(document.source)
  const notes = result.notes.map((note) => `\n  note: ${printable(note)}`).join('')
  const enriched = result.enrichment === undefined ? '' : `\n${renderEnrichment(result.enrichment)}`
  if (result.status === 'unchanged')
    return `Unchanged: ${source}, version ${document.version}.${notes}${enriched}`
  const verb = result.status === 'created' ? 'Retained' : 'Updated'
  const jobs = result.jobs === 0 ? '' : `, ${counted(result.jobs, 'job')}`
  return `${verb} ${source}, version ${document.version}: ${counted(result.chunks, 'chunk')}, ${counted(result.cues, 'cue')}${jobs}.${notes}${enriched}`
}
