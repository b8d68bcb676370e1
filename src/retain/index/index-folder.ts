import type { Document } from '../../domain/document.ts'
import { type ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type {
  IndexOptions,
  IndexProgress,
  IndexResult,
  RetainItem,
  RetainManyResult,
} from '../../domain/retain.ts'
import type { RetainDeps } from '../retain-deps.ts'
import { retainMany } from '../retain-many.ts'
import { folderId, isOfAnotherFolder, itemOf, OF_ANOTHER_FOLDER } from './folder-item.ts'
import { type IndexRequest, readIndexOptions } from './index-options.ts'
import { findGone, type Gone, looksUnmounted, prune } from './prune.ts'
import { type FoundFile, type Walk, walkFolder } from './walk-folder.ts'

export interface IndexDeps extends RetainDeps {
  readonly maxFileBytes: number
  /** Absolute paths that are never indexed: the store's own folder. */
  readonly exclude: readonly string[]
  /** Hears of each document that a file has now. */
  readonly onDocument?: (documentId: number) => void
}

/**
 * Retains every file of a folder that the ignore rules leave (or one named file), each under its relative path. Files are
 * committed in small batches: after a kill the next run goes on where this one ended. An unchanged file costs a stat and a
 * hash; a changed one becomes a new version; one that is gone leaves recall. What cannot be read is named in the result and
 * stops nothing.
 *
 * @throws ProlepsisError NOT_FOUND, UNREADABLE_FILE for the path itself; UNKNOWN_OPTION, INVALID_ARGUMENT; CANCELLED; STORE_…
 */
export async function indexFolder(
  deps: IndexDeps,
  path: string,
  options: IndexOptions = {},
): Promise<IndexResult> {
  const startedAt = performance.now()
  const request = readIndexOptions(path, options, deps.maxFileBytes)
  const walk = await walkFolder(path, { ...request, exclude: deps.exclude })
  const tally = createTally(deps, request, walk)
  for (const skipped of walk.skipped) tally.skip(skipped.path, skipped.reason)
  for (const closed of walk.unreadable) tally.fail(closed.path, closed.code, closed.reason)

  const from = folderId(walk.root)
  const given: FoundFile[] = []
  async function* items(): AsyncGenerator<RetainItem, void, undefined> {
    for (const file of walk.files) {
      throwIfAborted(request.signal)
      if (await isOfAnotherFolder(deps, file, request, from)) {
        tally.leave(file, OF_ANOTHER_FOLDER)
        continue
      }
      given.push(file)
      yield await itemOf(file, request, from, tally.unreadable)
    }
  }
  let at = 0
  for await (const result of retainMany(deps, items(), request.signal)) tally.take(result, given[at++]!)
  if (request.prune !== false && walk.complete) {
    const gone = await findGone(deps, { request, walk, from, empty: tally.emptied })
    if (request.prune !== 'force' && looksUnmounted(gone.documents.length, gone.of)) {
      const reason = unmounted(gone)
      tally.skip('.', reason)
      deps.events.emit({ type: 'warning', code: 'INDEX_UNMOUNTED', message: `${path}: ${reason}` })
    } else for await (const document of prune(deps, gone, request.signal)) tally.deleted(document)
  }
  return tally.result(performance.now() - startedAt)
}

function unmounted({ documents, of }: Gone): string {
  return `${documents.length} of the ${of} documents that came from it have no file now, as if a mount were missing: none was marked as deleted; index with prune "force" does so`
}

interface Tally {
  /** Files that could not be read, with the reason. */
  readonly unreadable: Map<FoundFile, ProlepsisError>
  /** Sources of files without any text. */
  readonly emptied: Set<string>
  take(result: RetainManyResult, file: FoundFile): void
  /** Of a file that is not read. */
  leave(file: FoundFile, reason: string): void
  skip(path: string, reason: string): void
  fail(path: string, code: string, reason: string): void
  deleted(document: Document): void
  result(tookMs: number): IndexResult
}

function createTally(deps: IndexDeps, request: IndexRequest, walk: Walk): Tally {
  const total = walk.files.length
  const counts = { created: 0, updated: 0, unchanged: 0, deleted: 0, chunks: 0, vectors: 0, jobs: 0 }
  const skipped: { path: string; reason: string }[] = []
  const failed: { path: string; code: string; reason: string }[] = []
  const unreadable = new Map<FoundFile, ProlepsisError>()
  const emptied = new Set<string>()
  let done = 0

  const tell = (source: string, status: IndexProgress['status'], reason?: string): void => {
    request.onProgress?.({ done, total, source, status, ...(reason === undefined ? {} : { reason }) })
    deps.events.emit({ type: 'index-progress', bank: deps.store.bank, done, total, source, status })
  }
  const skip = (path: string, reason: string): void => {
    skipped.push({ path, reason })
    tell(request.sourcePrefix + path, 'skipped', reason)
  }
  const fail = (path: string, code: string, reason: string): void => {
    failed.push({ path, code, reason })
    tell(request.sourcePrefix + path, 'failed', reason)
  }
  return {
    unreadable,
    emptied,
    skip,
    fail,
    leave(file, reason) {
      done++
      skip(file.relative, reason)
    },
    take(result, file) {
      done++
      if (result.status !== 'failed') {
        deps.onDocument?.(result.document.documentId)
        counts[result.status]++
        counts.chunks += result.chunks
        counts.vectors += result.vectors
        counts.jobs += result.jobs
        tell(result.document.source, result.status)
        return
      }
      const error = unreadable.get(file) ?? result.error
      if (error.code === 'EMPTY_TEXT') emptied.add(request.sourcePrefix + file.relative)
      if (error.code === 'EMPTY_TEXT') skip(file.relative, 'without text')
      else if (error.code === 'UNSUPPORTED_MEDIA' || error.code === 'TEXT_TOO_LARGE')
        skip(file.relative, error.message)
      else fail(file.relative, error.code, error.message)
    },
    deleted(document) {
      counts.deleted++
      tell(document.source, 'deleted')
    },
    result: (tookMs) => ({ files: total, ...counts, skipped, hidden: walk.hidden, failed, tookMs }),
  }
}
