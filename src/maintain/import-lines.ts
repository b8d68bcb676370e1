import * as z from 'zod'
import { BANK_NAME } from '../domain/bank-name.ts'
import { CUE_KINDS } from '../domain/cue.ts'
import { FORMATS } from '../domain/document.ts'
import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import {
  EXPORT_VERSION,
  type ExportedDocument,
  type ExportHeader,
  type ExportLine,
} from '../domain/portable.ts'
import { TRUST_LEVELS } from '../domain/trust.ts'
import { assertWellFormedJson } from '../domain/well-formed.ts'

const time = z.iso.datetime({ offset: true })
const record = z.record(z.string(), z.unknown())
const count = z.int().nonnegative()
/** What a column of the store holds. */
const INT4 = 2_147_483_647
const INT2 = 32_767
/** As retain has it. */
const MAX_SOURCE_BYTES = 2000
const sourceName = z
  .string()
  .min(1)
  .refine((text) => Buffer.byteLength(text) <= MAX_SOURCE_BYTES, `has more than ${MAX_SOURCE_BYTES} bytes`)

const HEADER = z.object({
  type: z.literal('header'),
  format: z.literal('prolepsis-export'),
  version: z.int().positive(),
  exportedAt: time,
  engine: z.string(),
  bank: z.object({ name: z.string().regex(BANK_NAME), language: z.string().min(1), settings: record }),
  model: z.object({ modelId: z.string(), dimension: z.int().positive() }),
})

const PART = z.object({
  startByte: count,
  cues: z.array(
    z.object({
      kind: z.enum(CUE_KINDS),
      origin: z.enum(['caller', 'model']),
      embed: z.boolean(),
      text: z.string().min(1),
    }),
  ),
  activity: z
    .object({
      significance: z.number().min(0).max(1),
      uses: count.max(INT4),
      lastUsedAt: time.nullable(),
      pinned: z.boolean(),
    })
    .nullable(),
  enrichment: z
    .object({
      inputHash: z.string().regex(/^[0-9a-f]{32}$/),
      modelId: z.string().min(1),
      prompt: z.string().min(1),
      madeAt: time,
      written: count.max(INT2),
      kept: count.max(INT2),
    })
    .optional(),
})

const DOCUMENT_FIELDS = z.object({
  type: z.literal('document'),
  source: sourceName,
  version: z.int().positive().max(INT4),
  state: z.enum(['current', 'superseded', 'deleted']),
  contentHash: z.string().regex(/^[0-9a-f]{64}$/),
  mediaType: z.string().min(1),
  format: z.enum(FORMATS),
  codeLanguage: z.string().nullable(),
  title: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: record,
  trust: z.enum(TRUST_LEVELS),
  occurredAt: time.nullable(),
  retainedAt: time,
  validFrom: time,
  validTo: time.nullable(),
  notes: z.array(z.string()),
  text: z.string().min(1),
  parts: z.array(PART),
})

/** A current version is valid still; every other one has ended, and not before it began. */
const DOCUMENT = DOCUMENT_FIELDS.superRefine(({ state, validFrom, validTo }, check) => {
  const wrong =
    state === 'current'
      ? validTo !== null && 'a current version has no end'
      : validTo === null
        ? `a ${state} version has an end`
        : Date.parse(validTo) < Date.parse(validFrom) && 'it is before validFrom'
  if (wrong !== false) check.addIssue({ code: 'custom', path: ['validTo'], message: wrong })
})

const END = z.object({ type: z.literal('end'), documents: count })

const LINE = z.discriminatedUnion('type', [HEADER, DOCUMENT, END])

export interface NumberedDocument {
  readonly line: number
  readonly document: ExportedDocument
}

/** An export as it is read: the header first, then its documents. */
export interface ReadExport {
  readonly header: ExportHeader
  /** @throws ProlepsisError IMPORT_INVALID with the line's number */
  readonly documents: AsyncIterable<NumberedDocument>
}

/**
 * Reads an export line by line; blank lines are passed over.
 *
 * @throws ProlepsisError IMPORT_INVALID when the first line is no header of ours, or of a newer version
 */
export async function readExport(lines: AsyncIterable<string> | Iterable<string>): Promise<ReadExport> {
  const parsed = parseLines(lines)
  const first = await parsed.next()
  if (first.done || first.value.value.type !== 'header') {
    throw invalid(1, 'it does not begin with the header of an export', 'Give what `prolepsis export` wrote.')
  }
  return { header: first.value.value, documents: documentsOf(parsed) }
}

interface ParsedLine {
  readonly line: number
  readonly value: ExportLine
}

async function* documentsOf(
  lines: AsyncGenerator<ParsedLine>,
): AsyncGenerator<NumberedDocument, void, undefined> {
  let documents = 0
  let ended = false
  let last = 1
  for await (const { line, value } of lines) {
    last = line
    if (ended) throw invalid(line, 'something follows the end', 'Give one export at a time.')
    if (value.type === 'header') throw invalid(line, 'a second header', 'Give one export at a time.')
    if (value.type === 'document') {
      documents++
      yield { line, document: value }
      continue
    }
    if (value.documents !== documents) {
      throw invalid(line, `${value.documents} documents were written, ${documents} are here`, CUT)
    }
    ended = true
  }
  if (!ended) throw invalid(last, 'the export ends too early', CUT)
}

const CUT = 'The file was cut off or changed: export again. What was read before this line is imported.'

async function* parseLines(
  lines: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ParsedLine, void, undefined> {
  let line = 0
  for await (const text of lines) {
    line++
    if (typeof text !== 'string') throw invalid(line, 'it is not text', 'Give the lines as strings.')
    if (text.trim() === '') continue
    yield { line, value: parseLine(text, line) }
  }
}

function parseLine(text: string, line: number): ExportLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(line, 'it is not JSON', 'Give what `prolepsis export` wrote, line by line.', error)
  }
  // before the schema: a newer header may have another form
  if (typeof value === 'object' && value !== null && 'version' in value && 'format' in value)
    refuseNewer(value, line)
  const result = LINE.safeParse(value)
  if (!result.success) {
    const issue = result.error.issues[0]
    const where = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.')
    throw invalid(line, `${where}: ${issue?.message ?? 'not valid'}`, 'Give what `prolepsis export` wrote.')
  }
  try {
    assertWellFormedJson(result.data, 'the line')
  } catch (error) {
    if (!isProlepsisError(error)) throw error
    const reason = error.message.replace(/\.$/, '')
    throw invalid(line, `it cannot be stored: ${reason}`, error.hint ?? 'Correct the line.', error)
  }
  return result.data
}

function refuseNewer(value: { readonly version: unknown; readonly format: unknown }, line: number): void {
  if (value.format !== 'prolepsis-export' || typeof value.version !== 'number') return
  if (value.version <= EXPORT_VERSION) return
  throw invalid(
    line,
    `the export has format ${value.version}, newer than ${EXPORT_VERSION}`,
    'Upgrade Prolepsis.',
  )
}

export function invalid(line: number, reason: string, hint: string, cause?: unknown): ProlepsisError {
  return new ProlepsisError('IMPORT_INVALID', `Line ${line} of the import: ${reason}.`, {
    hint,
    cause,
    details: { line },
  })
}
