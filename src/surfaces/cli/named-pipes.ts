import { constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCodeOf, ProlepsisError } from '../schema/names.ts'

// Opened without waiting for the other side, and used as a socket is: an ordinary open, read or write of a pipe holds a
// thread that no interrupt frees.

/** How often a pipe without a reader is looked at again. */
const RETRY_MS = 50

export function openPipeToRead(path: string): Socket {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/** Waits for a reader. @throws ProlepsisError CANCELLED */
export async function openPipeToWrite(path: string, signal: AbortSignal): Promise<Socket> {
  for (;;) {
    try {
      const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      return new Socket({ fd, readable: false, writable: true })
    } catch (error) {
      // what the system says while there is no reader
      if (errorCodeOf(error) !== 'ENXIO') throw error
    }
    await sleep(RETRY_MS, undefined, { signal }).catch((cause: unknown) => {
      throw new ProlepsisError('CANCELLED', 'Interrupted.', { cause })
    })
  }
}
