import { type ErrorCode, isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { ExportedDocument } from '../domain/portable.ts'
import { FORGOTTEN_NOTE } from '../store/queries/forget-chunks.ts'
import type { NumberedDocument, ReadExport } from './import-lines.ts'

export interface ImportOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number) => void
}

export interface Imported {
  readonly documents: number
  readonly unchanged: number
  readonly chunks: number
}

export interface WrittenVersion {
  readonly status: 'written' | 'unchanged'
  readonly chunks: number
}

/** Writes versions, all or none, in their order; it may be called again for some that are there. */
export type WriteVersions = (
  documents: readonly ExportedDocument[],
  signal: AbortSignal | undefined,
) => Promise<readonly WrittenVersion[]>

/** A transaction's worth: as retain has it. */
const BATCH_ITEMS = 64
const BATCH_CHARS = 400_000

/**
 * Brings an export in, version by version in batches, each batch in a transaction of its own. What is there already is left alone, so
 * that an import that was cut short is simply repeated.
 *
 * @throws ProlepsisError IMPORT_INVALID with the number of the line in details.line; what came before it is imported
 */
export async function importBank(
  exported: ReadExport,
  write: WriteVersions,
  options: ImportOptions = {},
): Promise<Imported> {
  const counts = { documents: 0, unchanged: 0, chunks: 0 }
  let done = 0
  const take = ({ status, chunks }: WrittenVersion): void => {
    if (status === 'written') counts.documents++
    else counts.unchanged++
    counts.chunks += chunks
    options.onProgress?.(++done)
  }
  const writeOne = async ({ line, document }: NumberedDocument): Promise<void> => {
    throwIfAborted(options.signal)
    const written = await write([withoutMarks(document)], options.signal).catch((error: unknown) => {
      throw atLine(error, line)
    })
    for (const one of written) take(one)
  }
  for await (const batch of batchesOf(exported.documents)) {
    throwIfAborted(options.signal)
    const written = batch.items.length < 2 ? null : await writeTogether(batch.items, write, options.signal)
    if (written !== null) for (const one of written) take(one)
    // one by one: what comes before the one that cannot be written is to stay
    else for (const item of batch.items) await writeOne(item)
    if (batch.failure !== null) throw batch.failure.error
  }
  return counts
}

/** Null when a document of the batch, or all of them together, cannot be written. */
async function writeTogether(
  batch: readonly NumberedDocument[],
  write: WriteVersions,
  signal: AbortSignal | undefined,
): Promise<readonly WrittenVersion[] | null> {
  try {
    const documents = batch.map(({ document }) => withoutMarks(document))
    return await write(documents, signal)
  } catch (error) {
    if (isProlepsisError(error) && !OF_ONE_DOCUMENT.has(error.code)) throw error
    return null
  }
}

const OF_ONE_DOCUMENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'IMPORT_INVALID',
  'INVALID_TEXT',
  'INVALID_ARGUMENT',
  'MODEL_FAILED',
  'STORE_FAILED',
  'DEADLINE_EXCEEDED',
])

interface Batch {
  readonly items: readonly NumberedDocument[]
  /** Why nothing can be read after these. */
  readonly failure: { readonly error: unknown } | null
}

async function* batchesOf(
  documents: AsyncIterable<NumberedDocument>,
): AsyncGenerator<Batch, void, undefined> {
  let items: NumberedDocument[] = []
  let chars = 0
  try {
    for await (const item of documents) {
      items.push(item)
      chars += item.document.text.length
      if (items.length < BATCH_ITEMS && chars < BATCH_CHARS) continue
      const full = items
      items = []
      chars = 0
      yield { items: full, failure: null }
    }
  } catch (error) {
    yield { items, failure: { error } }
    return
  }
  if (items.length > 0) yield { items, failure: null }
}

/** An imported text is cut anew and has no gaps: its notes may tell of them, and must not allow them. */
function withoutMarks(document: ExportedDocument): ExportedDocument {
  const notes = document.notes.map((note) =>
    note.startsWith(FORGOTTEN_NOTE) ? `before the import, ${note}` : note,
  )
  return { ...document, notes }
}

function atLine(error: unknown, line: number): unknown {
  if (!isProlepsisError(error) || error.code !== 'IMPORT_INVALID') return error
  return new ProlepsisError('IMPORT_INVALID', `Line ${line} of the import: ${error.message}`, {
    ...(error.hint === undefined ? {} : { hint: error.hint }),
    cause: error,
    details: { ...error.details, line },
  })
}
