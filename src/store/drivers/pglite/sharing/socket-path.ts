import { createHash } from 'node:crypto'
import { lstat, mkdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { ProlepsisError } from '../../../../domain/errors.ts'

// sun_path holds 108 bytes on Linux and 104 on macOS, the final zero included.
const MAX_PATH_BYTES = 100

/**
 * Where an owner with this nonce listens: in the folder, or, where that path is too long for a socket, in a private
 * folder beside other temporary files; on Windows a named pipe.
 */
export function socketPath(runFolder: string, nonce: string): string {
  const name = `${nonce.slice(0, 12)}.sock`
  if (process.platform === 'win32') return `\\\\.\\pipe\\prolepsis-${nonce}`
  const inside = join(runFolder, name)
  if (Buffer.byteLength(inside) <= MAX_PATH_BYTES) return inside
  const user = userInfo()
  const folder = createHash('sha256').update(runFolder).digest('hex').slice(0, 8)
  return join(tmpdir(), `prolepsis-${user.uid}`, `${folder}-${name}`)
}

/** Makes the private folder of a socket outside the data folder. @throws STORE_LOCKED when it is not private. */
export async function prepareSocket(socket: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = dirname(socket)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(folder)
  const isOutside = folder.startsWith(tmpdir()) && folder.endsWith(`prolepsis-${uid}`)
  if (uid !== userInfo().uid || (isOutside && (mode & 0o077) !== 0)) {
    throw new ProlepsisError('STORE_LOCKED', `The folder ${folder} for the store's socket is not private.`, {
      hint: 'Remove it, or choose a data folder with a shorter path.',
    })
  }
  await rm(socket, { force: true })
}

export async function closeSocket(socket: string): Promise<void> {
  if (process.platform !== 'win32') await rm(socket, { force: true })
}
