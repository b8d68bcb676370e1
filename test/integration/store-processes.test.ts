import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { repeatable } from '../../src/store/repeat.ts'
import { type ChildProgram, nextLine, startProgram } from '../support/child-program.ts'
import { killRounds, seededRandom } from '../support/kill-rounds.ts'
import { checkPairs } from '../support/pairs.ts'
import { usedFolders } from '../support/used-folders.ts'

const { dataFolder, newFolder, programs } = usedFolders()

interface StoreUser {
  readonly program: ChildProgram
  readonly role: string
  ask(line: string): Promise<string>
}

async function startUser(folder: string): Promise<StoreUser> {
  const program = startProgram('store-user', [folder])
  programs.push(program)
  const lines = program.lines[Symbol.asyncIterator]()
  return {
    program,
    role: await nextLine(program, lines),
    ask: (line) => {
      program.say(line)
      return nextLine(program, lines)
    },
  }
}

async function lockName(folder: string): Promise<string> {
  return (await readdir(join(folder, 'run'))).find((name) => name.startsWith('lock.')) ?? ''
}

describe('processes that share a data folder', () => {
  it('lose nothing and halve nothing when the writer is killed at any moment', {
    timeout: 300_000,
  }, async () => {
    const path = await dataFolder()
    for await (const round of killRounds(path, 3, seededRandom(7))) {
      expect(round).toMatchObject({ lost: [], doubled: [], halved: [] })
    }
  })

  it.each([
    [2, 0],
    [8, 2],
  ])(
    'write side by side: %i of them, %i owners killed meanwhile',
    { timeout: 300_000 },
    async (count, kills) => {
      const path = await dataFolder()
      const pairs = 40
      const acknowledged = new Map<string, number[]>()
      // Called at every line of a writer.
      let heard = (): void => undefined
      const writers = Array.from({ length: count }, (_, index) => {
        const program = startProgram('pair-writer', [path, `w${index}`, String(pairs)])
        programs.push(program)
        const numbers: number[] = []
        acknowledged.set(`w${index}`, numbers)
        const finished = (async () => {
          let done = false
          for await (const line of program.lines) {
            if (line === 'done') done = true
            else if (line !== 'ready') numbers.push(Number(line))
            heard()
          }
          return { done, ...(await program.ended) }
        })()
        return { program, numbers, finished }
      })
      const ownerOf = async (): Promise<number | undefined> => {
        const highest = (await readdir(join(path, 'run')))
          .map((name) => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? 0))
          .reduce((most, number) => Math.max(most, number), 0)
        const record: unknown = JSON.parse(
          execFileSync('cat', [join(path, 'run', `lock.${highest}`)], { encoding: 'utf8' }),
        )
        return typeof record === 'object' && record !== null && 'pid' in record
          ? Number(record.pid)
          : undefined
      }
      const killed = new Set<ChildProgram>()
      for (let kill = 0; kill < kills; kill += 1) {
        // When every living writer has come some way since the last time.
        const living = writers.filter(({ program }) => !killed.has(program))
        const marks = living.map(({ numbers }) => numbers.length)
        while (
          living.some(({ numbers }, index) => numbers.length < Math.min(pairs, (marks[index] ?? 0) + 8))
        ) {
          await new Promise<void>((resolve) => {
            heard = resolve
          })
        }
        const pid = await ownerOf()
        const owner = living.find(({ program }) => program.pid === pid)
        if (owner === undefined) continue // it had just finished
        owner.program.kill('SIGKILL')
        killed.add(owner.program)
      }
      const ends = await Promise.all(writers.map(({ finished }) => finished))
      for (const [index, end] of ends.entries()) {
        const writer = writers[index]
        if (writer !== undefined && killed.has(writer.program)) continue
        expect(end).toEqual({ done: true, code: 0, errors: '' })
      }
      const database = await openStore({ dataDir: path })
      for (const [name, numbers] of acknowledged) {
        expect(await checkPairs(database, name, numbers)).toMatchObject({ lost: [], doubled: [], halved: [] })
      }
      await database.close()
    },
  )

  it('hand the folder on when the owner leaves, and go on without a word', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    expect(owner.role).toBe('owner')
    await owner.ask('sql create table notes (a int)')
    const client = await startUser(path)
    expect(client.role).toBe('client')
    await client.ask('sql insert into notes values (1)')
    expect(await owner.ask('close')).toBe('closed')
    expect(await client.ask('sql select a from notes')).toBe('[{"a":1}]')
    expect(await client.ask('owner')).toBe('owner')
  })

  it('close in order as the last act of a program, with idle clients', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    const clients = await Promise.all([openStore({ dataDir: path }), openStore({ dataDir: path })])
    owner.program.say('quit')
    expect(await owner.program.ended).toEqual({ code: 0, errors: '' })
    for (const client of clients) expect(await client.query('select 1 as a')).toEqual([{ a: 1 }])
    for (const client of clients) await client.close()
  })

  it('hand the folder on when the owner is killed', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    await owner.ask('sql create table notes (a int)')
    const client = await startUser(path)
    owner.program.kill('SIGKILL')
    await owner.program.ended
    expect(await client.ask('sql select count(*) as n from notes')).toBe('[{"n":0}]')
    expect(await client.ask('owner')).toBe('owner')
  })

  it('roll back what a client that died had not committed, and let the others in', async () => {
    const path = await dataFolder()
    const database = await openStore({ dataDir: path })
    await database.script('create table held (a int)')
    const client = await startUser(path)
    expect(await client.ask('hold')).toBe('holding')
    const waiting = database.query('select count(*) as n from held')
    client.program.kill('SIGKILL')
    expect(await waiting).toEqual([{ n: 0 }])
    await database.close()
  })

  it('roll back a client’s transaction that idles, and say so', async () => {
    const path = await dataFolder()
    const owner = await openStore({ dataDir: path }, { idleTransactionMs: 100 })
    await owner.script('create table held (a int)')
    const client = await openStore({ dataDir: path })
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let begin = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const idling = client.transaction(async (tx) => {
      await tx.execute('insert into held values (1)')
      begin()
      await released
      await tx.execute('insert into held values (2)')
    })
    await begun
    // Comes to its turn only because the other has been rolled back.
    expect(await owner.query('select count(*) as n from held')).toEqual([{ n: 0 }])
    release()
    await expect(idling).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
    await client.close()
    await owner.close()
  })

  it('repeat a client’s transaction when the owner is lost before its commit', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    await owner.ask('sql create table notes (a int)')
    const client = await openStore({ dataDir: path })
    let runs = 0
    await client.transaction(async (tx) => {
      runs += 1
      await tx.execute('insert into notes values ($1)', [runs])
      if (runs > 1) return
      owner.program.kill('SIGKILL')
      await owner.program.ended
      await tx.query('select 1')
    })
    expect(await client.query('select a from notes')).toEqual([{ a: 2 }])
    expect(client.services?.isOwner()).toBe(true)
    await client.close()
  })

  it('tell a client that cannot know whether its change was made', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    await owner.ask('sql create table notes (a int)')
    const client = await openStore({ dataDir: path })
    const slow = `insert into notes with recursive r(n) as (select 1 union all select n + 1 from r) select n from r where n < 0`
    const change = client.execute(slow)
    owner.program.kill('SIGKILL')
    await expect(change).rejects.toMatchObject({ code: 'STORE_OWNER_LOST', retryable: true })
    expect(await repeatable(client, (store) => store.query('select count(*) as n from notes'))).toEqual([
      { n: 0 },
    ])
    await client.close()
  })

  it('call each other’s services through the owner', async () => {
    const path = await dataFolder()
    const owner = await startUser(path)
    expect(await owner.ask('serve echo')).toBe('serving')
    const client = await openStore({ dataDir: path })
    const payload = { texts: ['é'], vector: new Float32Array([1, 2]) }
    expect(await client.services?.call('echo', payload)).toEqual({ pid: owner.program.pid, payload })
    await expect(client.services?.call('nothing', null)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    client.services?.serve('echo', async () => 'mine')
    owner.program.kill('SIGKILL')
    await owner.program.ended
    expect(await client.services?.call('echo', payload)).toBe('mine')
    await client.close()
  })

  it('refuse to join an owner whose schema is older than this program’s', async () => {
    const path = await dataFolder()
    const owner = await openStore({ dataDir: path })
    const { readMigrations } = await import('../../src/store/migrate.ts')
    const known = await readMigrations()
    const next = { number: known.length + 1, name: 'next', sql: 'select 1', checksum: 'x', breaking: false }
    await expect(openStore({ dataDir: path }, { migrations: [...known, next] })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    })
    await owner.close()
  })

  it('stop at once when another has taken the folder over, and join again', async () => {
    const path = await dataFolder()
    const roles: boolean[] = []
    let again = (): void => undefined
    const dethroned = new Promise<void>((resolve) => {
      again = resolve
    })
    const owner = await openStore(
      { dataDir: path },
      {
        heartbeatMs: 20,
        onEvent: (event) => event.type === 'store-owner-changed' && roles.push(event.owner),
      },
    )
    const running = owner.query(
      'with recursive r(n) as (select 1 union all select n + 1 from r) select n from r where n < 0',
    )
    running.catch(again)
    const record: unknown = JSON.parse(await readFile(join(path, 'run', await lockName(path)), 'utf8'))
    await writeFile(join(path, 'run', 'lock.99'), JSON.stringify({ ...Object(record), released: true }))
    await dethroned
    await expect(running).rejects.toMatchObject({ code: 'STORE_OWNER_LOST' })
    expect(await owner.query('select 1 as a')).toEqual([{ a: 1 }])
    expect(roles).toEqual([true, true])
    expect(await lockName(path)).toBe('lock.100')
    await owner.close()
  })

  it('keep strangers out of the socket', async () => {
    const path = await dataFolder()
    const owner = await openStore({ dataDir: path })
    const [name = ''] = (await readdir(join(path, 'run'))).filter((entry) => entry.endsWith('.sock'))
    const { createConnection } = await import('node:net')
    const socket = createConnection(join(path, 'run', name))
    socket.write(`${'0'.repeat(32)}anything`)
    const heard: Buffer[] = []
    socket.on('data', (chunk: Buffer) => heard.push(chunk))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(heard).toEqual([])
    expect(await owner.query('select 1 as a')).toEqual([{ a: 1 }])
    await owner.close()
  })

  it('find each other also where the path is too long for a socket', async () => {
    const path = join(await newFolder(), 'x'.repeat(120))
    const owner = await openStore({ dataDir: path })
    const client = await openStore({ dataDir: path })
    expect((await client.describe()).role).toBe('client')
    await client.close()
    await owner.close()
  })
})
