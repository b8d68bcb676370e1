/**
 * Ending a thread in the middle of a native call aborts the whole process. So the thread marks its native calls, and an exit
 * of the process (`process.exit`, an uncaught error) waits for the one that is running.
 */
export type ExitFlags = Int32Array<SharedArrayBuffer>

const BUSY = 0
const EXITING = 1

/** A run takes a fraction of a second, loading about half of one; a thread that hangs must not hang the exit. */
const LONGEST_WAIT_MS = 5_000

export function createExitFlags(): ExitFlags {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
}

/** In the thread: does what must not be cut short. When the process is exiting already it never starts, and never settles. */
export async function uncut<T>(flags: ExitFlags, work: () => Promise<T>): Promise<T> {
  const done = (): void => {
    Atomics.store(flags, BUSY, 0)
    Atomics.notify(flags, BUSY)
  }
  // busy first, then the look at the other flag: so either this side sees the exit, or the exit sees this side
  Atomics.store(flags, BUSY, 1)
  if (Atomics.load(flags, EXITING) === 1) {
    done()
    return new Promise<never>(() => undefined)
  }
  return work().finally(done)
}

/** In the owner, as the process exits: blocks until the thread is outside of native code. */
export function awaitUncut(flags: ExitFlags): void {
  Atomics.store(flags, EXITING, 1)
  Atomics.wait(flags, BUSY, 1, LONGEST_WAIT_MS)
}
