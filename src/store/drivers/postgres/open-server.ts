import { ProlepsisError } from '../../../domain/errors.ts'
import type { Database } from '../../database.ts'
import { PostgresConnections } from './connections.ts'
import { PostgresDatabase } from './postgres-database.ts'

export interface ServerOptions {
  /** @default 60,000 */
  readonly deadlineMs?: number | undefined
  /** @default 10 */
  readonly maxConnections?: number | undefined
}

const LEAST_SERVER = 150_000
const LEAST_PGVECTOR = [0, 8] as const

/** A PostgreSQL server, 15 or newer with pgvector 0.8 or newer. @throws STORE_UNREACHABLE, STORE_OLDER_ENGINE, INVALID_CONFIG. */
export async function openServerDatabase(
  databaseUrl: string,
  options: ServerOptions = {},
): Promise<Database> {
  const connections = new PostgresConnections({
    databaseUrl,
    deadlineMs: options.deadlineMs ?? 60_000,
    maxConnections: options.maxConnections,
  })
  const database = new PostgresDatabase(connections)
  try {
    await requireVersions(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

async function requireVersions(database: Database): Promise<void> {
  const [server] = await database.query<{ number: number; version: string; vector: string | null }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            coalesce((select extversion from pg_extension where extname = 'vector'),
                     (select default_version from pg_available_extensions where name = 'vector')) as vector`,
  )
  requireSupported(server?.number ?? 0, server?.version ?? 'unknown', server?.vector ?? null)
}

/** @throws ProlepsisError STORE_OLDER_ENGINE. */
export function requireSupported(
  serverNumber: number,
  serverVersion: string,
  vectorVersion: string | null,
): void {
  if (serverNumber < LEAST_SERVER) {
    throw new ProlepsisError(
      'STORE_OLDER_ENGINE',
      `The server is PostgreSQL ${serverVersion}; 15 is the oldest supported.`,
      {
        hint: 'Upgrade the server.',
      },
    )
  }
  if (vectorVersion === null) {
    throw new ProlepsisError('STORE_OLDER_ENGINE', 'The server has no pgvector extension.', {
      hint: 'Install pgvector 0.8 or newer on the server.',
    })
  }
  const [major = 0, minor = 0] = vectorVersion.split('.').map(Number)
  if (major < LEAST_PGVECTOR[0] || (major === LEAST_PGVECTOR[0] && minor < LEAST_PGVECTOR[1])) {
    throw new ProlepsisError(
      'STORE_OLDER_ENGINE',
      `The server has pgvector ${vectorVersion}; 0.8 is the oldest supported.`,
      {
        hint: 'Upgrade pgvector, then run: alter extension vector update.',
      },
    )
  }
}
