import type { Document } from '../../domain/document.ts'
import { throwIfAborted } from '../../domain/errors.ts'
import { chunkIdsOfDocuments } from '../../store/queries/chunk-ids.ts'
import {
  closeDocument,
  findCurrentDocument,
  listDocuments,
  lockSource,
} from '../../store/queries/documents.ts'
import { cancelEnrichment } from '../../store/queries/job-leases.ts'
import { retireTerms } from '../../store/queries/lexical-write.ts'
import { deleteSweptSources } from '../../store/queries/sweep.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { INDEX_KEY } from './index-key.ts'
import type { IndexRequest } from './index-options.ts'
import type { Walk } from './walk-folder.ts'

const PAGE = 500
/** More than this many documents that would go at once, and more than this share of the folder's, look like a mount that is missing. */
const MANY = 10
const NEARLY_ALL = 0.9

interface Extent {
  readonly request: IndexRequest
  readonly walk: Walk
  /** Id of the folder. */
  readonly from: string
  /** Sources whose file is there but has no text any more. */
  readonly empty: ReadonlySet<string>
}

/** What pruning would mark as deleted. */
export interface Gone {
  readonly documents: readonly Document[]
  /** How many documents came from the folder, those that are gone included. */
  readonly of: number
}

/**
 * The documents whose file is gone or left out now: only those that index wrote, from this folder (or from any under the same
 * prefix, when there is one), and none of which a file or folder above could not be read.
 */
export async function findGone(deps: RetainDeps, extent: Extent): Promise<Gone> {
  const { request, walk } = extent
  const present = new Set(walk.files.map((file) => request.sourcePrefix + file.relative))
  for (const { path } of walk.skipped) present.add(request.sourcePrefix + path)
  const unknown = walk.unreadable.map(({ path }) => request.sourcePrefix + path)
  const isGone = ({ source }: Document): boolean =>
    (!present.has(source) || extent.empty.has(source)) &&
    !unknown.some((path) => source === path || source.startsWith(`${path}/`))

  const documents: Document[] = []
  let of = 0
  for await (const document of documentsFrom(deps, request, extent.from)) {
    of++
    if (isGone(document)) documents.push(document)
  }
  return { documents, of }
}

/** The current documents that came from the folder, by source. */
export async function* documentsFrom(
  { store }: RetainDeps,
  { sourcePrefix, signal }: Pick<IndexRequest, 'sourcePrefix' | 'signal'>,
  from: string,
): AsyncGenerator<Document, void, undefined> {
  for (let after: string | undefined; ; ) {
    throwIfAborted(signal)
    const page = await listDocuments(store.database, store.bankId, { sourcePrefix, limit: PAGE, after })
    for (const document of page) if (isFromFolder(document, sourcePrefix, from)) yield document
    if (page.length < PAGE) return
    after = page.at(-1)?.source
  }
}

/** Whether so much is gone that the folder is more likely not mounted than emptied. */
export function looksUnmounted(gone: number, of: number): boolean {
  return gone > MANY && gone > NEARLY_ALL * of
}

/** Marks documents as deleted. Yields those that were current still. */
export async function* prune(
  deps: RetainDeps,
  gone: Gone,
  signal: AbortSignal | undefined,
): AsyncGenerator<Document, void, undefined> {
  for (const document of gone.documents) {
    throwIfAborted(signal)
    // a sweep would take a file that comes back for one that was removed by hand
    await deleteSweptSources(deps.store.database, deps.store.bankId, [document.source])
    if (await closeAsDeleted(deps, document)) yield document
  }
}

/** Whether a document came from the folder; under a prefix, from any folder. */
export function isFromFolder(document: Document, sourcePrefix: string, from: string): boolean {
  const mark = document.metadata[INDEX_KEY]
  return sourcePrefix === '' ? mark === from : mark !== undefined
}

/** Marks a version as deleted. False when it is not current any more: somebody retained the source anew meanwhile. */
export function closeAsDeleted({ store, clock }: RetainDeps, document: Document): Promise<boolean> {
  const { database, bankId } = store
  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, document.source)
    const current = await findCurrentDocument(tx, bankId, document.source)
    if (current?.documentId !== document.documentId) return false
    const now = new Date(clock.now())
    await closeDocument(tx, bankId, document.documentId, 'deleted', now)
    await cancelEnrichment(tx, bankId, [document.documentId], now)
    await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, [document.documentId]))
    return true
  })
}
