import { describe, it } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { createDataFolder } from '../support/data-folder.ts'
import { createTestDatabase, noServerReason, onEmbedded, serverUrl } from '../support/postgres.ts'
import { describeDatabase } from './database.contract.ts'

if (onEmbedded) {
  describeDatabase('PGlite in this thread', { interrupts: false, dumps: true }, async () => {
    const database = await openStore({ memory: true })
    return { database, close: () => database.close() }
  })

  describeDatabase('PGlite in a worker, on a folder', { interrupts: true, dumps: true }, async () => {
    const folder = await createDataFolder()
    const database = await openStore({ dataDir: folder.path })
    return {
      database,
      close: async () => {
        await database.close()
        await folder.remove()
      },
    }
  })

  describeDatabase('a client of the folder’s owner', { interrupts: true, dumps: true }, async () => {
    const folder = await createDataFolder()
    const owner = await openStore({ dataDir: folder.path })
    const database = await openStore({ dataDir: folder.path })
    return {
      database,
      close: async () => {
        await database.close()
        await owner.close()
        await folder.remove()
      },
    }
  })
}

if (serverUrl === undefined) {
  describe('a PostgreSQL server: the database contract', () => {
    it.skip(noServerReason, () => undefined)
  })
} else {
  describeDatabase('a PostgreSQL server', { interrupts: true, dumps: false }, async () => {
    const { databaseUrl, drop } = await createTestDatabase()
    const database = await openStore({ databaseUrl })
    return {
      database,
      close: async () => {
        await database.close()
        await drop()
      },
    }
  })
}
