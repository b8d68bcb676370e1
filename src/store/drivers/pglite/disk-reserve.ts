import { open, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

const RESERVE_BYTES = 4 * 1024 * 1024
const PLENTY_BYTES = 64 * 1024 * 1024

/**
 * A file that only takes up space. When the disk is full the engine cannot even recover; giving this up lets it start,
 * so that everything can be read and something be deleted.
 */
export interface DiskReserve {
  /** True when there was something to give up. */
  release(): Promise<boolean>
  /** Sets it aside (again) where there is plenty of space. */
  set(): Promise<void>
}

export function createDiskReserve(folder: string): DiskReserve {
  const path = join(folder, 'reserve')
  const present = (): Promise<boolean> =>
    stat(path).then(
      () => true,
      () => false,
    )
  return {
    async release() {
      if (!(await present())) return false
      await rm(path, { force: true })
      return true
    },
    async set() {
      const { bavail, bsize } = await statfs(folder)
      if (bavail * bsize < PLENTY_BYTES || (await present())) return
      const file = await open(path, 'w', 0o600)
      try {
        await file.writeFile(Buffer.alloc(RESERVE_BYTES, 'prolepsis reserve '))
      } finally {
        await file.close()
      }
    },
  }
}
