import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestDatabase, noServerReason, serverUrl } from '../../../../test/support/postgres.ts'
import { openServerDatabase, requireSupported } from './open-server.ts'

describe('requireSupported', () => {
  it.each([
    [150_000, '15.0', '0.8.0'],
    [170_012, '17.12', '0.8.7'],
    [180_000, '18.0', '1.0.0'],
  ])('takes server %i (%s) with pgvector %s', (number, version, vector) => {
    expect(() => requireSupported(number, version, vector)).not.toThrow()
  })
  it.each([
    [140_022, '14.22', '0.8.0', /14\.22.*15/],
    [170_000, '17.0', '0.7.4', /0\.7\.4.*0\.8/],
    [170_000, '17.0', null, /pgvector/],
  ])('refuses server %i (%s) with pgvector %s', (number, version, vector, message) => {
    expect(() => requireSupported(number, version, vector)).toThrow(message)
  })
})

describe('openServerDatabase', () => {
  it('says that nobody listens, without the password', async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => probe.once('listening', resolve))
    const address = probe.address()
    const port = typeof address === 'object' ? address?.port : 0
    await new Promise((resolve) => probe.close(resolve))
    const error = await openServerDatabase(`postgres://user:hunter2@127.0.0.1:${port}/none`).catch(
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'STORE_UNREACHABLE', retryable: true })
    expect(JSON.stringify(error) + error.message + error.stack).not.toContain('hunter2')
  })

  it('refuses a URL that is none, without repeating it', async () => {
    const error = await openServerDatabase('postgres://user:hunter2@ho st/x').catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(error.message + error.stack).not.toContain('hunter2')
  })

  it.skipIf(serverUrl === undefined)(
    `says that a database does not exist${serverUrl === undefined ? ` (skipped: ${noServerReason})` : ''}`,
    async () => {
      const { databaseUrl, drop } = await createTestDatabase()
      await drop()
      await expect(openServerDatabase(databaseUrl)).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
    },
  )

  it.skipIf(serverUrl === undefined)(
    `repeats a transaction that lost a serialisation race${serverUrl === undefined ? ` (skipped: ${noServerReason})` : ''}`,
    async () => {
      const { databaseUrl, drop } = await createTestDatabase()
      const database = await openServerDatabase(databaseUrl)
      try {
        await database.script('create table counter (a int); insert into counter values (0)')
        let runs = 0
        await Promise.all(
          Array.from({ length: 4 }, () =>
            database.transaction(async (tx) => {
              runs += 1
              await tx.script('set transaction isolation level repeatable read')
              const [row] = await tx.query<{ a: number }>('select a from counter')
              await tx.execute('update counter set a = $1', [(row?.a ?? 0) + 1])
            }),
          ),
        )
        expect(await database.query('select a from counter')).toEqual([{ a: 4 }])
        expect(runs).toBeGreaterThan(4)
      } finally {
        await database.close()
        await drop()
      }
    },
  )
})
