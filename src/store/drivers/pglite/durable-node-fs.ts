import { closeSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
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
    const addSync = (module: { readonly FS: unknown }): void => {
      // The published type of the module's FS does not list stream_ops.
      const fs = module.FS as NodeFsMount
      fs.filesystems.NODEFS.stream_ops.fsync = (stream) => {
        if (stream.nfd !== undefined) this.#disk.sync(stream.nfd)
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

export function syncParent(path: string): void {
  syncFolder(dirname(path))
}
