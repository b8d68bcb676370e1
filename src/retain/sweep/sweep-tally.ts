import type { ProlepsisError } from '../../domain/errors.ts'
import type { IndexProgress, RetainManyResult } from '../../domain/retain.ts'
import type { SweepPass } from '../../domain/sweep.ts'
import type { IndexRequest } from '../index/index-options.ts'
import type { FoundFile } from '../index/walk-folder.ts'

/** What a pass counts while it goes on. */
export interface SweepTally {
  /** Files that could not be read, with the reason. */
  readonly unreadable: Map<FoundFile, ProlepsisError>
  total: number
  hidden: number
  away: string | null
  /** Whether some file was put off that may be retained later, as it is. */
  hasPutOff: boolean
  skip(path: string, reason: string): void
  fail(path: string, code: string, reason: string): void
  /** A file as it was. */
  same(path: string): void
  /** A file that has a reason for having no document, as before. */
  problem(path: string, code: string, reason: string): void
  move(from: string, to: string): void
  /** What retain made of a file that was read. Gives the code of what stands in its way, or null. */
  take(result: RetainManyResult, file: FoundFile): { readonly code: string; readonly reason: string } | null
  missing(paths: readonly string[]): void
  delete(source: string): void
  pass(of: Pick<SweepPass, 'root' | 'reason' | 'error' | 'traceId' | 'tookMs'>): SweepPass
}

export function createSweepTally(request: Pick<IndexRequest, 'onProgress' | 'sourcePrefix'>): SweepTally {
  const counts = { read: 0, created: 0, updated: 0, unchanged: 0, chunks: 0, vectors: 0, jobs: 0 }
  const moved: { from: string; to: string }[] = []
  const missing: string[] = []
  const deleted: string[] = []
  const skipped: { path: string; reason: string }[] = []
  const failed: { path: string; code: string; reason: string }[] = []
  let done = 0

  const tell = (source: string, status: IndexProgress['status'], reason?: string): void =>
    request.onProgress?.({
      ...{ done, total: tally.total, source, status },
      ...(reason === undefined ? {} : { reason }),
    })
  const tally: SweepTally = {
    unreadable: new Map(),
    total: 0,
    hidden: 0,
    away: null,
    hasPutOff: false,
    skip(path, reason) {
      skipped.push({ path, reason })
      tell(request.sourcePrefix + path, 'skipped', reason)
    },
    fail(path, code, reason) {
      failed.push({ path, code, reason })
      tell(request.sourcePrefix + path, 'failed', reason)
    },
    same(path) {
      done++
      counts.unchanged++
      tell(request.sourcePrefix + path, 'unchanged')
    },
    problem(path, code, reason) {
      done++
      if (isSkipped(code)) tally.skip(path, reason)
      else tally.fail(path, code, reason)
    },
    move(from, to) {
      done++
      counts.read++
      moved.push({ from, to })
      tell(request.sourcePrefix + to, 'updated')
    },
    take(result, file) {
      const error = tally.unreadable.get(file) ?? (result.status === 'failed' ? result.error : null)
      if (!tally.unreadable.has(file)) counts.read++
      if (error !== null) {
        const reason = error.code === 'EMPTY_TEXT' ? 'without text' : error.message
        tally.problem(file.relative, error.code, reason)
        return { code: error.code, reason }
      }
      if (result.status === 'failed') return null
      done++
      counts[result.status]++
      counts.chunks += result.status === 'unchanged' ? 0 : result.chunks
      counts.vectors += result.vectors
      counts.jobs += result.jobs
      tell(result.document.source, result.status)
      return null
    },
    missing: (paths) => void missing.push(...paths),
    delete(source) {
      deleted.push(source)
      tell(source, 'deleted')
    },
    pass: (of) => ({
      ...{ ...of, files: tally.total, ...counts, moved, missing, deleted },
      ...{ skipped, hidden: tally.hidden, failed, away: tally.away },
    }),
  }
  return tally
}

const isSkipped = (code: string): boolean =>
  code === 'EMPTY_TEXT' || code === 'UNSUPPORTED_MEDIA' || code === 'TEXT_TOO_LARGE'
