import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMemory, type Memory } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { codeOf, collect } from '../support/test-memory.ts'

// Two memories on one folder: what one remembers of a bank, the other has changed.
const folder = mkdtempSync(join(tmpdir(), 'prolepsis-overtaken-'))
const clock = { now: () => Date.UTC(2024, 0, 1) }
const open = (dimension: number): Promise<Memory> =>
  createMemory({ dataDir: join(folder, 'store'), clock, embedder: createFakeEmbedder({ dimension }) })

let one: Memory
let other: Memory
let larger: Memory
beforeAll(async () => {
  one = await open(32)
  other = await open(32)
  larger = await open(64)
})
afterAll(async () => {
  for (const memory of [larger, other, one]) await memory.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a bank that another deleted and made anew gets what is retained from then on', async () => {
  await one.banks.create('anew')
  await one.bank('anew').retain('Ann moved to Oslo.', { source: 'a' })
  await other.banks.delete('anew')
  expect(await codeOf(one.bank('anew').retain('Ann moved to Rome.', { source: 'a' }))).toBe('BANK_NOT_FOUND')
  await other.banks.create('anew')
  expect(await one.bank('anew').retain('Ann moved to Rome.', { source: 'a' })).toMatchObject({
    status: 'created',
  })
  expect((await other.bank('anew').document('a'))?.text).toBe('Ann moved to Rome.')
})

test('a bank that another moved to its model takes nothing of the old one', async () => {
  await one.banks.create('moved')
  const mine = one.bank('moved')
  await mine.retain('Ann moved to Oslo.', { source: 'a' })
  const stream = mine.retainMany(
    (async function* () {
      yield { content: 'Ben moved to Rome.', source: 'b' }
      await larger.bank('moved').rebuildIndex({ reembed: true })
      yield { content: 'Cem moved to Bonn.', source: 'c' }
    })(),
  )
  expect(await codeOf(collect(stream))).toBe('MODEL_MISMATCH')
  expect(await codeOf(mine.retain('Dan moved to Bern.', { source: 'd' }))).toBe('MODEL_MISMATCH')
  const moved = larger.bank('moved')
  await moved.retain('Eve moved to Graz.', { source: 'e' })
  expect((await moved.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
})

test('a bank that could not be read does not keep a write from making it', async () => {
  const late = one.bank('late', { createIfMissing: true })
  const read = codeOf(late.recall('Ann'))
  const written = late.retain('Ann moved to Oslo.', { source: 'a' })
  expect(await written).toMatchObject({ status: 'created' })
  expect(await read).toBeOneOf(['BANK_NOT_FOUND', null])
})

test('an older export wakes nothing that was removed since; a removal comes along', async () => {
  await one.banks.create('before')
  await one.banks.create('after')
  const before = one.bank('before')
  const after = one.bank('after')
  await before.retain('Ann moved to Oslo.', { source: 'a' })
  const older = await collect(before.export())
  await before.retain('Ann moved to Rome.', { source: 'a' })
  await before.remove('a')
  const newer = await collect(before.export())

  await after.import(older)
  expect((await after.document('a'))?.text).toBe('Ann moved to Oslo.')
  await after.import(newer)
  expect(await after.document('a')).toBeNull()

  // only the first version again, where the bank knows the second alone
  await after.forget({ all: true })
  await after.import(
    newer
      .filter((line) => !line.includes('Oslo'))
      .map((line) => line.replace('"documents":2', '"documents":1')),
  )
  await after.import(older)
  expect(await after.document('a')).toBeNull()
  expect((await after.versions('a')).map(({ version, state }) => [version, state])).toEqual([
    [2, 'deleted'],
    [1, 'superseded'],
  ])
  expect((await after.doctor()).findings.filter((finding) => !finding.ok)).toEqual([])
})

test('an import with values that no column holds is refused by its line', async () => {
  await one.banks.create('hostile')
  const bank = one.bank('hostile')
  await bank.retain('Ann moved to Oslo.', { source: 'a' })
  const [header = '', document = '', end = ''] = await collect(bank.export())
  const hostile = (change: Record<string, unknown>): string[] => [
    header,
    JSON.stringify({ ...JSON.parse(document), ...change }),
    end,
  ]
  const part = (activity: object) => [{ startByte: 0, cues: [], activity }]
  for (const change of [
    { source: 'ü'.repeat(1500) },
    { version: 2 ** 31 },
    { parts: part({ significance: 0.5, uses: 2 ** 40, lastUsedAt: null, pinned: false }) },
  ]) {
    await expect(bank.import(hostile(change))).rejects.toMatchObject({
      code: 'IMPORT_INVALID',
      details: { line: 2 },
    })
  }
  const prototype = document.replace('"metadata":{', '"metadata":{"__proto__":{"polluted":true}')
  await bank.import([header, prototype.replace('"source":"a"', '"source":"b"'), end])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

test.skipIf(process.platform === 'win32')('a backup is its owner’s alone', async () => {
  const path = join(folder, 'backup.tar.gz')
  await one.backup(path)
  expect(statSync(path).mode & 0o077).toBe(0)
})
