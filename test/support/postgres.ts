import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The tests' server, or undefined: then a suite names the reason for skipping. */
export const serverUrl: string | undefined = process.env.DATABASE_URL || undefined

/** False when TEST_STORES is `server`: the suites that ran on the embedded store before are not run on it again. */
export const onEmbedded: boolean = serverUrl === undefined || process.env.TEST_STORES !== 'server'

export const noServerReason = 'no PostgreSQL server: set DATABASE_URL (scripts/postgres-server.sh start)'

export interface TestDatabase {
  readonly databaseUrl: string
  drop(): Promise<void>
}

/** An empty database of its own on the tests' server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  if (serverUrl === undefined) throw new Error(noServerReason)
  const name = `prolepsis_test_${randomUUID().replaceAll('-', '')}`
  await onServer(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return {
    databaseUrl: url.href,
    drop: () => onServer(serverUrl, `drop database if exists ${name} with (force)`),
  }
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
