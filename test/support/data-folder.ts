import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { POSTGRES_MAJOR } from '../../src/store/drivers/pglite/data-folder.ts'
import { readMigrations } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'

export interface TestFolder {
  readonly path: string
  remove(): Promise<void>
}

/** A folder that does not exist yet, in a temporary place of its own. */
export async function createTestFolder(): Promise<TestFolder> {
  const parent = await mkdtemp(join(tmpdir(), 'prolepsis-test-'))
  return { path: join(parent, 'store'), remove: () => rm(parent, { recursive: true, force: true }) }
}

/** A data folder with the newest schema and no rows: a copy, since making one takes seconds. */
export async function createDataFolder(): Promise<TestFolder> {
  const folder = await createTestFolder()
  await cp(await templateFolder(), folder.path, { recursive: true })
  return folder
}

/** Made once for this schema and engine, kept in the packages' cache. */
async function templateFolder(): Promise<string> {
  const checksums = (await readMigrations()).map((migration) => migration.checksum)
  const key = createHash('sha256')
    .update([POSTGRES_MAJOR, ...checksums].join())
    .digest('hex')
    .slice(0, 12)
  const cache = fileURLToPath(
    new URL(`../../node_modules/.cache/prolepsis/data-folder-${key}`, import.meta.url),
  )
  if (await isFolder(cache)) return cache
  await mkdir(dirname(cache), { recursive: true })
  const fresh = await mkdtemp(`${cache}-`)
  const database = await openStore({ dataDir: fresh })
  await database.close()
  await rename(fresh, cache).catch(async (error: unknown) => {
    // Another test file was faster.
    await rm(fresh, { recursive: true, force: true })
    if (!(await isFolder(cache))) throw error
  })
  return cache
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
