import { ProlepsisError } from '../domain/errors.ts'
import type { EventListener } from '../domain/events.ts'
import type { Database } from './database.ts'
import { type FolderOptions, openFolderDatabase } from './drivers/pglite/open-folder.ts'
import { openMemoryDatabase } from './drivers/pglite/open-memory.ts'
import { restoreFolder } from './drivers/pglite/restore-folder.ts'
import { openServerDatabase } from './drivers/postgres/open-server.ts'
import { type Migration, migrate, pendingMigrations, readMigrations } from './migrate.ts'

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
  /** For tests. @default the package's own */
  readonly migrations?: readonly Migration[] | undefined
}

/**
 * Opens a store and brings its schema to the newest version.
 * @throws ProlepsisError STORE_LOCKED, STORE_NEWER, STORE_OLDER_ENGINE, STORE_READ_ONLY, STORE_FULL, STORE_UNREACHABLE…
 */
export async function openStore(location: StoreLocation, options: OpenStoreOptions = {}): Promise<Database> {
  const migrations = options.migrations ?? (await readMigrations())
  if ('dataDir' in location) return openFolder(location.dataDir, migrations, options)
  const database =
    'memory' in location
      ? await openMemoryDatabase(options)
      : await openServerDatabase(location.databaseUrl, options)
  try {
    await migrate(database, migrations)
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
      const { version, breakingVersion } = await migrate(database, migrations)
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

/**
 * Makes a data folder from the tar stream of `Database.dump` (gzip or not), all or nothing; open it afterwards.
 * @throws ProlepsisError INVALID_ARGUMENT when the folder holds a store already, IMPORT_INVALID, STORE_LOCKED, STORE_NEWER…
 */
export async function restoreStore(dataDir: string, tar: AsyncIterable<Uint8Array>): Promise<void> {
  await restoreFolder(dataDir, tar, (await readMigrations()).length)
}
