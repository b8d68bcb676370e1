import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorCodeOf } from '../domain/error-code.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { Database } from '../store/database.ts'

/**
 * Writes a consistent copy of the whole embedded store as a gzip tar; under another name until it is complete.
 *
 * @throws ProlepsisError INVALID_ARGUMENT when the file exists, or on a server (the hint names pg_dump); STORE_FULL
 */
export async function backupStore(database: Database, path: string): Promise<{ readonly bytes: number }> {
  if (typeof path !== 'string' || path.trim() === '')
    throw invalidPath('path must name the file to write.', 'backup.tar.gz')
  if (database.engine === 'postgres') {
    throw new ProlepsisError('INVALID_ARGUMENT', 'A server is not backed up by Prolepsis.', {
      hint: 'Use pg_dump on the database URL, or `prolepsis export` for a bank.',
    })
  }
  if ((await stat(path).catch(() => null)) !== null)
    throw invalidPath(`${path} exists already.`, 'Name a new file.')
  const partial = `${path}.partial`
  try {
    await pipeline(
      Readable.from(database.dump()),
      createGzip({ level: 6 }),
      // it holds all that was ever kept: for its owner alone, as the store is
      createWriteStream(partial, { flush: true, mode: 0o600 }),
    )
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw asFileError(error, path)
  }
  return { bytes: (await stat(path)).size }
}

/** What the system says about a file, in our words; any other error as it is. */
export function asFileError(error: unknown, path: string): unknown {
  const code = errorCodeOf(error)
  const as = (
    ours: 'NOT_FOUND' | 'UNREADABLE_FILE' | 'STORE_FULL',
    message: string,
    hint: string,
  ): ProlepsisError => new ProlepsisError(ours, message, { hint, cause: error, details: { path } })
  if (code === 'ENOENT')
    return as('NOT_FOUND', `There is no such file or folder: ${path}.`, 'Check the path.')
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return as('UNREADABLE_FILE', `${path} cannot be opened: permission denied.`, 'Choose another place.')
  }
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return as('STORE_FULL', `No space is left to write ${path}.`, 'Free space, or choose another device.')
  }
  return error
}

export function invalidPath(message: string, hint: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', message, { hint, details: { option: 'path' } })
}
