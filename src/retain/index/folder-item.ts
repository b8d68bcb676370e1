import { createHash } from 'node:crypto'
import { isProlepsisError, type ProlepsisError } from '../../domain/errors.ts'
import type { RetainItem } from '../../domain/retain.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { findCurrentDocument } from '../../store/queries/documents.ts'
import { INDEX_KEY } from './index-key.ts'
import type { IndexRequest } from './index-options.ts'
import { readStableFile } from './read-file.ts'
import type { FoundFile } from './walk-folder.ts'

/** Tells folders apart without telling where they are. */
export function folderId(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, 12)
}

export const OF_ANOTHER_FOLDER =
  'a document from another folder has this source: index with a prefix to keep both, or adopt to take it over'

/** A prefix names what is under it, wherever it lies; without one, folders of like content would supersede each other. */
export async function isOfAnotherFolder(
  { store }: { readonly store: BankStore },
  file: FoundFile,
  request: IndexRequest,
  from: string,
): Promise<boolean> {
  if (request.sourcePrefix !== '' || request.adopt) return false
  const current = await findCurrentDocument(store.database, store.bankId, file.relative)
  const mark = current?.metadata[INDEX_KEY]
  return mark !== undefined && mark !== from
}

/**
 * A file as what retain takes.
 *
 * @param unreadable gets the file with its error when it cannot be read: its item then fails, so that results and files keep in step
 */
export async function itemOf(
  file: FoundFile,
  request: IndexRequest,
  from: string,
  unreadable: Map<FoundFile, ProlepsisError>,
): Promise<RetainItem> {
  const content = await readStableFile(file.path, request.maxBytes).catch((error: unknown) => {
    if (!isProlepsisError(error)) throw error
    unreadable.set(file, error)
    return new Uint8Array()
  })
  return {
    content,
    source: request.sourcePrefix + file.relative,
    metadata: { ...request.metadata, [INDEX_KEY]: from },
    ...(request.tags === undefined ? {} : { tags: request.tags }),
    ...(request.trust === undefined ? {} : { trust: request.trust }),
    ...(request.enrich === undefined ? {} : { enrich: request.enrich }),
    ...(request.prompts === undefined ? {} : { prompts: request.prompts }),
  }
}
