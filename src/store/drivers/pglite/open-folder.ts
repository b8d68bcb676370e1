import type { EventListener } from '../../../domain/events.ts'
import type { Database } from '../../database.ts'
import { unpackCluster } from './cluster.ts'
import { ensurePostgresFolder, folderError, prepareDataFolder, recordSchema } from './data-folder.ts'
import { createDiskReserve } from './disk-reserve.ts'
import { createIdleMaintenance, type IdleMaintenanceOptions } from './idle-maintenance.ts'
import { PgliteDatabase } from './pglite-database.ts'
import { SerialStatements } from './serial-statements.ts'
import { ownerLost } from './sharing/owner-client.ts'
import { type OwnedStore, SharedFolder } from './sharing/shared-folder.ts'
import { createWorkerEngine } from './worker-engine.ts'

export interface SchemaState {
  readonly schemaVersion: number
  /** Highest breaking migration applied. */
  readonly breakingVersion: number
}

export interface FolderOptions {
  readonly dataDir: string
  /** Schema version that this program knows. */
  readonly knownSchemaVersion: number
  /** Brings the schema up to date. */
  readonly migrate: (database: Database) => Promise<SchemaState>
  /** Checks that the schema which another process serves is the one that this program knows. */
  readonly checkSchema: (database: Database) => Promise<void>
  readonly onEvent?: EventListener | undefined
  readonly deadlineMs?: number | undefined
  /** @default 32 */
  readonly sharedBuffersMb?: number | undefined
  readonly joinTimeoutMs?: number | undefined
  readonly idleTransactionMs?: number | undefined
  /** How often the owner shows that it lives. @default 5,000 */
  readonly heartbeatMs?: number | undefined
  readonly idleMaintenance?:
    | Pick<IdleMaintenanceOptions, 'afterChanges' | 'afterIdleMs' | 'schedule'>
    | undefined
}

/** An embedded store in a folder: as its owner, or through the process that owns it. */
export async function openFolderDatabase(options: FolderOptions): Promise<Database> {
  const folder = await prepareDataFolder(options.dataDir)
  const shared = new SharedFolder({
    root: folder.root,
    runFolder: folder.run,
    openAsOwner: () => openOwned(options),
    joinAsClient: (client) => options.checkSchema(new PgliteDatabase(client)),
    onOwnerChange: (owner) => options.onEvent?.({ type: 'store-owner-changed', owner }),
    joinTimeoutMs: options.joinTimeoutMs,
    idleTransactionMs: options.idleTransactionMs,
    heartbeatMs: options.heartbeatMs,
  })
  try {
    await shared.open()
  } catch (error) {
    throw folderError(folder.root, error)
  }
  const database = new PgliteDatabase(shared, shared.services)
  return closeAtExit(database)
}

async function openOwned(options: FolderOptions): Promise<OwnedStore> {
  const folder = await prepareDataFolder(options.dataDir)
  await ensurePostgresFolder(folder, options.knownSchemaVersion, unpackCluster)
  const reserve = createDiskReserve(folder.run)
  const engine = await createWorkerEngine({
    folder: folder.postgres,
    sharedBuffersMb: options.sharedBuffersMb,
    reserve,
  })
  await reserve.set()
  const statements: SerialStatements = new SerialStatements(engine, {
    deadlineMs: options.deadlineMs,
    onChange: (rows) => maintenance.noteChange(rows),
    onClose: () => maintenance.stop(),
  })
  const database = new PgliteDatabase(statements)
  const maintenance = createIdleMaintenance({
    ...options.idleMaintenance,
    isBusy: () => statements.busy > 0,
    task: async () => {
      const started = performance.now()
      await database.maintain()
      options.onEvent?.({ type: 'maintenance-end', task: 'vacuum', durationMs: performance.now() - started })
    },
    onError: (error) =>
      options.onEvent?.({
        type: 'warning',
        code: 'maintenance-failed',
        message: error instanceof Error ? error.message : String(error),
      }),
  })
  try {
    const schema = await options.migrate(database)
    await recordSchema(folder.postgres, schema)
    return {
      raw: statements,
      schemaVersion: options.knownSchemaVersion,
      kill: async () => {
        maintenance.stop()
        await engine.kill?.(ownerLost())
      },
    }
  } catch (error) {
    await statements.close()
    throw error
  }
}

/** A program that forgets to close ends nevertheless, and the store is closed in order. */
function closeAtExit(database: PgliteDatabase): Database {
  const atExit = (): void => void database.close()
  process.once('beforeExit', atExit)
  database.onClose(() => process.off('beforeExit', atExit))
  return database
}
