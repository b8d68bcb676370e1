import { open } from 'node:fs/promises'
import { ProlepsisError } from '../../domain/errors.ts'

const ATTEMPTS = 2

/**
 * A file's bytes as they were at one moment: size and time of change are compared before and after, and a file that
 * changed meanwhile is read once more.
 *
 * @throws ProlepsisError UNREADABLE_FILE; TEXT_TOO_LARGE when it grew over `maxBytes`
 */
export async function readStableFile(path: string, maxBytes: number): Promise<Uint8Array> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const bytes = await readOnce(path, maxBytes)
    if (bytes !== null) return bytes
  }
  throw new ProlepsisError('UNREADABLE_FILE', `${path} changes while it is read.`, {
    hint: 'Index again when its writer is done.',
    retryable: true,
    details: { path },
  })
}

async function readOnce(path: string, maxBytes: number): Promise<Uint8Array | null> {
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw unreadable(path, 'open', error)
  })
  try {
    const before = await handle.stat()
    if (before.size > maxBytes) {
      throw new ProlepsisError(
        'TEXT_TOO_LARGE',
        `${path} has ${before.size} bytes; the limit is ${maxBytes}.`,
        {
          hint: 'Raise maxBytes, or leave it out by an ignore rule.',
          details: { path, bytes: before.size, maxBytes },
        },
      )
    }
    const bytes = await handle.readFile().catch((error: unknown) => {
      throw unreadable(path, 'read', error)
    })
    const after = await handle.stat()
    const same =
      before.size === bytes.length && after.size === bytes.length && before.mtimeMs === after.mtimeMs
    return same ? bytes : null
  } finally {
    await handle.close()
  }
}

/** A folder that took the file's place, a device that fails: only this file is lost to the run. */
function unreadable(path: string, doing: 'open' | 'read', cause: unknown): ProlepsisError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
  return new ProlepsisError('UNREADABLE_FILE', `Cannot ${doing} ${path}: ${code}.`, {
    hint: 'Check that it still exists and that this user may read it.',
    cause,
    details: { path },
  })
}
