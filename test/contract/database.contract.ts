import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CopyColumn, CopyValue, Database } from '../../src/store/database.ts'
import { decodeVector } from '../../src/store/sql-values.ts'

export interface DatabaseUnderTest {
  readonly database: Database
  close(): Promise<void>
}

export interface DatabaseTraits {
  /** A running statement can be stopped. */
  readonly interrupts: boolean
  /** `dump` yields a tar stream; a server refuses. */
  readonly dumps: boolean
}

const SLOW_QUERY =
  'with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) as n from r where n < 0'

const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\0\ud800-\udfff]/u.test(value))

/** What every `Database` does, whichever engine is behind it. */
export function describeDatabase(
  name: string,
  traits: DatabaseTraits,
  open: () => Promise<DatabaseUnderTest>,
): void {
  describe(`${name}: the database contract`, () => {
    let underTest: DatabaseUnderTest
    let database: Database

    beforeAll(async () => {
      underTest = await open()
      database = underTest.database
    })
    afterAll(() => underTest?.close())

    it('returns each type as the contract says', async () => {
      const rows = await database.query(
        `select 1::int2 as a, 2::int4 as b, 9007199254740991::int8 as c, 0.1::float4 as d, 1e300::float8 as e,
                true as f, 'x'::text as g, '\\x00ff'::bytea as h, '{"k": [1, null]}'::jsonb as i,
                '2024-02-29 12:34:56.789+02'::timestamptz as j, '{1,null,3}'::int4[] as k, '{"a b","","NULL",null}'::text[] as l,
                1.50::numeric as m, '2024-01-02'::date as n, null::int as o, '[1,2]'::vector as p, count(*) as q from (select 1) as one`,
      )
      expect(rows).toEqual([
        {
          a: 1,
          b: 2,
          c: 9007199254740991,
          d: 0.1,
          e: 1e300,
          f: true,
          g: 'x',
          h: new Uint8Array([0, 255]),
          i: { k: [1, null] },
          j: new Date('2024-02-29T10:34:56.789Z'),
          k: [1, null, 3],
          l: ['a b', '', 'NULL', null],
          m: '1.50',
          n: '2024-01-02',
          o: null,
          p: '[1,2]',
          q: 1,
        },
      ])
    })

    it('binds each type of parameter', async () => {
      const rows = await database.query(
        `select $1::text as a, $2::int as b, $3::float8 as c, $4::bool as d, $5::timestamptz as e, $6::bytea as f,
                $7::text[] as g, $8::int[] as h, $9::jsonb as i, $10::text as j`,
        [
          `'";--%\\`,
          -7,
          0.1,
          false,
          new Date('0099-01-01T00:00:00.001Z'),
          new Uint8Array([1, 0]),
          ['a"b', 'c\\d', 'e,f', '{}', '', 'null', null],
          [1, null],
          '{"a":1}',
          null,
        ],
      )
      expect(rows).toEqual([
        {
          a: `'";--%\\`,
          b: -7,
          c: 0.1,
          d: false,
          e: new Date('0099-01-01T00:00:00.001Z'),
          f: new Uint8Array([1, 0]),
          g: ['a"b', 'c\\d', 'e,f', '{}', '', 'null', null],
          h: [1, null],
          i: { a: 1 },
          j: null,
        },
      ])
    })

    it('brings any text, number, array and time back as it went in', async () => {
      const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.double({ noNaN: true, noDefaultInfinity: true }),
          fc.array(text),
          fc.array(fc.maxSafeInteger()),
          time,
          async (string, number, strings, numbers, date) => {
            const [row] = await database.query(
              'select $1::text as s, $2::float8 as n, $3::text[] as ss, $4::int8[] as ns, $5::timestamptz as t',
              [string, number, strings, numbers, date],
            )
            // PostgreSQL's float8 keeps -0, its text form in arrays of int8 does not.
            const whole = numbers.map((value) => value + 0)
            expect(row).toEqual({ s: string, n: number, ss: strings, ns: whole, t: date })
          },
        ),
        { numRuns: 50, seed: 11 },
      )
    })

    it('counts the rows that a change touched, and none for a query', async () => {
      await database.script('create table counted (a int)')
      expect(await database.execute('insert into counted select generate_series(1, 5)')).toBe(5)
      expect(await database.execute('update counted set a = a + 1 where a > $1', [3])).toBe(2)
      expect(await database.execute('delete from counted where a = 1')).toBe(1)
      expect(await database.execute('select * from counted')).toBe(0)
    })

    it('copies every type, nulls and empty arrays included', async () => {
      await database.script(
        `create table copied (id int4, a int2, b int8, c float4, d bool, e text, f bytea, g jsonb, h timestamptz,
                              i text[], j int4[], k int2[], l vector(9), m bit(9))`,
      )
      const columns: readonly CopyColumn[] = [
        { name: 'id', type: 'int4' },
        { name: 'a', type: 'int2' },
        { name: 'b', type: 'int8' },
        { name: 'c', type: 'float4' },
        { name: 'd', type: 'bool' },
        { name: 'e', type: 'text' },
        { name: 'f', type: 'bytea' },
        { name: 'g', type: 'jsonb' },
        { name: 'h', type: 'timestamptz' },
        { name: 'i', type: 'text[]' },
        { name: 'j', type: 'int4[]' },
        { name: 'k', type: 'int2[]' },
        { name: 'l', type: 'vector' },
        { name: 'm', type: 'bit' },
      ]
      const vector = new Float32Array([1, -1, 0, 0.25, -0.25, 3, 4, -5, 1e-20])
      const date = new Date('1969-07-20T20:17:40.123Z')
      const rows: readonly (readonly CopyValue[])[] = [
        [
          1,
          -2,
          -9007199254740991,
          0.5,
          true,
          'é"\\\n',
          new Uint8Array([0, 1]),
          '{"a":[1]}',
          date,
          ['x', ''],
          new Int32Array([1, -2]),
          [3],
          vector,
          vector,
        ],
        [2, null, null, null, null, null, null, null, null, null, null, null, null, null],
        [3, 0, 0, 0, false, '', new Uint8Array(), 'null', new Date(0), [], [], [], vector, vector],
      ]
      expect(await database.copy('copied', columns, rows)).toBe(3)
      const [full, none, empty] = await database.query<Record<string, unknown>>(
        `select id, a, b, c, d, e, f, g, h, i, j, k, vector_send(l) as l, m::text as m, binary_quantize(l) = m as same from copied order by id`,
      )
      expect(full).toMatchObject({
        id: 1,
        a: -2,
        b: -9007199254740991,
        c: 0.5,
        d: true,
        e: 'é"\\\n',
        f: new Uint8Array([0, 1]),
        g: { a: [1] },
        h: date,
        i: ['x', ''],
        j: [1, -2],
        k: [3],
        m: '100101101',
        same: true,
      })
      expect(decodeVector(full?.l as Uint8Array)).toEqual(vector)
      expect(Object.values(none ?? {}).filter((value) => value !== null)).toEqual([2])
      expect(empty).toMatchObject({ e: '', f: new Uint8Array(), g: null, i: [], j: [], k: [] })
    })

    it('copies nothing for no rows, and all of many pieces as one', async () => {
      await database.script('create table bulk (a int4, b text)')
      const columns: readonly CopyColumn[] = [
        { name: 'a', type: 'int4' },
        { name: 'b', type: 'text' },
      ]
      expect(await database.copy('bulk', columns, [])).toBe(0)
      const filler = 'x'.repeat(1000)
      function* many(): Generator<readonly CopyValue[]> {
        for (let index = 0; index < 9_000; index += 1) yield [index, filler]
      }
      expect(await database.copy('bulk', columns, many())).toBe(9_000)
      function* broken(): Generator<readonly CopyValue[]> {
        yield* many()
        throw new RangeError('the source broke')
      }
      await expect(database.copy('bulk', columns, broken())).rejects.toThrow('the source broke')
      await expect(database.copy('bulk', columns, [[1.5, 'x']])).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
      })
      expect(await database.query('select count(*) as n, max(a) as most from bulk')).toEqual([
        { n: 9_000, most: 8_999 },
      ])
    })

    it('refuses text that PostgreSQL cannot hold, before anything is sent', async () => {
      await database.script('create table texts (a text)')
      for (const bad of ['a\0b', 'a\ud800b', '\udc00']) {
        await expect(database.query('select $1::text', [bad])).rejects.toMatchObject({ code: 'INVALID_TEXT' })
        await expect(database.query('select $1::text[]', [[bad]])).rejects.toMatchObject({
          code: 'INVALID_TEXT',
        })
        await expect(database.copy('texts', [{ name: 'a', type: 'text' }], [[bad]])).rejects.toMatchObject({
          code: 'INVALID_TEXT',
        })
      }
      expect(await database.query('select * from texts')).toEqual([])
    })

    it('reports what the database refused by SQLSTATE and constraint', async () => {
      await database.script('create table single (a int constraint single_a unique)')
      await database.execute('insert into single values (1)')
      await expect(database.execute('insert into single values (1)')).rejects.toMatchObject({
        code: 'STORE_FAILED',
        retryable: false,
        details: { sqlstate: '23505', constraint: 'single_a' },
      })
      await expect(database.query('selec 1')).rejects.toMatchObject({ details: { sqlstate: '42601' } })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    it('commits a transaction that resolves and rolls one back that throws', async () => {
      await database.script('create table kept (a int)')
      const result = await database.transaction(async (tx) => {
        await tx.execute('insert into kept values (1)')
        await tx.script('create table made_inside (a int); insert into made_inside values (5)')
        return 'done'
      })
      expect(result).toBe('done')
      await expect(
        database.transaction(async (tx) => {
          await tx.execute('insert into kept values (2)')
          throw new Error('changed my mind')
        }),
      ).rejects.toThrow('changed my mind')
      expect(await database.query('select a from kept')).toEqual([{ a: 1 }])
      expect(await database.query('select a from made_inside')).toEqual([{ a: 5 }])
    })

    it('rolls back when a statement failed, also when its error was caught', async () => {
      await database.script('create table strict (a int)')
      await expect(
        database.transaction(async (tx) => {
          await tx.execute('insert into strict values (1)')
          await tx.query('select 1 / 0').catch(() => undefined)
        }),
      ).rejects.toMatchObject({ details: { sqlstate: '22012' } })
      expect(await database.query('select a from strict')).toEqual([])
    })

    it('keeps what a transaction has not committed from everybody else', async () => {
      await database.script('create table unseen (a int)')
      const steps: string[] = []
      let inside = (): void => undefined
      const begun = new Promise<void>((resolve) => {
        inside = resolve
      })
      const writing = database.transaction(async (tx) => {
        await tx.execute('insert into unseen values (1)')
        inside()
        await tx.execute('insert into unseen values (2)')
        steps.push('written')
      })
      await begun
      const [row] = await database.query<{ n: number }>('select count(*) as n from unseen')
      // Embedded: it waited in line. On a server: it saw nothing of it.
      expect([0, 2]).toContain(row?.n)
      await writing
      expect(steps).toEqual(['written'])
      expect(await database.query('select count(*) as n from unseen')).toEqual([{ n: 2 }])
    })

    it('lets concurrent transactions all come through, each whole', async () => {
      await database.script('create table tally (a int); insert into tally values (0)')
      await Promise.all(
        Array.from({ length: 20 }, () =>
          database.transaction(async (tx) => {
            const [row] = await tx.query<{ a: number }>('select a from tally for update')
            await tx.execute('update tally set a = $1', [(row?.a ?? 0) + 1])
          }),
        ),
      )
      expect(await database.query('select a from tally')).toEqual([{ a: 20 }])
    })

    it('raises STORE_MISUSE for a query on the database from inside its own transaction', async () => {
      await expect(database.transaction(() => database.query('select 1'))).rejects.toMatchObject({
        code: 'STORE_MISUSE',
      })
      await expect(
        database.transaction(() => database.transaction(async () => undefined)),
      ).rejects.toMatchObject({ code: 'STORE_MISUSE' })
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    it('raises STORE_MISUSE for a transaction that is used after its end', async () => {
      const leaked = await database.transaction(async (tx) => tx)
      await expect(leaked.query('select 1')).rejects.toMatchObject({ code: 'STORE_MISUSE' })
    })

    it('finishes statements that were not awaited before it commits', async () => {
      await database.script('create table floating (a int)')
      await database.transaction(async (tx) => {
        void tx.execute('insert into floating values (1)')
      })
      expect(await database.query('select a from floating')).toEqual([{ a: 1 }])
    })

    it('lets settings live no longer than their transaction', async () => {
      await expect(database.query("set work_mem = '8MB'")).rejects.toMatchObject({ code: 'STORE_MISUSE' })
      await expect(database.transaction((tx) => tx.script("set work_mem = '8MB'"))).rejects.toMatchObject({
        code: 'STORE_MISUSE',
      })
      const show = "select current_setting('work_mem') as mem"
      const [before] = await database.query(show)
      await database.transaction(async (tx) => {
        await tx.execute("set local work_mem = '9MB'")
        expect(await tx.query(show)).toEqual([{ mem: '9MB' }])
      })
      expect(await database.query(show)).toEqual([before])
    })

    it('does not begin what is cancelled already', async () => {
      const signal = AbortSignal.abort(new Error('enough'))
      await expect(database.query('select 1', [], { signal })).rejects.toMatchObject({ code: 'CANCELLED' })
      await expect(database.transaction(async () => 1, { signal })).rejects.toMatchObject({
        code: 'CANCELLED',
      })
    })

    const reason = traits.interrupts ? '' : ' (skipped: a statement in this thread cannot be stopped)'

    it.skipIf(!traits.interrupts)(`stops a statement at its deadline and works on${reason}`, async () => {
      await database.script('create table survivors (a int); insert into survivors values (1)')
      await expect(database.query(SLOW_QUERY, [], { deadlineMs: 300 })).rejects.toMatchObject({
        code: 'DEADLINE_EXCEEDED',
        details: { deadlineMs: 300 },
      })
      expect(await database.query('select a from survivors')).toEqual([{ a: 1 }])
    })

    it.skipIf(!traits.interrupts)(
      `rolls a transaction back whose statement passed its deadline${reason}`,
      async () => {
        await database.script('create table halves (a int)')
        await expect(
          database.transaction(async (tx) => {
            await tx.execute('insert into halves values (1)')
            await tx.query(SLOW_QUERY, [], { deadlineMs: 300 })
          }),
        ).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' })
        expect(await database.query('select a from halves')).toEqual([])
      },
    )

    it.skipIf(!traits.interrupts)(`stops a statement when its signal fires${reason}`, async () => {
      const stop = new AbortController()
      const running = database.query(SLOW_QUERY, [], { signal: stop.signal })
      // Behind it in the line, or beside it on a server.
      const next = database.query('select 1 as a')
      setImmediate(() => stop.abort())
      await expect(running).rejects.toMatchObject({ code: 'CANCELLED' })
      expect(await next).toEqual([{ a: 1 }])
    })

    it('maintains and describes itself', async () => {
      await database.script(
        'create table worn as select generate_series(1, 2000) as a; update worn set a = a + 1',
      )
      await database.maintain()
      const facts = await database.describe()
      expect(facts.engine).toBe(database.engine)
      expect(facts.pgvector).toMatch(/^\d+\.\d+/)
      expect(JSON.stringify(facts)).not.toContain('password')
    })

    it('dumps where it is embedded, and names pg_dump where it is not', async () => {
      const dump = async (): Promise<number> => {
        let bytes = 0
        for await (const chunk of database.dump()) bytes += chunk.length
        return bytes
      }
      if (traits.dumps) {
        const bytes = await dump()
        expect(bytes).toBeGreaterThan(1_000_000)
        expect(bytes % 512).toBe(0)
      } else {
        await expect(dump()).rejects.toMatchObject({
          code: 'INVALID_ARGUMENT',
          hint: expect.stringContaining('pg_dump'),
        })
      }
      expect(await database.query('select 1 as a')).toEqual([{ a: 1 }])
    })

    it('closes once and for all', async () => {
      const { database: other, close } = await open()
      await other.close()
      await other.close()
      await expect(other.query('select 1')).rejects.toMatchObject({ code: 'CLOSED' })
      await expect(other.transaction(async () => 1)).rejects.toMatchObject({ code: 'CLOSED' })
      await close()
    })
  })
}
