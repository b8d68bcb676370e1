import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { ProlepsisError } from '../../../domain/errors.ts'
import { freshCluster } from './cluster.ts'
import { type DiskSync, DurableNodeFS } from './durable-node-fs.ts'
import type { PgliteEngine } from './engine.ts'
import { extendedQuery } from './extended-query.ts'
import type { RawResult } from './raw-database.ts'

export interface SessionOptions {
  /** Data folder of PostgreSQL (not of Prolepsis), in an empty one initdb runs; absent: in memory. */
  readonly folder?: string | undefined
  /** @default 128 */
  readonly sharedBuffersMb?: number | undefined
  readonly disk?: DiskSync | undefined
  /** PostgreSQL gave itself up: the session is unusable from here on, and its next statement would spin for ever. */
  readonly onPanic?: ((reason: ProlepsisError) => void) | undefined
}

/** PGlite's own, without `-F` (fsync off) and with small memory; `--single` must come first. */
function startParameters(options: SessionOptions): string[] {
  const settings: Readonly<Record<string, string | number>> = {
    search_path: 'public',
    exit_on_error: 'false',
    log_checkpoints: 'false',
    max_worker_processes: 0,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    max_parallel_maintenance_workers: 0,
    io_method: 'sync',
    wal_sync_method: 'fsync',
    // No zeroes ahead: a nearly full disk is then enough to recover.
    wal_init_zero: 'off',
    // A recycled file of the log would keep forgotten text until it is overwritten.
    wal_recycle: 'off',
    shared_buffers: `${options.sharedBuffersMb ?? 128}MB`,
    max_wal_size: '64MB',
    min_wal_size: '32MB',
    jit: 'off',
  }
  const inMemory = options.folder === undefined
  return [
    '--single',
    ...(inMemory ? ['-F'] : []),
    '-O',
    '-j',
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

// Relaxed: in order of distance up to re-checks, and it goes on past rows that a filter drops.
const SESSION_SETTINGS = ['set hnsw.iterative_scan = relaxed_order', "set timezone = 'UTC'", 'set jit = off']

/** PGlite in this thread: a long statement blocks it. */
export async function createPgliteSession(options: SessionOptions): Promise<PgliteEngine> {
  const complaints: string[] = []
  const data =
    options.folder === undefined
      ? { loadDataDir: new Blob([await freshCluster()]) }
      : { fs: new DurableNodeFS(options.folder, options.disk) }
  const database = await PGlite.create({
    ...data,
    extensions: { vector },
    startParams: startParameters(options),
    onStderr: (line) => {
      complaints.push(line)
      if (/\bPANIC: /.test(line)) options.onPanic?.(panicError(line))
      if (complaints.length > 50) complaints.shift()
      return false
    },
  }).catch((error: unknown) => {
    throw startFailure(error, complaints)
  })
  for (const statement of SESSION_SETTINGS) await database.exec(statement)
  return new PgliteSession(database)
}

const HINTS = {
  STORE_FULL: 'Free space on the device that holds the data folder.',
  STORE_READ_ONLY: 'Choose a data folder that can be written.',
  STORE_OLDER_ENGINE:
    'Export with the version of Prolepsis that wrote the folder, and import into a new one.',
  STORE_DAMAGED: 'Restore a backup into a new folder.',
} as const

function codeOfReason(reason: string): keyof typeof HINTS {
  if (/No space left/i.test(reason)) return 'STORE_FULL'
  if (/Read-only file system|Permission denied/i.test(reason)) return 'STORE_READ_ONLY'
  if (/database files are incompatible/i.test(reason)) return 'STORE_OLDER_ENGINE'
  return 'STORE_DAMAGED'
}

function panicError(line: string): ProlepsisError {
  const code = codeOfReason(line)
  const reason = line.slice(line.indexOf('PANIC:') + 6).trim()
  return new ProlepsisError(code, `The embedded database stopped: ${reason}.`, {
    hint: HINTS[code],
    retryable: code === 'STORE_FULL',
  })
}

/** PGlite itself says only that it failed; PostgreSQL's last words say why. */
function startFailure(error: unknown, complaints: readonly string[]): ProlepsisError {
  const said = complaints.filter((line) => /FATAL|PANIC|ERROR|No space|Read-only/.test(line)).join(' ')
  const reason = said || fileSystemReason(error) || (error instanceof Error ? error.message : String(error))
  const code = codeOfReason(reason)
  return new ProlepsisError(code, `The embedded database did not start: ${reason}`, {
    hint: HINTS[code],
    cause: error,
  })
}

// What Emscripten's file system throws carries a WASI number and no message.
const WASI_ERRORS: Readonly<Record<number, string>> = {
  2: 'Permission denied',
  19: 'No space left (quota)',
  51: 'No space left on device',
  63: 'Permission denied',
  69: 'Read-only file system',
}

function fileSystemReason(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('errno' in error)) return undefined
  return typeof error.errno === 'number' ? WASI_ERRORS[error.errno] : undefined
}

class PgliteSession implements PgliteEngine {
  readonly #database: PGlite
  readonly generation = 0

  constructor(database: PGlite) {
    this.#database = database
  }

  run(sql: string, parameters: readonly (string | null)[]): Promise<RawResult> {
    return extendedQuery(this.#database, sql, parameters)
  }

  async copyIn(sql: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
    const result = await this.#database.query(sql, [], { blob: new Blob([bytes]) })
    return result.affectedRows ?? 0
  }

  async script(sql: string): Promise<void> {
    // A COPY FROM STDIN would make PGlite spin for ever.
    if (/\bcopy\b[^;]*\bfrom\s+stdin\b/i.test(sql)) {
      throw new ProlepsisError('STORE_MISUSE', 'COPY FROM STDIN cannot run in the embedded database.', {
        hint: 'Use Database.copy.',
      })
    }
    await this.#database.exec(sql)
  }

  async *dump(): AsyncIterable<Uint8Array> {
    await this.#database.exec('checkpoint')
    const tar = await this.#database.dumpDataDir('none')
    for await (const chunk of tar.stream()) yield chunk
  }

  async close(): Promise<void> {
    if (!this.#database.closed) await this.#database.close()
  }

  describe(): Readonly<Record<string, unknown>> {
    return { thread: 'own' }
  }
}
