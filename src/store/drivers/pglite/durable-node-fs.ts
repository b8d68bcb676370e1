import { closeSync, fstatSync, fsyncSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The calls that reach the disk, injectable so that a test can count them. */
export interface DiskSync {
  /** @param descriptor of an open file */
  sync(descriptor: number): void
}

export const nodeDiskSync: DiskSync = { sync: fsyncSync }

interface FsStream {
  readonly nfd?: number
}

interface NodeFsMount {
  readonly filesystems: { readonly NODEFS: { stream_ops: { fsync?: (stream: FsStream) => number } } }
}

type InitArguments = Parameters<NodeFS['init']>

/**
 * PGlite's NodeFS has no fsync operation, so that even with fsync=on nothing is flushed. This adds it; the engine must
 * also be started without `-F` and with `wal_sync_method=fsync` (fdatasync and open_datasync do not come through).
 */
export class DurableNodeFS extends NodeFS {
  readonly #disk: DiskSync

  constructor(dataDir: string, disk: DiskSync = nodeDiskSync) {
    super(dataDir)
    this.#disk = disk
  }

  override async init(pg: InitArguments[0], options: InitArguments[1]): ReturnType<NodeFS['init']> {
    const prepared = await super.init(pg, options)
    const flushed = flushedBefore(this.rootDir)
    const addSync = (module: { readonly FS: unknown }): void => {
      // The published type of the module's FS does not list stream_ops.
      const fs = module.FS as NodeFsMount
      fs.filesystems.NODEFS.stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined && fstatSync(stream.nfd).mtimeMs >= flushed) this.#disk.sync(stream.nfd)
        return 0
      }
    }
    return {
      emscriptenOpts: {
        ...prepared.emscriptenOpts,
        preRun: [...(prepared.emscriptenOpts.preRun ?? []), addSync],
      },
    }
  }
}

// Far longer than a checkpoint takes, and than a clock is set back.
const MARGIN_MS = 60_000

/**
 * After a crash PostgreSQL flushes each of its 1,000 files (3.5 s at 1.6 ms each), for what was written after the last
 * checkpoint and is still in the system's cache. The checkpoint flushed everything older, and then wrote pg_control: files
 * last written well before that need no flush. A copied folder (its times are older than its entry) is flushed whole.
 */
function flushedBefore(folder: string): number {
  const control = statSync(join(folder, 'global', 'pg_control'), { throwIfNoEntry: false })
  if (control === undefined || Math.abs(control.ctimeMs - control.mtimeMs) > MARGIN_MS) return 0
  return control.mtimeMs - MARGIN_MS
}

/** Flushes a folder's own entries (a rename or a new file in it) where the platform can. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
