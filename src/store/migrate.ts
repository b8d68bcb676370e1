/** Numbered, forward-only migrations from the package's `migrations` folder. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ProlepsisError } from '../domain/errors.ts'
import type { Database, Queryable } from './database.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
  /** An older version cannot work on this schema (the file's first line says `-- breaking`). */
  readonly breaking: boolean
}

export interface MigrationReport {
  readonly applied: readonly number[]
  /** Schema version of the store now. */
  readonly version: number
  /** Highest breaking migration of the store: a program that does not know it cannot work here. */
  readonly breakingVersion: number
}

const FILE_NAME = /^(\d{6})-([a-z0-9-]+)\.sql$/
// An arbitrary constant, ours alone: servers that start together migrate one after another.
const MIGRATION_LOCK = 7_301_955_201

/** The package's own migrations: equally far from src/store and from dist/store. */
export async function readMigrations(
  folder: string = fileURLToPath(new URL('../../migrations', import.meta.url)),
): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort()
  return Promise.all(
    names.map(async (file, index) => {
      const sql = await readFile(`${folder}/${file}`, 'utf8')
      const number = Number(file.slice(0, 6))
      if (number !== index + 1) throw new RangeError(`Migration ${file} is out of sequence.`)
      return {
        number,
        name: file.slice(7, -4),
        sql,
        // Line ends differ between checkouts, the schema does not.
        checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex'),
        breaking: sql.startsWith('-- breaking'),
      }
    }),
  )
}

interface LedgerRow {
  readonly number: number
  readonly name: string
  readonly checksum: string
  readonly breaking: boolean
}

/**
 * Brings the schema to the newest version, one transaction a migration; safe when many start at once.
 * @throws ProlepsisError STORE_NEWER when the schema is ahead by a breaking migration, STORE_FAILED when a migration
 * that was applied has another text than ours.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  now: () => Date = () => new Date(),
): Promise<MigrationReport> {
  const applied: number[] = []
  let ledger = await readLedger(database)
  refuseForeign(ledger, migrations)
  for (const migration of migrations) {
    if (ledger.some((row) => row.number === migration.number)) continue
    const ran = await database.transaction((tx) => apply(tx, migration, migrations, now()))
    if (ran) applied.push(migration.number)
    ledger = await readLedger(database)
  }
  return { applied, ...versionsOf(ledger) }
}

function versionsOf(ledger: readonly LedgerRow[]): Omit<MigrationReport, 'applied'> {
  return {
    version: Math.max(0, ...ledger.map((row) => row.number)),
    breakingVersion: Math.max(0, ...ledger.filter((row) => row.breaking).map((row) => row.number)),
  }
}

/**
 * Looks at the schema and changes nothing.
 * @throws ProlepsisError STORE_READ_ONLY when `migrate` would apply something, and as `migrate` does
 */
export async function requireMigrated(
  database: Queryable,
  migrations: readonly Migration[],
): Promise<MigrationReport> {
  const ledger = await readLedger(database)
  const pending = pendingOf(ledger, migrations)
  const { version, breakingVersion } = versionsOf(ledger)
  if (pending.length === 0) return { applied: [], version, breakingVersion }
  const behind =
    ledger.length === 0
      ? 'There is no store here'
      : `The store has schema version ${version}, and this version of Prolepsis needs ${migrations.length}`
  throw new ProlepsisError('STORE_READ_ONLY', `${behind}; opened read-only, it is not changed.`, {
    hint: 'Open it once without readOnly (read_only in prolepsis.toml): that brings the schema up to date.',
    details: { schemaVersion: version, knownVersion: migrations.length },
  })
}

/** What `migrate` would apply. @throws as `migrate` does for a schema that is not ours. */
export async function pendingMigrations(
  database: Queryable,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  return pendingOf(await readLedger(database), migrations)
}

function pendingOf(ledger: readonly LedgerRow[], migrations: readonly Migration[]): readonly Migration[] {
  refuseForeign(ledger, migrations)
  return migrations.filter((migration) => !ledger.some((row) => row.number === migration.number))
}

async function apply(
  tx: Queryable,
  migration: Migration,
  migrations: readonly Migration[],
  now: Date,
): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
  await tx.script(`create table if not exists prolepsis_migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    breaking boolean not null,
    applied_at timestamptz not null
  )`)
  const ledger = await selectLedger(tx)
  refuseForeign(ledger, migrations)
  if (ledger.some((row) => row.number === migration.number)) return false
  // First, so that even without the lock a second one would fail here and not half-way.
  await tx.execute(
    'insert into prolepsis_migrations (number, name, checksum, breaking, applied_at) values ($1, $2, $3, $4, $5)',
    [migration.number, migration.name, migration.checksum, migration.breaking, now],
  )
  await tx.script(migration.sql)
  return true
}

async function readLedger(database: Queryable): Promise<readonly LedgerRow[]> {
  const [found] = await database.query<{ present: boolean }>(
    "select to_regclass('prolepsis_migrations') is not null as present",
  )
  return found?.present ? selectLedger(database) : []
}

async function selectLedger(queryable: Queryable): Promise<readonly LedgerRow[]> {
  return queryable.query<LedgerRow>(
    'select number, name, checksum, breaking from prolepsis_migrations order by number',
  )
}

function refuseForeign(ledger: readonly LedgerRow[], migrations: readonly Migration[]): void {
  for (const row of ledger) {
    const own = migrations.find((migration) => migration.number === row.number)
    if (own === undefined) {
      if (!row.breaking) continue
      throw new ProlepsisError(
        'STORE_NEWER',
        `The store has schema version ${row.number} (${row.name}); this version of Prolepsis knows ${migrations.length}.`,
        {
          hint: 'Upgrade Prolepsis to the version that last opened this store.',
          details: { schemaVersion: row.number, knownVersion: migrations.length },
        },
      )
    }
    if (own.checksum !== row.checksum) {
      throw new ProlepsisError(
        'STORE_FAILED',
        `Migration ${row.number} (${row.name}) of the store is not the one in this version of Prolepsis.`,
        {
          hint: 'Export with the version that made the store, and import into a new one.',
          details: { number: row.number },
        },
      )
    }
  }
}
