import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import { type IgnoreRules, rulesAt } from './ignore-rules.ts'

export interface WalkOptions {
  readonly gitignore: boolean
  readonly ignore: readonly string[]
  readonly maxBytes: number
  /** Follow links to files and folders; a folder that was entered already is not entered again. */
  readonly followLinks: boolean
  /** Absolute paths that are never entered: the store's own folder. */
  readonly exclude: readonly string[]
  readonly signal?: AbortSignal | undefined
}

export interface FoundFile {
  readonly path: string
  /** Relative to the root, with `/`. */
  readonly relative: string
  readonly bytes: number
}

export interface SkippedPath {
  readonly path: string
  readonly reason: string
}

export interface Walk {
  /** Real path of the folder (of the file's folder when a file was named). */
  readonly root: string
  /** In order of their relative paths. */
  readonly files: readonly FoundFile[]
  /** Present but not read: too large, a link, not a regular file. */
  readonly skipped: readonly SkippedPath[]
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
  readonly entered: Set<string>
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
    entered: new Set([root]),
  }
  if (found.isDirectory()) {
    await readableOrThrow(root, path)
    const rules = await rulesAt(root, { gitignore: options.gitignore, patterns: options.ignore })
    await walkInto(root, rules, progress)
  } else {
    addFile(real, basename(real), found, progress)
  }
  const byPath = (a: { readonly relative: string }, b: { readonly relative: string }): number =>
    a.relative < b.relative ? -1 : 1
  // an unreadable root proves nothing about anything
  const complete = found.isDirectory() && progress.unreadable.every((closed) => closed.path !== '')
  return { ...progress, files: progress.files.sort(byPath), complete }
}

async function walkInto(folder: string, rules: IgnoreRules, progress: Progress): Promise<void> {
  throwIfAborted(progress.options.signal)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    progress.unreadable.push({ path: nameOf(folder, progress), ...reasonOf(error) })
    return []
  })
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (progress.options.exclude.includes(path)) continue
    try {
      await visit(path, entry, rules, progress)
    } catch (error) {
      if (error instanceof ProlepsisError) throw error
      progress.unreadable.push({ path: nameOf(path, progress), ...reasonOf(error) })
    }
  }
}

async function visit(
  path: string,
  entry: { isSymbolicLink(): boolean; isDirectory(): boolean },
  rules: IgnoreRules,
  progress: Progress,
): Promise<void> {
  if (rules.ignores(path, entry.isDirectory())) return
  if (entry.isSymbolicLink()) return visitLink(path, rules, progress)
  const found = await lstat(path)
  if (found.isDirectory()) {
    progress.entered.add(path)
    return walkInto(path, await rules.enter(path), progress)
  }
  addFile(path, nameOf(path, progress), found, progress)
}

async function visitLink(path: string, rules: IgnoreRules, progress: Progress): Promise<void> {
  const name = nameOf(path, progress)
  if (!progress.options.followLinks) {
    progress.skipped.push({ path: name, reason: 'a link' })
    return
  }
  const target = await realpath(path)
  const found = await stat(target)
  if (!found.isDirectory()) return addFile(path, name, found, progress)
  if (rules.ignores(path, true)) return
  const inside = `${target}${sep}`
  if (progress.entered.has(target) || progress.root.startsWith(inside)) {
    progress.skipped.push({ path: name, reason: 'a link to a folder that is walked already' })
    return
  }
  progress.entered.add(target)
  await walkInto(path, await rules.enter(path), progress)
}

function addFile(
  path: string,
  name: string,
  found: { isFile(): boolean; readonly size: number },
  progress: Progress,
): void {
  const { maxBytes } = progress.options
  if (!found.isFile()) progress.skipped.push({ path: name, reason: 'not a regular file' })
  else if (found.size > maxBytes) {
    progress.skipped.push({ path: name, reason: `${found.size} bytes, over the limit of ${maxBytes}` })
  } else progress.files.push({ path, relative: name, bytes: found.size })
}

const nameOf = (path: string, progress: Progress): string =>
  relative(progress.root, path).split(sep).join('/')

function reasonOf(error: unknown): { readonly code: string; readonly reason: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
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
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
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
