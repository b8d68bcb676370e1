import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unpackCluster } from './cluster.ts'
import { createPgliteSession } from './session.ts'

let parent: string

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'prolepsis-cluster-'))
})
afterEach(() => rm(parent, { recursive: true, force: true }))

async function filesOf(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  return new Map(
    await Promise.all(
      files.map(async (path) => [path.slice(folder.length + 1), await readFile(path)] as const),
    ),
  )
}

/** They hold the cluster's identifier, its time of birth and a random number. */
const OWN = ['global/pg_control', 'pg_wal/000000010000000000000001'].map((path) => join(...path.split('/')))

it('is, byte by byte, what the pinned engine’s initdb makes', async () => {
  const [packed, made] = [join(parent, 'packed'), join(parent, 'made')]
  await Promise.all([mkdir(packed), mkdir(made)])
  await unpackCluster(packed)
  // In an empty folder the engine runs initdb.
  await (await createPgliteSession({ folder: made })).close()
  const [unpacked, fresh] = [await filesOf(packed), await filesOf(made)]
  expect(fresh.size).toBeGreaterThan(900)
  expect([...unpacked.keys()]).toEqual([...fresh.keys()])
  const different = [...fresh].filter(([path, bytes]) => !unpacked.get(path)?.equals(bytes))
  expect(different.map(([path]) => path)).toEqual(OWN)
  for (const [path, bytes] of different) expect(unpacked.get(path)?.length).toBe(bytes.length)
  // Version of the control file and of the catalogues, by which PostgreSQL knows its own.
  const [control = ''] = OWN
  const versions = [unpacked, fresh].map((files) => files.get(control)?.subarray(8, 16).toString('hex'))
  expect(versions[0]).toBe(versions[1])
  const folders = await Promise.all(
    [packed, made].map(async (folder) =>
      (await readdir(folder, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
        .sort(),
    ),
  )
  expect(folders[0]).toEqual(folders[1])
})
