import { expect, test } from 'vitest'
import type { PgliteEngine } from './engine.ts'
import { SerialStatements } from './serial-statements.ts'

/** An engine that can die between two statements, and is opened anew by the next. */
function mortalEngine(): PgliteEngine & { readonly ran: readonly string[]; die(): void } {
  const ran: string[] = []
  let generation = 0
  const run = async (sql: string): Promise<void> => void ran.push(`${generation} ${sql}`)
  return {
    ran,
    die: () => void generation++,
    get generation() {
      return generation
    },
    run: async (sql) => {
      await run(sql)
      return { fields: [], rows: [], affected: 0 }
    },
    copyIn: async (sql) => {
      await run(sql)
      return 0
    },
    script: run,
    dump: async function* () {
      yield new Uint8Array()
    },
    close: async () => undefined,
    describe: () => ({}),
  }
}

test('no statement of a transaction runs in an engine that was opened after it began', async () => {
  const engine = mortalEngine()
  const statements = new SerialStatements(engine)
  const tx = await statements.begin({})
  await tx.run('insert 1', [], {})
  engine.die()
  await expect(tx.run('insert 2', [], {})).rejects.toMatchObject({ code: 'STORE_RESTARTED', retryable: true })
  await expect(tx.copyIn('copy', new Uint8Array(), {})).rejects.toMatchObject({ code: 'STORE_RESTARTED' })
  await expect(tx.commit()).rejects.toMatchObject({ code: 'STORE_RESTARTED' })
  await statements.run('select 1', [], {})
  expect(engine.ran).toEqual(['0 begin', '0 insert 1', '1 select 1'])
})

test('an engine that dies while a transaction begins does not run it either', async () => {
  const engine = mortalEngine()
  const statements = new SerialStatements({
    ...engine,
    get generation() {
      return engine.generation
    },
    script: async (sql) => {
      await engine.script(sql)
      if (sql === 'begin') engine.die()
    },
  })
  const tx = await statements.begin({})
  await expect(tx.run('insert 1', [], {})).rejects.toMatchObject({ code: 'STORE_RESTARTED' })
  await tx.rollback()
  expect(engine.ran).toEqual(['0 begin'])
})
