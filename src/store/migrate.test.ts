import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, noServerReason, serverUrl } from '../../test/support/postgres.ts'
import type { Database } from './database.ts'
import { openMemoryDatabase } from './drivers/pglite/open-memory.ts'
import { openServerDatabase } from './drivers/postgres/open-server.ts'
import { type Migration, migrate, pendingMigrations, readMigrations, requireMigrated } from './migrate.ts'

const migration = (number: number, sql: string, breaking = false): Migration => ({
  number,
  name: `step-${number}`,
  sql,
  checksum: `sum of ${sql}`,
  breaking,
})
const one = migration(1, 'create table one (a int); insert into one values (1)')
const two = migration(2, 'create table two (a int)')
const three = migration(3, 'alter table one rename to uno', true)

describe('migrate', () => {
  let database: Database
  beforeAll(async () => {
    database = await openMemoryDatabase()
  })
  afterAll(() => database.close())

  it('goes from nothing to the head, and from an older head with rows', async () => {
    expect(await migrate(database, [one])).toEqual({ applied: [1], version: 1, breakingVersion: 0 })
    expect(await migrate(database, [one, two])).toEqual({ applied: [2], version: 2, breakingVersion: 0 })
    expect(await database.query('select a from one')).toEqual([{ a: 1 }])
  })

  it('does nothing the second time', async () => {
    expect(await pendingMigrations(database, [one, two])).toEqual([])
    expect(await migrate(database, [one, two])).toMatchObject({ applied: [], version: 2 })
  })

  it('can be asked to look only: what is behind is refused, and nothing is applied', async () => {
    expect(await requireMigrated(database, [one, two])).toEqual({
      ...{ applied: [], version: 2, breakingVersion: 0 },
    })
    await expect(requireMigrated(database, [one, two, three])).rejects.toMatchObject({
      code: 'STORE_READ_ONLY',
      details: { schemaVersion: 2, knownVersion: 3 },
    })
    expect(await pendingMigrations(database, [one, two, three])).toEqual([three])
  })

  it('works on a schema that is ahead by a harmless migration', async () => {
    expect(await migrate(database, [one])).toMatchObject({ applied: [], version: 2 })
  })

  it('leaves nothing of a migration that fails', async () => {
    const broken = migration(3, 'create table half (a int); select 1 / 0')
    await expect(migrate(database, [one, two, broken])).rejects.toMatchObject({
      details: { sqlstate: '22012' },
    })
    expect(await database.query("select to_regclass('half') as half")).toEqual([{ half: null }])
    expect(await pendingMigrations(database, [one, two, broken])).toEqual([broken])
  })

  it('refuses a migration whose text changed', async () => {
    await expect(migrate(database, [{ ...one, checksum: 'other' }, two])).rejects.toMatchObject({
      code: 'STORE_FAILED',
      details: { number: 1 },
    })
  })

  it('refuses a schema that is ahead by a breaking migration', async () => {
    await migrate(database, [one, two, three])
    await expect(migrate(database, [one, two])).rejects.toMatchObject({
      code: 'STORE_NEWER',
      details: { schemaVersion: 3, knownVersion: 2 },
    })
    await expect(pendingMigrations(database, [one, two])).rejects.toMatchObject({ code: 'STORE_NEWER' })
  })
})

describe('the package’s migrations', () => {
  it('are numbered without a gap', async () => {
    const migrations = await readMigrations()
    expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1))
  })

  it.skipIf(serverUrl === undefined)(
    `let many servers start on an empty database at once${serverUrl === undefined ? ` (skipped: ${noServerReason})` : ''}`,
    async () => {
      const { databaseUrl, drop } = await createTestDatabase()
      const servers = await Promise.all(
        Array.from({ length: 12 }, () => openServerDatabase(databaseUrl, { maxConnections: 2 })),
      )
      try {
        const migrations = await readMigrations()
        const reports = await Promise.all(servers.map((server) => migrate(server, migrations)))
        const applied = reports.flatMap((report) => report.applied)
        expect(applied.sort()).toEqual(migrations.map(({ number }) => number))
        expect(new Set(reports.map((report) => report.version))).toEqual(new Set([migrations.length]))
      } finally {
        await Promise.all(servers.map((server) => server.close()))
        await drop()
      }
    },
  )
})
