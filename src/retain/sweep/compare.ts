import type { SweptFile } from '../../store/queries/sweep.ts'
import type { FoundFile, Walk } from '../index/walk-folder.ts'

/** What became of a folder's files since they were seen. */
export interface Comparison {
  /** As they were: not read again. */
  readonly same: readonly SweptFile[]
  /** New, or of another size, time or inode. */
  readonly toRead: readonly FoundFile[]
  /** Written a moment ago: their writer may not be done. */
  readonly young: readonly FoundFile[]
  /** Seen before and not there now. */
  readonly vanished: readonly SweptFile[]
}

export interface CompareOptions {
  readonly now: number
  /** Files that were changed within so many milliseconds are left for later. */
  readonly settleMs: number
  /** But not those that were put off for long. */
  readonly isOverdue: (path: string) => boolean
  /** Whether inodes stay what they are; some network file systems make them up. */
  readonly stableInodes: boolean
  /** Read every file. */
  readonly anew: boolean
}

/** Of what could not be looked at, and of what is there but not read, nothing is concluded. */
export function compare(
  walk: Pick<Walk, 'files' | 'skipped' | 'unreadable'>,
  known: ReadonlyMap<string, SweptFile>,
  options: CompareOptions,
): Comparison {
  const same: SweptFile[] = []
  const toRead: FoundFile[] = []
  const young: FoundFile[] = []
  for (const file of walk.files) {
    const seen = known.get(file.relative)
    if (seen !== undefined && !options.anew && isSame(file, seen, options)) same.push(seen)
    else if (Math.abs(options.now - file.modifiedMs) < options.settleMs && !options.isOverdue(file.relative))
      young.push(file)
    else toRead.push(file)
  }
  const present = new Set([
    ...walk.files.map((file) => file.relative),
    ...walk.skipped.map(({ path }) => path),
  ])
  const closed = new Set(walk.unreadable.map(({ path }) => path))
  const vanished = [...known.values()].filter(({ path }) => !present.has(path) && !isBelow(path, closed))
  return { same, toRead, young, vanished }
}

function isSame(file: FoundFile, seen: SweptFile, { stableInodes }: CompareOptions): boolean {
  return (
    seen.size === file.bytes &&
    seen.modifiedMs === file.modifiedMs &&
    (!stableInodes || seen.inode === file.inode)
  )
}

function isBelow(path: string, closed: ReadonlySet<string>): boolean {
  if (closed.size === 0) return false
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1))
    if (closed.has(path.slice(0, at))) return true
  return false
}

/** What is noted of a file that was read. */
export function noteOf(
  file: FoundFile,
  seen: Pick<SweptFile, 'contentHash' | 'problem' | 'reason' | 'missing'>,
  now: Date,
): SweptFile {
  return {
    path: file.relative,
    size: file.bytes,
    // of a file system that counts whole seconds: another write may come within the same one
    modifiedMs:
      file.modifiedMs % 1000 === 0 && now.getTime() - file.modifiedMs < 2000 ? null : file.modifiedMs,
    inode: file.inode,
    ...seen,
    changedAt: now,
  }
}
