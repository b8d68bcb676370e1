/**
 * The layout of an embedded data folder:
 *   pg/                 PostgreSQL's own folder, and in it `prolepsis.json`: what wrote it
 *   run/                lock files and the owner's socket
 *   .init-…/            a `pg` that is being made; renamed when complete, so that a half-made one is never opened
 */
import type { Dirent } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errorCodeOf } from '../../../domain/error-code.ts'
import { ProlepsisError } from '../../../domain/errors.ts'
import { syncFolder } from './durable-node-fs.ts'

/** PostgreSQL major of the pinned PGlite; its data folders open in no other. */
export const POSTGRES_MAJOR = 18
const MANIFEST = 'prolepsis.json'
const FORMAT = 1
// As many as Node has threads for files.
const SYNC_LANES = 4

export interface DataFolder {
  readonly root: string
  readonly postgres: string
  readonly run: string
}

export interface Manifest {
  readonly format: number
  readonly postgresMajor: number
  readonly schemaVersion: number
  /** A version of Prolepsis that does not know this schema version cannot work on the folder. */
  readonly breakingVersion: number
}

/** Makes the folder and its parents where they are missing. @throws STORE_READ_ONLY, STORE_FULL, INVALID_ARGUMENT. */
export async function prepareDataFolder(dataDir: string): Promise<DataFolder> {
  const root = resolve(dataDir)
  const folder = { root, postgres: join(root, 'pg'), run: join(root, 'run') }
  try {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await mkdir(folder.run, { recursive: true, mode: 0o700 })
    return folder
  } catch (error) {
    throw folderError(root, errorCodeOf(error) === 'ENOENT' ? await reasonOfMissing(root) : error)
  }
}

/** A recursive mkdir reports what it cannot make as missing: the first folder that is missing tells why. */
async function reasonOfMissing(root: string): Promise<unknown> {
  let missing = root
  while (dirname(missing) !== missing && !(await stat(dirname(missing)).catch(() => null)))
    missing = dirname(missing)
  return mkdir(missing, { mode: 0o700 }).then(
    () => new Error(`${missing} appeared meanwhile`),
    (error: unknown) => error,
  )
}

/** Opens `pg`, or makes it: `make` fills an empty folder, which is flushed and renamed. Only the lock's holder may call this. */
export async function ensurePostgresFolder(
  folder: DataFolder,
  knownSchemaVersion: number,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  try {
    await removeLeftovers(folder)
    if (await isPresent(join(folder.postgres, 'PG_VERSION'))) {
      await requireOpenable(folder.postgres, knownSchemaVersion)
      return
    }
    const temporary = join(folder.root, `.init-${process.pid}`)
    await mkdir(temporary, { mode: 0o700 })
    await make(temporary)
    await requireOpenable(temporary, knownSchemaVersion)
    if (!(await isPresent(join(temporary, MANIFEST)))) {
      await writeManifest(temporary, {
        format: FORMAT,
        postgresMajor: POSTGRES_MAJOR,
        schemaVersion: 0,
        breakingVersion: 0,
      })
    }
    await syncTree(temporary)
    await rename(temporary, folder.postgres)
    syncFolder(folder.root)
  } catch (error) {
    await removeLeftovers(folder).catch(() => undefined) // the first error is the one that tells
    throw folderError(folder.root, error)
  }
}

/** @throws STORE_OLDER_ENGINE or STORE_NEWER, before anything touches the folder. */
async function requireOpenable(postgres: string, knownSchemaVersion: number): Promise<void> {
  const major = Number.parseInt(await readFile(join(postgres, 'PG_VERSION'), 'utf8'), 10)
  if (major < POSTGRES_MAJOR || Number.isNaN(major)) {
    throw new ProlepsisError(
      'STORE_OLDER_ENGINE',
      `The data folder was written by PostgreSQL ${major}; this version of Prolepsis embeds ${POSTGRES_MAJOR}.`,
      { hint: 'Export with the version that wrote it, and import into a new folder.', details: { major } },
    )
  }
  const manifest = await readManifest(postgres)
  const newer =
    major > POSTGRES_MAJOR ||
    (manifest !== null && (manifest.format > FORMAT || manifest.breakingVersion > knownSchemaVersion))
  if (newer) {
    throw new ProlepsisError('STORE_NEWER', 'The data folder was written by a newer version of Prolepsis.', {
      hint: 'Upgrade Prolepsis, or choose another data folder.',
      details: { major, schemaVersion: manifest?.schemaVersion ?? null },
    })
  }
}

