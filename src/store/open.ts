import type { EventListener } from '../domain/events.ts'
import type { Database } from './database.ts'
import { openMemoryDatabase } from './drivers/pglite/open-memory.ts'
import { openServerDatabase } from './drivers/postgres/open-server.ts'
import { migrate, readMigrations } from './migrate.ts'

export type StoreLocation =
  | { readonly dataDir: string }
  | { readonly databaseUrl: string }
  /** Lives in this process alone and vanishes at close; a statement cannot be stopped by its deadline. */
  | { readonly memory: true }

export interface OpenStoreOptions {
  readonly onEvent?: EventListener | undefined
  /** Longest time a statement may run. @default 60,000 */
  readonly deadlineMs?: number | undefined
}

/** Opens a store and brings its schema to the newest version. */
export async function openStore(location: StoreLocation, options: OpenStoreOptions = {}): Promise<Database> {
  const database = await openDriver(location, options)
  try {
    await migrate(database, await readMigrations())
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openDriver(location: StoreLocation, options: OpenStoreOptions): Promise<Database> {
  if ('memory' in location) return openMemoryDatabase(options)
  if ('databaseUrl' in location) return openServerDatabase(location.databaseUrl, options)
  throw new Error('not yet')
}
