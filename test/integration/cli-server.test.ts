import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, noServerReason, serverUrl, type TestDatabase } from '../support/postgres.ts'
import { runCli } from '../surfaces/run-cli.ts'

describe.skipIf(serverUrl === undefined)(`the command line on a server (${noServerReason})`, () => {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(async () => {
    await database?.drop()
  })
  const run = (...args: string[]) => runCli([...args, '--json', '--database-url', database!.databaseUrl])

  test('retains, recalls, checks and forgets', async () => {
    expect((await run('init')).json()).toMatchObject({ place: 'the server', bank: { name: 'default' } })
    expect((await run('retain', 'Herons eat fish.', '--source', 'heron.md')).code).toBe(0)
    const found = await run('recall', 'what do herons eat?')
    expect(found.json()).toMatchObject({ passages: [{ ref: 'heron.md#1' }], degraded: [] })
    expect((await run('doctor')).json()).toMatchObject({ clean: true })
    expect((await run('stats')).json()).toMatchObject({ store: { engine: 'postgres' } })
    expect((await run('forget', '--all', '--yes')).json()).toEqual({ documents: 1, chunks: 1 })
    const backup = await run('backup', 'x.tar.gz')
    expect([backup.code, backup.errorCode()]).toEqual([2, 'INVALID_ARGUMENT'])
    expect(backup.err).toContain('pg_dump')
  })
})
