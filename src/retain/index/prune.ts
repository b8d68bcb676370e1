import type { Document } from '../../domain/document.ts'
import { throwIfAborted } from '../../domain/errors.ts'
import { chunkIdsOfDocuments } from '../../store/queries/chunk-ids.ts'
import {
  closeDocument,
  findCurrentDocument,
  listDocuments,
  lockSource,
} from '../../store/queries/documents.ts'
import { retireTerms } from '../../store/queries/lexical-write.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { INDEX_KEY } from './index-key.ts'
import type { IndexRequest } from './index-options.ts'
import type { Walk } from './walk-folder.ts'

const PAGE = 500
/** A folder without any file is more likely a mount that is missing when more documents than this came from it. */
const MOST_OF_EMPTY = 10

interface Extent {
  readonly request: IndexRequest
  readonly walk: Walk
  /** Id of the folder. */
  readonly from: string
  /** Sources whose file is there but has no text any more. */
  readonly empty: ReadonlySet<string>
}

/**
 * Marks as deleted the documents whose file is gone or left out now: only those that index wrote, from this folder (or from any
 * under the same prefix, when there is one), and none of which a file or folder above could not be read.
 */
export async function pruneGone(deps: RetainDeps, extent: Extent): Promise<readonly Document[]> {
  const gone: Document[] = []
  for await (const document of documentsGone(deps, extent))
    if (await close(deps, document)) gone.push(document)
  return gone
}

/** Whether nothing at all was found where many documents came from: as if a mount were missing. */
export async function looksUnmounted(deps: RetainDeps, extent: Extent): Promise<boolean> {
  if (extent.walk.files.length + extent.walk.skipped.length > 0) return false
  let count = 0
  for await (const _document of documentsGone(deps, extent)) if (++count > MOST_OF_EMPTY) return true
  return false
}

async function* documentsGone(deps: RetainDeps, extent: Extent): AsyncGenerator<Document, void, undefined> {
  const { database, bankId } = deps.store
  const { request, walk } = extent
  const present = new Set(walk.files.map((file) => request.sourcePrefix + file.relative))
  for (const { path } of walk.skipped) present.add(request.sourcePrefix + path)
  const unknown = walk.unreadable.map(({ path }) => request.sourcePrefix + path)
  const isGone = (document: Document): boolean =>
    isOurs(document, extent) &&
    (!present.has(document.source) || extent.empty.has(document.source)) &&
    !unknown.some((path) => document.source === path || document.source.startsWith(`${path}/`))

  for (let after: string | undefined; ; ) {
    throwIfAborted(request.signal)
    const page = await listDocuments(database, bankId, {
      sourcePrefix: request.sourcePrefix,
      limit: PAGE,
      after,
    })
    for (const document of page) if (isGone(document)) yield document
    if (page.length < PAGE) return
    after = page.at(-1)?.source
  }
}

function isOurs(document: Document, { request, from }: Extent): boolean {
  const mark = document.metadata[INDEX_KEY]
  return request.sourcePrefix === '' ? mark === from : mark !== undefined
}

/** False when somebody retained the source anew meanwhile. */
function close({ store, clock }: RetainDeps, document: Document): Promise<boolean> {
  const { database, bankId } = store
  return database.transaction(async (tx) => {
    await lockSource(tx, bankId, document.source)
    const current = await findCurrentDocument(tx, bankId, document.source)
    if (current?.documentId !== document.documentId) return false
    await closeDocument(tx, bankId, document.documentId, 'deleted', new Date(clock.now()))
    await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, [document.documentId]))
    return true
  })
}
