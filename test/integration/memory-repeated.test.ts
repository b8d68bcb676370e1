import { expect, test } from 'vitest'
import { ProlepsisError } from '../../src/index.ts'
import { storeCalls } from '../../src/memory/bank-calls.ts'
import { createBankOpener } from '../../src/memory/bank-opener.ts'
import { careCalls } from '../../src/memory/care-calls.ts'
import { scopeOf } from '../../src/memory/scopes.ts'
import type { Database } from '../../src/store/database.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'

const { bank } = useTestMemory()

/** The calls of a fresh bank whose next transactions are committed without anybody hearing of it: as when the owner dies just then. */
function unheard() {
  const memory = bank()
  const scope = scopeOf(memory)
  let lost = 0
  const database: Database = new Proxy(scope.engine.database, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target)
      if (name !== 'transaction') return typeof own === 'function' ? own.bind(target) : own
      return async (...call: Parameters<Database['transaction']>) => {
        const result = await target.transaction(...call)
        if (lost === 0) return result
        lost--
        throw new ProlepsisError('STORE_OWNER_LOST', 'The owner ended.', { retryable: true })
      }
    },
  })
  const engine = { ...scope.engine, database }
  const opener = createBankOpener(engine)
  return {
    memory,
    ...careCalls({ ...scope, engine, opener }),
    ...storeCalls(engine, opener),
    loseNext: (count = 1) => {
      lost = count
    },
  }
}

test('a bank that the first attempt made is the answer of the second; one that differs is still refused', async () => {
  const { memory, banks, loseNext } = unheard()
  await memory.retain('Here.', { source: 'x' })
  const name = `${memory.name}-new`
  loseNext()
  expect(await banks.create(name, { settings: { limit: 3 } })).toMatchObject({ name, settings: { limit: 3 } })
  expect(await codeOf(banks.create(name, { settings: { limit: 3 } }))).toBe('BANK_EXISTS')
  loseNext()
  expect(await banks.delete(name)).toBe(true)
  expect(await banks.delete(name)).toBe(false)
})

test('what an attempt removed before its answer was lost is reported as removed', async () => {
  const { memory, remove, forget, loseNext } = unheard()
  for (const source of ['a', 'b', 'c', 'd']) await memory.retain(`The text of ${source}.`, { source })
  loseNext()
  expect(await remove('a')).toBe(true)
  expect(await remove('a')).toBe(false)
  loseNext()
  expect(await forget({ source: 'b' })).toEqual({ documents: 1, chunks: 1 })
  loseNext()
  expect(await forget({ ref: 'c#1' })).toEqual({ documents: 1, chunks: 1 })
  expect(await forget({ ref: 'c#1' })).toEqual({ documents: 0, chunks: 0 })
  loseNext()
  expect(await forget({ all: true })).toEqual({ documents: 2, chunks: 2 })
  expect(await forget({ all: true })).toEqual({ documents: 0, chunks: 0 })
})
