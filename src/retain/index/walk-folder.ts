import type { Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { errorCodeOf } from '../../domain/error-code.ts'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import { type IgnoreRules, rulesAt } from './ignore-rules.ts'

export interface WalkOptions {
  readonly gitignore: boolean
  readonly ignore: readonly string[]
  readonly maxBytes: number
  /** Take what begins with a dot too. */
  readonly hidden: boolean
  /** Follow links to files and folders; a folder that was entered already is not entered again. */
  readonly followLinks: boolean
  /** Absolute paths that are never entered, by whatever link: the store's own folder. */
  readonly exclude: readonly string[]
  readonly signal?: AbortSignal | undefined
}

export interface FoundFile {
  readonly path: string
  /** Relative to the root, with `/`. */
  readonly relative: string
  readonly bytes: number
  /** Milliseconds since the epoch, with fractions. */
  readonly modifiedMs: number
  readonly inode: string
}

export interface SkippedPath {
  readonly path: string
  readonly reason: string
}

export interface Walk {
  /** Real path of the folder (of the file's folder when a file was named). */
  readonly root: string
  /** Of the file system that the root is on. */
  readonly device: string
  /** Absolute paths of the folders that were entered, the root first. */
  readonly folders: readonly string[]
  /** In order of their relative paths. */
  readonly files: readonly FoundFile[]
  /** Present but not read: too large, a link, not a regular file. */
  readonly skipped: readonly SkippedPath[]
  /** How many files and folders were left out for being hidden, what is in such folders not counted. */
  readonly hidden: number
  /** Folders and files that could not be looked at; nothing may be concluded about what is in them. */
  readonly unreadable: readonly (SkippedPath & { readonly code: string })[]
  /** Whether a whole folder was walked, so that what is missing is gone. */
  readonly complete: boolean
}

interface Progress {
  readonly root: string
  readonly options: WalkOptions
  readonly files: FoundFile[]
  readonly skipped: SkippedPath[]
  readonly unreadable: (SkippedPath & { readonly code: string })[]
  hidden: number
  /** Real paths. */
  readonly entered: Set<string>
  /** Real paths, where they exist. */
  readonly exclude: readonly string[]
  /** Left for when the folders are walked, so that each of these goes by its own name. */
  readonly links: { readonly path: string; readonly rules: IgnoreRules }[]
}

interface Folder {
  /** Below the root; through links where these are followed. */
  readonly path: string
  readonly real: string
}

/**
 * Every file below a folder that the ignore rules leave, sorted; or the one file that was named.
 *
 * @throws ProlepsisError NOT_FOUND, UNREADABLE_FILE when the path itself cannot be looked at; CANCELLED
 */
export async function walkFolder(path: string, options: WalkOptions): Promise<Walk> {
  const real = await realPathOf(path)
  const found = await stat(real)
  const root = found.isDirectory() ? real : dirname(real)
  const progress: Progress = {
    root,
    options,
    files: [],
    skipped: [],
    unreadable: [],
    hidden: 0,
    entered: new Set([root]),
    exclude: await Promise.all(options.exclude.map((one) => realpath(one).catch(() => one))),
    links: [],
  }
  if (found.isDirectory()) {
    await readableOrThrow(root, path)
    const rules = await rulesAt(root, { gitignore: options.gitignore, patterns: options.ignore })
    await walkInto({ path: root, real: root }, rules, progress)
    for (let next = progress.links.shift(); next !== undefined; next = progress.links.shift()) {
      const { path, rules } = next
      await attempt(path, progress, () => visitLink(path, rules, progress))
    }
  } else {
    addFile(real, basename(real), found, progress)
  }
  const byPath = (a: { readonly relative: string }, b: { readonly relative: string }): number =>
    a.relative < b.relative ? -1 : 1
  // an unreadable root proves nothing about anything
  const complete = found.isDirectory() && progress.unreadable.every((closed) => closed.path !== '')
  const { files, skipped, unreadable, hidden } = progress
  return {
    root,
    device: String(found.dev),
    folders: [...progress.entered],
    files: files.sort(byPath),
    skipped,
    unreadable,
    hidden,
    complete,
  }
}

async function walkInto(folder: Folder, rules: IgnoreRules, progress: Progress): Promise<void> {
  throwIfAborted(progress.options.signal)
  const entries = await readdir(folder.path, { withFileTypes: true }).catch((error: unknown) => {
    progress.unreadable.push({ path: nameOf(folder.path, progress), ...reasonOf(error) })
    return []
  })
  for (const entry of entries) {
    const path = join(folder.path, entry.name)
    if (entry.isSymbolicLink()) progress.links.push({ path, rules })
    else {
      const real = join(folder.real, entry.name)
      await attempt(path, progress, () => visit({ path, real }, entry.isDirectory(), rules, progress))
    }
  }
}

/** What cannot be looked at is noted and stops nothing. */
async function attempt(path: string, progress: Progress, look: () => Promise<void>): Promise<void> {
  try {
    await look()
  } catch (error) {
    if (error instanceof ProlepsisError) throw error
    const name = nameOf(path, progress)
    // what stands for bytes that are no UTF-8 names nothing that is there
    if (basename(path).includes('\ufffd') && isMissing(error))
      progress.skipped.push({ path: name, reason: 'its name is not valid UTF-8' })
    else progress.unreadable.push({ path: name, ...reasonOf(error) })
  }
}

async function visit(
  { path, real }: Folder,
  isFolder: boolean,
  rules: IgnoreRules,
  progress: Progress,
): Promise<void> {
  if (progress.exclude.includes(real) || rules.ignores(path, isFolder)) return
  if (leavesHidden(path, isFolder, rules, progress)) return
  const found = await lstat(path)
  if (!found.isDirectory()) return addFile(path, nameOf(path, progress), found, progress)
  if (!enter({ path, real }, progress)) return
  return walkInto({ path, real }, await rules.enter(path), progress)
}

async function visitLink(path: string, rules: IgnoreRules, progress: Progress): Promise<void> {
  if (rules.ignores(path, false) || leavesHidden(path, false, rules, progress)) return
  const name = nameOf(path, progress)
  if (!progress.options.followLinks) {
    progress.skipped.push({ path: name, reason: 'a link' })
    return
  }
  throwIfAborted(progress.options.signal)
  const real = await realpath(path)
  if (progress.exclude.includes(real)) return
  const found = await stat(real)
  if (!found.isDirectory()) return addFile(path, name, found, progress)
  if (rules.ignores(path, true) || !enter({ path, real }, progress)) return
  return walkInto({ path, real }, await rules.enter(path), progress)
}

/** Keys and passwords lie in files that begin with a dot; who wants one names it by a `!` rule. */
function leavesHidden(path: string, isFolder: boolean, rules: IgnoreRules, progress: Progress): boolean {
  if (progress.options.hidden || !basename(path).startsWith('.') || rules.bringsBack(path, isFolder))
    return false
  progress.hidden++
  return true
}

/** False for a folder that was entered already, or that holds the root. */
function enter({ path, real }: Folder, progress: Progress): boolean {
  const isNew = !progress.entered.has(real) && !progress.root.startsWith(`${real}${sep}`)
  if (isNew) progress.entered.add(real)
  else {
    progress.skipped.push({ path: nameOf(path, progress), reason: 'a folder that is walked already' })
  }
  return isNew
}

function addFile(
  path: string,
  name: string,
  found: Pick<Stats, 'isFile' | 'size' | 'mtimeMs' | 'ino'>,
  progress: Progress,
): void {
  const { maxBytes } = progress.options
  if (!found.isFile()) progress.skipped.push({ path: name, reason: 'not a regular file' })
  else if (found.size > maxBytes) {
    progress.skipped.push({ path: name, reason: `${found.size} bytes, over the limit of ${maxBytes}` })
  } else {
    const { size, mtimeMs, ino } = found
    progress.files.push({ path, relative: name, bytes: size, modifiedMs: mtimeMs, inode: String(ino) })
  }
}

const nameOf = (path: string, progress: Progress): string =>
  relative(progress.root, path).split(sep).join('/')

const isMissing = (error: unknown): boolean => errorCodeOf(error) === 'ENOENT'

function reasonOf(error: unknown): { readonly code: string; readonly reason: string } {
  const code = errorCodeOf(error) ?? 'unknown'
  return { code: 'UNREADABLE_FILE', reason: REASONS[code] ?? code }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'vanished, or a link to nothing',
  ELOOP: 'a loop of links',
  ENAMETOOLONG: 'its path is too long',
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    const { reason } = reasonOf(error)
    const missing = isMissing(error)
    throw new ProlepsisError(missing ? 'NOT_FOUND' : 'UNREADABLE_FILE', `Cannot read ${path}: ${reason}.`, {
      hint: missing ? 'Check the path.' : 'Name a folder or file that this user may read.',
      cause: error,
      details: { path },
    })
  }
}

async function readableOrThrow(root: string, path: string): Promise<void> {
  await readdir(root).catch((error: unknown) => {
    throw new ProlepsisError('UNREADABLE_FILE', `Cannot read ${path}: ${reasonOf(error).reason}.`, {
      hint: 'Name a folder that this user may read.',
      cause: error,
      details: { path },
    })
  })
}
