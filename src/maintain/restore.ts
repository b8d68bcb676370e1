import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { rm, rmdir, stat, statfs } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCodeOf } from '../domain/error-code.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { asFileError, invalidPath } from './backup.ts'

/**
 * Makes an embedded store from a backup, all or nothing. The folder must hold none.
 *
 * @throws ProlepsisError NOT_FOUND, UNREADABLE_FILE, IMPORT_INVALID, INVALID_ARGUMENT, STORE_NEWER, STORE_OLDER_ENGINE
 */
export async function restoreBackup(path: string, dataDir: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw asFileError(error, path)
  })
  if (!found.isFile())
    throw invalidPath(`${path} is not a file.`, 'Give the file that `prolepsis backup` wrote.')
  const { restoreStore } = await import('../store/open.ts')
  const most = await mostRestored(found.size, dataDir)
  const isNew = (await stat(dataDir).catch(() => null)) === null
  try {
    await restoreStore(dataDir, boundedTar(createReadStream(path), path, most))
  } catch (error) {
    if (isNew) await removeEmpty(dataDir)
    throw error
  }
}

/** What was made before anything was read; a folder that something else is in by now stays. */
async function removeEmpty(dataDir: string): Promise<void> {
  await rm(join(dataDir, 'run'), { recursive: true, force: true })
  await rmdir(dataDir).catch(() => undefined)
}

/** A store of little text packs to a ninth; gzip can pack zeros to a thousandth, which no store is. */
const MOST_RATIO = 100
/** However small the file: a new store takes 50 MB. */
const LEAST_ALLOWED_BYTES = 1024 ** 3
/** Left free on the device. */
const SPARE_BYTES = 64 * 1024 ** 2

export interface RestoreLimit {
  readonly bytes: number
  readonly code: 'IMPORT_INVALID' | 'STORE_FULL'
}

/** What a backup of this size may unpack to: a hundred times that, and no more than the device has room for. */
async function mostRestored(fileBytes: number, dataDir: string): Promise<RestoreLimit> {
  const byRatio = Math.max(LEAST_ALLOWED_BYTES, fileBytes * MOST_RATIO)
  const free = await freeBytes(resolve(dataDir))
  return free !== null && free < byRatio
    ? { bytes: free, code: 'STORE_FULL' }
    : { bytes: byRatio, code: 'IMPORT_INVALID' }
}

/** Free on the device of the nearest folder that is there; null where the system does not tell. */
async function freeBytes(folder: string): Promise<number | null> {
  for (let at = folder; ; at = dirname(at)) {
    const found = await statfs(at).catch(() => null)
    if (found !== null) return Math.max(0, found.bavail * found.bsize - SPARE_BYTES)
    if (dirname(at) === at) return null
  }
}

/** The tar of a backup, unpacked where it is packed, until it is more than it may be. */
export async function* boundedTar(
  packed: Readable,
  path: string,
  most: RestoreLimit,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0
  for await (const part of await unpacked(packed, path)) {
    bytes += part.length
    if (bytes > most.bytes) throw tooMuch(path, most)
    yield part
  }
}

async function unpacked(packed: Readable, path: string): Promise<AsyncIterable<Uint8Array>> {
  const head = await firstBytes(packed).catch((error: unknown) => {
    throw asFileError(error, path)
  })
  if (head !== null) packed.unshift(head)
  if (head?.[0] !== 0x1f || head[1] !== 0x8b) return packed
  return gunzipped(packed, path)
}

/** Null at the end of an empty file. */
async function firstBytes(stream: Readable): Promise<Uint8Array | null> {
  await once(stream, 'readable')
  return stream.read()
}

async function* gunzipped(packed: Readable, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = createGunzip()
  packed.on('error', (error) => gunzip.destroy(error))
  try {
    // without an encoding the stream gives buffers
    for await (const part of packed.pipe(gunzip)) yield part as Buffer
  } catch (error) {
    const code = errorCodeOf(error) ?? ''
    if (!/^(?:Z_|ERR_ZLIB)/.test(code)) throw asFileError(error, path)
    throw new ProlepsisError('IMPORT_INVALID', 'The compressed file is damaged.', {
      hint: 'Take another copy of the backup.',
      cause: error,
    })
  } finally {
    packed.destroy()
  }
}

function tooMuch(path: string, { bytes, code }: RestoreLimit): ProlepsisError {
  const details = { path, bytes }
  if (code === 'STORE_FULL') {
    return new ProlepsisError(code, `${path} unpacks to more than the ${bytes} bytes that are free.`, {
      hint: 'Restore onto a larger device.',
      details,
    })
  }
  return new ProlepsisError(
    code,
    `${path} unpacks to more than ${bytes} bytes, as no backup of its size does.`,
    {
      hint: 'Give the file that `prolepsis backup` wrote.',
      details,
    },
  )
}
