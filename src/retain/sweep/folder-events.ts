import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { errorCodeOf } from '../../domain/error-code.ts'

export interface FolderEvents {
  /** Watches these folders, each by itself, and no others; the first ones are watched when it resolves. */
  follow(folders: readonly string[]): Promise<void>
  close(): Promise<void>
}

export interface FolderEventsOptions {
  readonly root: string
  readonly onChange: () => void
  /** The system cannot watch, or not so much. */
  readonly onExhausted: (code: string) => void
}

/** What the walk leaves out anyway: a file that an editor writes every few seconds wakes nobody. */
const PASSING = /(^#.*#|~|\.sw[j-p]|\.tmp|\.part|\.crdownload)$/
const EXHAUSTED: ReadonlySet<unknown> = new Set(['ENOSPC', 'EMFILE', 'ENFILE'])

/**
 * Tells that something changed in a folder, never what: the walk finds that out. Folders are followed one by one, so that those that the
 * ignore rules leave out are not watched. When another folder has taken the place of one, all are watched anew: a watch stays with what it
 * was opened on.
 */
export async function createFolderEvents({
  root,
  onChange,
  onExhausted,
}: FolderEventsOptions): Promise<FolderEvents> {
  const { FSWatcher } = await import('chokidar')
  /** Which folder had the name when it was followed; null: it is known to be gone. */
  const followed = new Map<string, string | null>()
  let isClosed = false
  let open = start()

  function start(): Watch {
    const watcher = new FSWatcher({
      depth: 0,
      followSymlinks: false,
      ignorePermissionErrors: true,
      ignored: (path) => PASSING.test(basename(path)),
    })
    watcher.on('all', (event, path) => {
      // one of the same name may come
      if (event === 'unlinkDir' && followed.has(path)) followed.set(path, null)
      onChange()
    })
    // the root itself was moved or deleted: of that nothing else tells
    watcher.on('raw', (event, _path, details: unknown) => {
      const watched: unknown =
        typeof details === 'object' && details !== null && 'watchedPath' in details
          ? details.watchedPath
          : null
      if (event === 'rename' && watched === root) onChange()
    })
    watcher.on('error', (error) => {
      const code = errorCodeOf(error)
      if (EXHAUSTED.has(code)) onExhausted(String(code))
      else onChange()
    })
    let end: () => void = () => undefined
    const ready = new Promise<void>((resolve) => {
      end = resolve
      watcher.once('ready', resolve)
    })
    return {
      watcher,
      ready,
      close() {
        end()
        return watcher.close()
      },
    }
  }

  return {
    async follow(folders) {
      const now = new Map<string, string | null>()
      for (const folder of folders) now.set(folder, await identityOf(folder))
      const isReplaced = folders.some(
        (folder) => followed.has(folder) && followed.get(folder) !== now.get(folder),
      )
      if (isReplaced) {
        await open.close()
        followed.clear()
        if (isClosed) return
        open = start()
      }
      const left = [...followed.keys()].filter((folder) => !now.has(folder))
      const added = folders.filter((folder) => !followed.has(folder))
      for (const folder of left) followed.delete(folder)
      for (const folder of added) followed.set(folder, now.get(folder) ?? null)
      if (left.length > 0) open.watcher.unwatch(left)
      if (added.length === 0) return
      open.watcher.add(added)
      await open.ready
      // what came between the walk and the watch
      onChange()
    },
    close() {
      isClosed = true
      return open.close()
    },
  }
}

interface Watch {
  readonly watcher: FSWatcher
  /** Resolves when the first folders are watched, or it was closed. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Tells a folder from another one that has its name, and perhaps its inode, later; null when it is gone. */
async function identityOf(folder: string): Promise<string | null> {
  const found = await stat(folder, { bigint: true }).catch(() => null)
  return found === null ? null : `${found.dev}:${found.ino}:${found.birthtimeNs}`
}
