import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { EngineEvent } from '../../src/domain/events.ts'
import { POSTGRES_MAJOR, readManifest } from '../../src/store/drivers/pglite/data-folder.ts'
import { createPgliteSession } from '../../src/store/drivers/pglite/session.ts'
import { readMigrations } from '../../src/store/migrate.ts'
import { openStore, restoreStore } from '../../src/store/open.ts'
import { nextLine, startProgram } from '../support/child-program.ts'
import { usedFolders } from '../support/used-folders.ts'
import { withoutRootRights } from '../support/without-root-rights.ts'

const { dataFolder, newFolder } = usedFolders()
const cleanups: (() => void)[] = []

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

describe('an embedded data folder', () => {
  it('is made with missing parents, private, and keeps what was written', async () => {
    const path = join(await newFolder(), 'a', 'b', 'ü c')
    const first = await openStore({ dataDir: path })
    await first.script('create table kept (a int)')
    await first.execute('insert into kept values (1)')
    await first.close()
    expect((await readdir(path)).sort()).toEqual(['pg', 'run'])
    const second = await openStore({ dataDir: path })
    expect(await second.query('select a from kept')).toEqual([{ a: 1 }])
    await second.close()
    expect(await readManifest(join(path, 'pg'))).toEqual({
      format: 1,
      postgresMajor: POSTGRES_MAJOR,
      schemaVersion: (await readMigrations()).length,
      breakingVersion: 0,
    })
  })

  it('is not migrated by one that may only read, until another one did', async () => {
    const dataDir = await dataFolder()
    const known = await readMigrations()
    const sql = 'create table later (a int)'
    const next = { number: known.length + 1, name: 'later', sql, checksum: 'x', breaking: false }
    const migrations = [...known, next]
    await expect(openStore({ dataDir }, { migrations, readOnly: true })).rejects.toMatchObject({
      code: 'STORE_READ_ONLY',
      hint: expect.stringContaining('without readOnly'),
    })
    const manifest = await readManifest(join(dataDir, 'pg'))
    expect(manifest?.schemaVersion).toBe(known.length)
    await (await openStore({ dataDir }, { migrations })).close()
    const reader = await openStore({ dataDir }, { migrations, readOnly: true })
    expect(await reader.query('select a from later')).toEqual([])
    await reader.close()
  })

  it('is made anew when the process that made it was killed half-way', async () => {
    const path = await newFolder()
    await mkdir(join(path, '.init-1', 'base'), { recursive: true })
    await writeFile(join(path, '.init-1', 'PG_VERSION'), '18\n')
    const database = await openStore({ dataDir: path })
    expect(await readdir(path)).not.toContain('.init-1')
    await database.close()
  })

  it('flushes every commit to the disk', async () => {
    const path = await dataFolder()
    let flushes = 0
    const session = await createPgliteSession({
      folder: join(path, 'pg'),
      disk: {
        sync: () => {
          flushes += 1
        },
      },
    })
    expect((await session.run('select current_setting($1) as fsync', ['fsync'])).rows).toEqual([['on']])
    await session.script('create table durable (a int)')
    flushes = 0
    for (let index = 0; index < 20; index += 1) await session.script('insert into durable values (1)')
    expect(flushes).toBeGreaterThanOrEqual(20)
    await session.close()
  })

  it('refuses a folder of an older and of a newer PostgreSQL, and leaves it as it was', async () => {
    for (const [major, code] of [
      [POSTGRES_MAJOR - 1, 'STORE_OLDER_ENGINE'],
      [POSTGRES_MAJOR + 1, 'STORE_NEWER'],
    ] as const) {
      const path = await dataFolder()
      await writeFile(join(path, 'pg', 'PG_VERSION'), `${major}\n`)
      await expect(openStore({ dataDir: path })).rejects.toMatchObject({ code, details: { major } })
      expect(await readFile(join(path, 'pg', 'PG_VERSION'), 'utf8')).toBe(`${major}\n`)
    }
  })

  it('refuses a folder of a newer schema before it starts the engine, and one with a damaged manifest', async () => {
    const path = await dataFolder()
    const manifest = join(path, 'pg', 'prolepsis.json')
    await writeFile(
      manifest,
      JSON.stringify({ format: 1, postgresMajor: 18, schemaVersion: 99, breakingVersion: 99 }),
    )
    await expect(openStore({ dataDir: path })).rejects.toMatchObject({ code: 'STORE_NEWER' })
    await writeFile(manifest, '{"format":')
    await expect(openStore({ dataDir: path })).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
    // A refused opening gives the folder back.
    await rm(manifest)
    await (await openStore({ dataDir: path })).close()
  })

  it('says why a path cannot be a folder', async () => {
    const path = await newFolder()
    await writeFile(path, 'a file')
    await expect(openStore({ dataDir: path })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(openStore({ dataDir: join(path, 'below') })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('runs maintenance when much has changed and nothing happens', async () => {
    const path = await dataFolder()
    const events: EngineEvent[] = []
    let fire: (() => void) | undefined
    let maintained = (): void => undefined
    const maintenance = new Promise<void>((resolve) => {
      maintained = resolve
    })
    const database = await openStore(
      { dataDir: path },
      {
        onEvent: (event) => {
          events.push(event)
          if (event.type === 'maintenance-end') maintained()
        },
        idleMaintenance: {
          afterChanges: 1_000,
          schedule: (callback) => {
            fire = callback
            return () => {
              fire = undefined
            }
          },
        },
      },
    )
    await database.script('create table busy (a int)')
    await database.execute('insert into busy select generate_series(1, 999)')
    expect(fire).toBeUndefined()
    await database.execute('insert into busy select generate_series(1, 5000)')
    fire?.()
    await maintenance
    expect(await database.query("select reltuples::int as n from pg_class where relname = 'busy'")).toEqual([
      { n: 5_999 },
    ])
    await database.close()
    expect(events.map((event) => event.type)).toContain('maintenance-end')
  })
})

describe('a backup', () => {
  it('comes back in a new folder, zipped or not, and never over another', async () => {
    const path = await dataFolder()
    const database = await openStore({ dataDir: path })
    await database.script('create table saved (a int); insert into saved select generate_series(1, 1000)')
    const parts: Uint8Array[] = []
    for await (const chunk of database.dump()) parts.push(chunk)
    await database.execute('delete from saved')
    await database.close()
    const plain = await newFolder()
    await restoreStore(plain, Readable.from(parts))
    const zipped = await newFolder()
    await restoreStore(zipped, Readable.from(parts).pipe(createGzip({ level: 1 })))
    for (const copy of [plain, zipped]) {
      const restored = await openStore({ dataDir: copy })
      expect(await restored.query('select count(*) as n from saved')).toEqual([{ n: 1000 }])
      await restored.close()
    }
    await expect(restoreStore(plain, Readable.from(parts))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
  })

  it('of a memory store comes back too', async () => {
    const memory = await openStore({ memory: true })
    await memory.script('create table saved (a int); insert into saved values (7)')
    const path = await newFolder()
    await restoreStore(path, memory.dump())
    await memory.close()
    const restored = await openStore({ dataDir: path })
    expect(await restored.query('select a from saved')).toEqual([{ a: 7 }])
    await restored.close()
  })

  it('that is damaged leaves nothing behind', async () => {
    const path = await newFolder()
    for (const bytes of [Buffer.from('no tar'), Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3])]) {
      await expect(restoreStore(path, Readable.from([bytes]))).rejects.toMatchObject({
        code: 'IMPORT_INVALID',
      })
      expect(await readdir(path)).toEqual(['run'])
    }
    await (await openStore({ dataDir: path })).close()
  })

  it('is refused for a folder that is in use', async () => {
    const path = await dataFolder()
    const database = await openStore({ dataDir: path })
    await expect(restoreStore(path, Readable.from([]))).rejects.toMatchObject({ code: 'STORE_LOCKED' })
    await database.close()
  })
})

describe('a program that does not close its store', () => {
  it('ends nevertheless, and leaves the folder in order', async () => {
    const path = await dataFolder()
    const program = startProgram('store-user', [path])
    const lines = program.lines[Symbol.asyncIterator]()
    expect(await nextLine(program, lines)).toBe('owner')
    program.say('sql create table left_open (a int)')
    await nextLine(program, lines)
    program.say('exit')
    expect(await program.ended).toEqual({ code: 0, errors: '' })
    const [lock = ''] = (await readdir(join(path, 'run'))).filter((name) => name.startsWith('lock.'))
    expect(JSON.parse(await readFile(join(path, 'run', lock), 'utf8'))).toMatchObject({ released: true })
  })
})

const NEEDS_MOUNT = 'a disk of a few megabytes needs Linux, root and the right to mount a tmpfs'

/** A file system of its own with little space, or null without the right to mount one. */
async function smallDisk(megabytes: number): Promise<string | null> {
  const path = await newFolder()
  await mkdir(path)
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return null
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    return null
  }
  cleanups.push(() => execFileSync('umount', ['-l', path]))
  return path
}

describe('a disk that', () => {
  it('is full: writes fail clearly, reads go on, and all is there when space is made', async ({ skip }) => {
    const disk = await smallDisk(130)
    if (disk === null) return skip(NEEDS_MOUNT)
    const path = join(disk, 'store')
    execFileSync('cp', ['-r', await dataFolder(), path])
    const database = await openStore({ dataDir: path })
    await database.script('create table filler (a text)')
    let rows = 0
    const fill = async (): Promise<void> => {
      for (;;) {
        await database.execute(
          "insert into filler select string_agg(md5(i::text), '') from generate_series(1, 20000) as i",
        )
        rows += 1
      }
    }
    await expect(fill()).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect(await database.query('select count(*) as n from filler')).toEqual([{ n: rows }])
    await database.close().catch((error: unknown) => expect(error).toMatchObject({ code: 'STORE_FULL' }))
    execFileSync('mount', ['-o', 'remount,size=300m', disk])
    const after = await openStore({ dataDir: path })
    expect(await after.query('select count(*) as n from filler')).toEqual([{ n: rows }])
    await after.close()
  })

  it('has no space for a new store says so', async ({ skip }) => {
    const disk = await smallDisk(10)
    if (disk === null) return skip(NEEDS_MOUNT)
    await expect(openStore({ dataDir: join(disk, 'store') })).rejects.toMatchObject({ code: 'STORE_FULL' })
    expect(await readdir(join(disk, 'store'))).toEqual(['run'])
  })

  it('is read-only says so', async ({ skip }) => {
    const disk = await smallDisk(120)
    if (disk === null) return skip(NEEDS_MOUNT)
    const path = join(disk, 'store')
    execFileSync('cp', ['-r', await dataFolder(), path])
    execFileSync('mount', ['-o', 'remount,ro', disk])
    await expect(openStore({ dataDir: path })).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    await expect(openStore({ dataDir: `${path}/new` })).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
  })
})

it('a folder that one may read but not write says so', async () => {
  const path = await dataFolder()
  // Others may read (who runs as root is one of them meanwhile), nobody may write.
  execFileSync('chmod', ['-R', 'u=rX,go=rX', dirname(path)])
  cleanups.push(() => execFileSync('chmod', ['-R', 'u+w', dirname(path)]))
  // Read before: whoever has no rights may not read a checkout in another's folder either.
  const migrations = await readMigrations()
  await withoutRootRights(async () => {
    for (const dataDir of [path, `${path}/new`]) {
      await expect(openStore({ dataDir }, { migrations })).rejects.toMatchObject({ code: 'STORE_READ_ONLY' })
    }
  })
})
