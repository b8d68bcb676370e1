import { join } from 'node:path'
import { ProlepsisError } from '../domain/errors.ts'
import type { EventListener } from '../domain/events.ts'
import type { Database } from './database.ts'
import { folderError, readManifest } from './drivers/pglite/data-folder.ts'
import { type FolderOptions, openFolderDatabase } from './drivers/pglite/open-folder.ts'
import { openMemoryDatabase } from './drivers/pglite/open-memory.ts'
import { restoreFolder } from './drivers/pglite/restore-folder.ts'
import { openServerDatabase } from './drivers/postgres/open-server.ts'
import { type Migration, migrate, pendingMigrations, readMigrations, requireMigrated } from './migrate.ts'

export type StoreLocation =
  /** An embedded store in a folder, shared by the processes of one user. */
  | { readonly dataDir: string }
  | { readonly databaseUrl: string }
  /** Lives in this process alone and vanishes at close; a statement cannot be stopped by its deadline. */
  | { readonly memory: true }

export interface OpenStoreOptions
  extends Pick<
    FolderOptions,
    'sharedBuffersMb' | 'joinTimeoutMs' | 'idleTransactionMs' | 'heartbeatMs' | 'idleMaintenance'
  > {
  readonly onEvent?: EventListener | undefined
  /** Longest time a statement may run. @default 60,000 */
  readonly deadlineMs?: number | undefined
  /** Connections to a server. @default 10 */
  readonly maxConnections?: number | undefined
  /** Makes no store and migrates none: one that is not there or is behind is refused. The caller keeps from writing. @default false */
  readonly readOnly?: boolean | undefined
  /** For tests. @default the package's own */
  readonly migrations?: readonly Migration[] | undefined
}

/**
 * Opens a store and brings its schema to the newest version, unless it is read-only.
 * @throws ProlepsisError STORE_LOCKED, STORE_NEWER, STORE_OLDER_ENGINE, STORE_READ_ONLY, STORE_FULL, STORE_UNREACHABLE…
 */
export async function openStore(location: StoreLocation, options: OpenStoreOptions = {}): Promise<Database> {
  const migrations = options.migrations ?? (await readMigrations())
  if ('dataDir' in location && options.readOnly === true) await requireStore(location.dataDir)
  if ('dataDir' in location) return openFolder(location.dataDir, migrations, options)
  const database =
    'memory' in location
      ? await openMemoryDatabase(options)
      : await openServerDatabase(location.databaseUrl, options)
  try {
    // what lives in memory alone begins with nothing
    const readOnly = options.readOnly === true && 'databaseUrl' in location
    await (readOnly ? requireMigrated(database, migrations) : migrate(database, migrations))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

function openFolder(
  dataDir: string,
  migrations: readonly Migration[],
  options: OpenStoreOptions,
): Promise<Database> {
  return openFolderDatabase({
    ...options,
    dataDir,
    knownSchemaVersion: migrations.length,
    migrate: async (database) => {
      const bring = options.readOnly === true ? requireMigrated : migrate
      const { version, breakingVersion } = await bring(database, migrations)
      return { schemaVersion: version, breakingVersion }
    },
    checkSchema: async (database) => {
      if ((await pendingMigrations(database, migrations)).length === 0) return
      throw new ProlepsisError(
        'STORE_LOCKED',
        'The data folder is held by a process of an older Prolepsis.',
        {
          hint: 'End that process: this version has to change the schema first.',
        },
      )
    },
  })
}

/** @throws ProlepsisError STORE_READ_ONLY when the folder holds no store */
async function requireStore(dataDir: string): Promise<void> {
  const manifest = await readManifest(join(dataDir, 'pg')).catch((error: unknown) => {
    throw folderError(dataDir, error)
  })
  if (manifest !== null) return
  throw new ProlepsisError('STORE_READ_ONLY', `The data folder ${dataDir} holds no store to read.`, {
    hint: 'Check the path, or open it once without readOnly (read_only in prolepsis.toml): that makes one.',
    details: { path: dataDir },
  })
}

/**
 * Makes a data folder from the tar stream of `Database.dump` (gzip or not), all or nothing; open it afterwards.
 * @throws ProlepsisError INVALID_ARGUMENT when the folder holds a store already, IMPORT_INVALID, STORE_LOCKED, STORE_NEWER…
 */
export async function restoreStore(dataDir: string, tar: AsyncIterable<Uint8Array>): Promise<void> {
  await restoreFolder(dataDir, tar, (await readMigrations()).length)
}
