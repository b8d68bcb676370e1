import { randomUUID } from 'node:crypto'
import { createWriteStream, type Stats } from 'node:fs'
import { lstat, realpath, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { errorCodeOf, ProlepsisError } from '../schema/names.ts'
import { fileError } from './files.ts'
import type { CliIo } from './io.ts'
import { openPipeToWrite } from './named-pipes.ts'

/**
 * Writes lines to a file, under another name until it is whole, so that an interrupted run leaves no half file; or straight into
 * what is no regular file: a pipe, a device.
 *
 * @returns how many lines
 * @throws ProlepsisError INVALID_ARGUMENT for a file that exists, unless `force`, and for a folder; NOT_FOUND,
 * UNREADABLE_FILE, STORE_FULL, CANCELLED
 */
export async function writeLines(
  file: string,
  lines: AsyncIterable<string>,
  io: CliIo,
  force: boolean,
): Promise<number> {
  const path = resolve(io.cwd, file)
  let count = 0
  async function* terminated(): AsyncGenerator<string> {
    for await (const line of lines) {
      count += 1
      yield `${line}\n`
    }
  }
  const into = (stream: Writable): Promise<void> =>
    pipeline(Readable.from(terminated()), stream, { signal: io.signal })
  try {
    const found = await targetOf(path)
    if (found?.isFIFO() === true) await into(await openPipeToWrite(path, io.signal))
    // what /dev/stdout stands for may be a file, which the shell has opened already
    else if (found !== null && (!found.isFile() || /^\/(?:dev|proc)\//.test(path))) {
      if (found.isDirectory()) throw refused(`${file} is a folder.`, 'Name a file in it.')
      await into(createWriteStream(path, { flags: 'a' }))
    } else {
      if (found !== null && !force)
        throw refused(`${file} exists already.`, 'Name a new file, or add --force to replace it.')
      // through a link to what it leads to, so that the link stays
      await whole(found === null ? path : await realpath(path), into)
    }
  } catch (error) {
    if (io.signal.aborted) throw new ProlepsisError('CANCELLED', 'Interrupted.', { cause: error })
    throw fileError(error, file)
  }
  return count
}

/** What is at the path; null for nothing. */
async function targetOf(path: string): Promise<Stats | null> {
  const found = await stat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found !== null) return found
  const link = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (link !== null) throw refused(`${path} is a link to nothing.`, 'Name a new file, or remove the link.')
  return null
}

const isMissing = (error: unknown): boolean => errorCodeOf(error) === 'ENOENT'

async function whole(path: string, into: (stream: Writable) => Promise<void>): Promise<void> {
  const partial = `${path}.${randomUUID().slice(0, 8)}.partial`
  try {
    // it holds all that the bank does: for its owner alone, as the store is
    await into(createWriteStream(partial, { flags: 'wx', mode: 0o600 }))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

function refused(message: string, hint: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', message, { hint, details: { option: 'file' } })
}
