import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorCodeOf } from '../../../domain/error-code.ts'
import { ProlepsisError } from '../../../domain/errors.ts'
import { ensurePostgresFolder, folderError, prepareDataFolder } from './data-folder.ts'
import { takeLock } from './sharing/folder-lock.ts'
import { ownerListens } from './sharing/owner-client.ts'
import { socketPath } from './sharing/socket-path.ts'
import { untarInto } from './tar.ts'

/**
 * Makes an embedded data folder from a dump (a tar stream as `Database.dump` yields it, gzip or not). All or nothing.
 * @throws INVALID_ARGUMENT when the folder holds a store already, IMPORT_INVALID, STORE_LOCKED, STORE_NEWER, STORE_OLDER_ENGINE.
 */
export async function restoreFolder(
  dataDir: string,
  tar: AsyncIterable<Uint8Array>,
  knownSchemaVersion: number,
): Promise<void> {
  const folder = await prepareDataFolder(dataDir)
  const outcome = await takeLock({
    folder: folder.run,
    socketFor: (nonce) => socketPath(folder.run, nonce),
    probe: ownerListens,
  }).catch((error: unknown) => {
    throw folderError(folder.root, error)
  })
  if (outcome.kind === 'other') {
    throw new ProlepsisError(
      'STORE_LOCKED',
      `Process ${outcome.record.pid} holds the data folder ${folder.root}.`,
      {
        hint: 'Restore into a new folder.',
      },
    )
  }
  try {
    await requireEmpty(folder.postgres)
    await ensurePostgresFolder(folder, knownSchemaVersion, async (temporary) => {
      await untarInto(temporary, unzipped(tar))
      await readFile(join(temporary, 'PG_VERSION')).catch((error: unknown) => {
        if (errorCodeOf(error) !== 'ENOENT') throw error
        throw new ProlepsisError('IMPORT_INVALID', 'This tar file does not hold a store.', {
          hint: 'Give the file that `prolepsis backup` wrote.',
        })
      })
    })
  } finally {
    await outcome.lock.release()
  }
}

async function requireEmpty(postgres: string): Promise<void> {
  const present = await readFile(join(postgres, 'PG_VERSION')).catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return null
    throw error
  })
  if (present === null) return
  throw new ProlepsisError('INVALID_ARGUMENT', 'The data folder holds a store already.', {
    hint: 'Restore into a new folder.',
    details: { option: 'dataDir' },
  })
}

/** Decompresses what begins as gzip does. */
async function* unzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array(0)
  while (head.length < 2) {
    const next = await chunks.next()
    if (next.done) break
    head = Buffer.concat([head, next.value])
  }
  const whole = rejoin(head, chunks)
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole
    return
  }
  const gunzip = createGunzip()
  const input = Readable.from(whole, { objectMode: false })
  input.on('error', (error) => gunzip.destroy(error))
  try {
    // Without an encoding the stream yields buffers.
    for await (const chunk of input.pipe(gunzip)) yield chunk as Buffer
  } catch (error) {
    if (errorCodeOf(error)?.startsWith('Z_') || errorCodeOf(error)?.startsWith('ERR_ZLIB')) {
      throw new ProlepsisError('IMPORT_INVALID', 'The compressed file is damaged.', {
        hint: 'Take another copy of the backup.',
        cause: error,
      })
    }
    throw error
  }
}

async function* rejoin(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (;;) {
    const next = await rest.next()
    if (next.done) return
    yield next.value
  }
}
