import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve, sep } from 'node:path'
import { errorCodeOf } from '../../domain/error-code.ts'
import { ProlepsisError } from '../../domain/errors.ts'

export interface FolderLimits {
  /** The store's data folder, where it has one. */
  readonly dataDir: string | null
  readonly home: string
}

export interface FolderToSweep {
  /** Real path; of a folder that is not there, as far as it can be told. */
  readonly root: string
  readonly isThere: boolean
}

/** Of these, and of what is below them, nothing is a text of the user's. */
const OF_THE_SYSTEM: readonly string[] = ['/proc', '/sys', '/dev', '/boot', '/bin', '/sbin', '/lib', '/lib64']
/** Not as a whole; a folder below may be swept. */
const TOO_WIDE: readonly string[] = [
  '/etc',
  '/usr',
  '/var',
  '/opt',
  '/run',
  '/mnt',
  '/media',
  '/srv',
  '/System',
  '/Library',
]
const OF_WINDOWS = /^[a-z]:\\(windows|program files( \(x86\))?|programdata)(\\|$)/i
/** Path and prefix are one key of an index. */
const MAX_KEY_BYTES = 2000

/**
 * The folder that a path names, if it may be swept: not a whole disk, home folder or part of the system, not within the data folder.
 *
 * @throws ProlepsisError INVALID_ARGUMENT, UNREADABLE_FILE
 */
export async function folderToSweep(
  path: string,
  sourcePrefix: string,
  { dataDir, home }: FolderLimits,
): Promise<FolderToSweep> {
  const found = await realPath(resolve(path))
  const { root } = found
  if (found.isThere && !(await stat(root)).isDirectory())
    throw refused(path, 'is a file', 'Name its folder, or index the file.')
  if (parse(root).root === root) throw refused(path, 'is a whole disk')
  const own = await realPathIfReadable(home)
  if (root === own) throw refused(path, 'is the home folder')
  if (isWithin(own, root)) throw refused(path, 'holds the home folder')
  if (OF_THE_SYSTEM.some((folder) => isWithin(root, folder)) && !isWithin(root, '/dev/shm'))
    throw refused(path, 'belongs to the system')
  if (TOO_WIDE.includes(root) || OF_WINDOWS.test(root)) throw refused(path, 'belongs to the system')
  if (dataDir !== null && isWithin(root, await realPathIfReadable(dataDir)))
    throw refused(path, 'is the store’s own data folder, or within it')
  if (Buffer.byteLength(root) + Buffer.byteLength(sourcePrefix) > MAX_KEY_BYTES)
    throw refused(path, `has a path and a prefix of more than ${MAX_KEY_BYTES} bytes`)
  return found
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)

function refused(
  path: string,
  reason: string,
  hint = 'Name a folder of texts: it is watched and read as a whole.',
): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${path} cannot be swept: it ${reason}.`, {
    hint,
    details: { option: 'dir', path },
  })
}

/** What this user may not reach has the path that it is named by. */
async function realPathIfReadable(path: string): Promise<string> {
  return realPath(resolve(path)).then(
    (found) => found.root,
    () => resolve(path),
  )
}

/** The real path of what is there, and of what is not the real path of the folder that would hold it. */
async function realPath(path: string): Promise<FolderToSweep> {
  try {
    return { root: await realpath(path), isThere: true }
  } catch (error) {
    const code = errorCodeOf(error)
    const parent = dirname(path)
    if ((code === 'ENOENT' || code === 'ENOTDIR') && parent !== path)
      return { root: join((await realPath(parent)).root, basename(path)), isThere: false }
    // a mount whose server is gone
    if (code === 'ESTALE' || code === 'EIO' || code === 'ENOTCONN') return { root: path, isThere: false }
    throw new ProlepsisError('UNREADABLE_FILE', `Cannot read ${path}: ${String(code ?? 'unknown')}.`, {
      hint: 'Name a folder that this user may read.',
      cause: error,
      details: { path },
    })
  }
}
