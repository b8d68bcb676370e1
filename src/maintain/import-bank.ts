import { isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { ExportedDocument } from '../domain/portable.ts'
import { FORGOTTEN_NOTE } from '../store/queries/forget-chunks.ts'
import type { ReadExport } from './import-lines.ts'

export interface ImportOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number) => void
}

export interface Imported {
  readonly documents: number
  readonly unchanged: number
  readonly chunks: number
}

/** Writes one version; it may be called again for one that is there. */
export type WriteVersion = (
  document: ExportedDocument,
  signal: AbortSignal | undefined,
) => Promise<{ readonly status: 'written' | 'unchanged'; readonly chunks: number }>

/**
 * Brings an export in, version by version, each in a transaction of its own. What is there already is left alone, so that an import
 * that was cut short is simply repeated.
 *
 * @throws ProlepsisError IMPORT_INVALID with the number of the line in details.line; what came before it is imported
 */
export async function importBank(
  exported: ReadExport,
  write: WriteVersion,
  options: ImportOptions = {},
): Promise<Imported> {
  const counts = { documents: 0, unchanged: 0, chunks: 0 }
  let done = 0
  for await (const { line, document } of exported.documents) {
    throwIfAborted(options.signal)
    const written = await write(withoutMarks(document), options.signal).catch((error: unknown) => {
      throw atLine(error, line)
    })
    if (written.status === 'written') counts.documents++
    else counts.unchanged++
    counts.chunks += written.chunks
    options.onProgress?.(++done)
  }
  return counts
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
