import type { Enrichment } from './jobs.ts'
import type { IndexOptions } from './retain.ts'

/** As those of index: a folder that was indexed is swept with the same ones. */
export type SweepOptions = IndexOptions

export interface SweepWatchOptions extends Omit<SweepOptions, 'await' | 'onJobProgress'> {
  /**
   * Look every so many milliseconds instead of waiting for the system to tell of changes, 100 or more. @default none; 30,000 on a network
   * file system, or where the system cannot watch so many files
   */
  readonly pollMs?: number
  /** A pass at least every so many milliseconds, whatever the system tells, 1,000 or more. @default 600,000 */
  readonly intervalMs?: number
}

/** What one look at a folder found and did. */
export interface SweepPass {
  /** Real path of the folder. */
  readonly root: string
  /** Why it was made: `call`; of a watch `start`, `change`, `poll`, `interval`, or `again` (to confirm what the one before saw, or after an error). */
  readonly reason: SweepReason
  /** Files that the ignore rules leave. */
  readonly files: number
  /** Of these, those whose bytes were read: new ones, and those whose size, time or inode is another. */
  readonly read: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  /** Files that have another path now: their documents have another source, and nothing was embedded. */
  readonly moved: readonly { readonly from: string; readonly to: string }[]
  /** Paths of files that were not found, or found empty, for the first time; the next pass that does not find them either deletes. */
  readonly missing: readonly string[]
  /** Sources of documents that were marked as deleted. */
  readonly deleted: readonly string[]
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
  readonly hidden: number
  readonly failed: readonly { readonly path: string; readonly code: string; readonly reason: string }[]
  /** Why nothing was concluded about files that are not there: the folder vanished, was emptied at once, is on another file system; else null. */
  readonly away: string | null
  /** What ended the pass, of a watch, which goes on; else null. */
  readonly error: { readonly code: string; readonly message: string } | null
  readonly chunks: number
  readonly vectors: number
  /** Jobs that were put in line. */
  readonly jobs: number
  /** Present with `await: 'enriched'`. */
  readonly enrichment?: Enrichment
  /** Joins the pass with what came of it, in the trace; null of a pass that an error ended. */
  readonly traceId: string | null
  readonly tookMs: number
}

export type SweepReason = 'call' | 'start' | 'change' | 'poll' | 'interval' | 'again'

/** A folder that is watched. Stop it before the process ends; closing the memory stops it too. */
export interface Sweeper extends AsyncDisposable {
  /** Real path of the folder. */
  readonly root: string
  /** How changes are noticed. */
  readonly by: 'events' | 'polling'
  /** Each pass as it ends, for one reader; ends when the sweeper stops. Of passes that wait to be read, the last 100 are kept. */
  readonly passes: AsyncIterable<SweepPass>
  /** Ends the pass that runs, what it committed stays; gives up the folder. Idempotent. */
  stop(): Promise<void>
}

/** A folder that is, or was, swept into the bank. */
export interface SweptFolder {
  readonly root: string
  readonly sourcePrefix: string
  /** Files with a document. */
  readonly files: number
  /** Files that the last pass did not find. */
  readonly missing: number
  /** Files without a document: binary, no text, not readable as text. */
  readonly problems: number
  readonly passes: number
  readonly lastPassAt: Date | null
  readonly lastError: string | null
  /** Who sweeps it now, and until when it is theirs unless they renew it; null when nobody does. */
  readonly holder: string | null
  readonly heldUntil: Date | null
}