export async function readManifest(postgres: string): Promise<Manifest | null> {
  const text = await readFile(join(postgres, MANIFEST), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    const value: unknown = JSON.parse(text)
    if (isManifest(value)) return value
  } catch {
    // reported below, like any other content that is not ours
  }
  throw new ProlepsisError('STORE_DAMAGED', `The file ${MANIFEST} of the data folder is not readable.`, {
    hint: 'Restore a backup into a new folder.',
  })
}

function isManifest(value: unknown): value is Manifest {
  if (typeof value !== 'object' || value === null) return false
  const numbers = ['format', 'postgresMajor', 'schemaVersion', 'breakingVersion'] as const
  return numbers.every((name) => name in value && Number.isInteger((value as Record<string, unknown>)[name]))
}

/** Records the schema version in the folder, if it changed. */
export async function recordSchema(
  postgres: string,
  schema: { readonly schemaVersion: number; readonly breakingVersion: number },
): Promise<void> {
  const manifest = await readManifest(postgres)
  if (manifest?.schemaVersion === schema.schemaVersion && manifest.breakingVersion === schema.breakingVersion)
    return
  await writeManifest(postgres, { format: FORMAT, postgresMajor: POSTGRES_MAJOR, ...schema })
}

async function writeManifest(postgres: string, manifest: Manifest): Promise<void> {
  const path = join(postgres, MANIFEST)
  const file = await open(`${path}.new`, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(manifest)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(`${path}.new`, path)
  syncFolder(postgres)
}

async function removeLeftovers(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.root)) {
    if (name.startsWith('.init-')) await rm(join(folder.root, name), { recursive: true, force: true })
  }
}

async function syncTree(root: string): Promise<void> {
  const entries = await readdir(root, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => !entry.isDirectory()).map(pathOf)
  // One after another they take 1.5 s; side by side the disk takes them together.
  const lane = async (): Promise<void> => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) await syncFile(path)
  }
  await Promise.all(Array.from({ length: SYNC_LANES }, lane))
  for (const entry of entries) if (entry.isDirectory()) syncFolder(pathOf(entry))
  syncFolder(root)
}

function pathOf(entry: Dirent): string {
  return join(entry.parentPath, entry.name)
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

async function isPresent(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    (error: unknown) => {
      if (errorCodeOf(error) === 'ENOENT') return false
      throw error
    },
  )
}

/** What the file system refused, in our words; other errors pass through. */
export function folderError(root: string, error: unknown): unknown {
  const details = { path: root }
  switch (errorCodeOf(error)) {
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new ProlepsisError('STORE_READ_ONLY', `The data folder ${root} cannot be written.`, {
        hint: 'Choose another data folder, or give yourself the right to write to it.',
        cause: error,
        details,
      })
    case 'ENOSPC':
    case 'EDQUOT':
      return new ProlepsisError('STORE_FULL', `There is no space left for the data folder ${root}.`, {
        hint: 'Free space on the device that holds it.',
        cause: error,
        details,
      })
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ELOOP':
    case 'ENAMETOOLONG':
      return new ProlepsisError(
        'INVALID_ARGUMENT',
        `The data folder ${root} is not a folder that can be made.`,
        {
          hint: 'Choose another path.',
          cause: error,
          details: { ...details, option: 'dataDir' },
        },
      )
    default:
      return error
  }
}
