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
 * ignore rules leave out are not watched.
 */
export async function createFolderEvents({
  root,
  onChange,
  onExhausted,
}: FolderEventsOptions): Promise<FolderEvents> {
  const { FSWatcher } = await import('chokidar')
  const followed = new Set<string>()
  const watcher: FSWatcher = new FSWatcher({
    depth: 0,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path) => PASSING.test(basename(path)),
  })
  watcher.on('all', (event, path) => {
    // one of the same name may come
    if (event === 'unlinkDir') followed.delete(path)
    onChange()
  })
  // the root itself was moved or deleted: of that nothing else tells
  watcher.on('raw', (event, _path, details: unknown) => {
    const watched: unknown =
      typeof details === 'object' && details !== null && 'watchedPath' in details ? details.watchedPath : null
    if (event === 'rename' && watched === root) onChange()
  })
  watcher.on('error', (error) => {
    const code = errorCodeOf(error)
    if (EXHAUSTED.has(code)) onExhausted(String(code))
    else onChange()
  })
  let isClosed: () => void = () => undefined
  const ready = new Promise<void>((resolve) => {
    isClosed = resolve
    watcher.once('ready', resolve)
  })
  return {
    async follow(folders) {
      const now = new Set(folders)
      const left = [...followed].filter((folder) => !now.has(folder))
      const added = folders.filter((folder) => !followed.has(folder))
      for (const folder of left) followed.delete(folder)
      for (const folder of added) followed.add(folder)
      if (left.length > 0) watcher.unwatch(left)
      if (added.length === 0) return
      watcher.add(added)
      await ready
      // what came between the walk and the watch
      onChange()
    },
    close() {
      isClosed()
      return watcher.close()
    },
  }
}
