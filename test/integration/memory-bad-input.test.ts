import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createMemory,
  isProlepsisError,
  type Memory,
  type RetainContent,
  type RetainOptions,
} from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { everyTable } from '../support/every-table.ts'
import { createTestDatabase, noServerReason, serverUrl } from '../support/postgres.ts'
import { codeOf, useTestMemory } from '../support/test-memory.ts'

const shared = useTestMemory({ maxTextBytes: 5_000_000 })
let memory: Memory
beforeAll(async () => {
  memory = shared.bank()
  await memory.retain('What is there before.', { source: 'before' })
})

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'prolepsis-bad-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Every refusal has a code of ours, a message and a hint, and leaves nothing behind. */
async function refused(call: () => Promise<unknown>, code: string): Promise<void> {
  const before = await memory.stats()
  const error: unknown = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!isProlepsisError(error)) throw new Error(`expected ${code}, got ${String(error)}`)
  expect(error.code).toBe(code)
  expect(error.message).not.toMatch(/\n\s+at /)
  expect(error.hint).toBeTruthy()
  const after = await memory.stats()
  expect(after.documents).toEqual(before.documents)
  expect(after.chunks).toBe(before.chunks)
}

// callers without types may hand over anything
const retain = (content: unknown, options?: unknown) =>
  memory.retain(content as RetainContent, options as RetainOptions)

/** An object in an object in … */
function nested(depth: number): Record<string, unknown> {
  let object: Record<string, unknown> = {}
  for (let level = 0; level < depth; level++) object = { a: object }
  return object
}

describe('texts', () => {
  test.each<[string, unknown, string]>([
    ['empty text', '', 'EMPTY_TEXT'],
    ['blank text', ' \n\t\u00a0', 'EMPTY_TEXT'],
    ['a NUL byte', 'a\u0000b', 'INVALID_TEXT'],
    ['a lone surrogate', 'a\ud800b', 'INVALID_TEXT'],
    ['bytes that are not UTF-8', new Uint8Array([0x61, 0xff, 0xfe, 0x62]), 'INVALID_TEXT'],
    ['no bytes', new Uint8Array(), 'EMPTY_TEXT'],
    ['a picture', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]), 'UNSUPPORTED_MEDIA'],
    ['an archive', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0, 0]), 'UNSUPPORTED_MEDIA'],
    ['a text over the limit', 'x'.repeat(5_000_001), 'TEXT_TOO_LARGE'],
    ['bytes over the limit', new Uint8Array(5_000_001).fill(120), 'TEXT_TOO_LARGE'],
    ['a number', 3, 'INVALID_ARGUMENT'],
    ['nothing', undefined, 'INVALID_ARGUMENT'],
    ['null', null, 'INVALID_ARGUMENT'],
    ['no messages', [], 'EMPTY_TEXT'],
    ['a message without words', [{ role: 'user', content: ' ' }], 'EMPTY_TEXT'],
    ['a message that is none', [{ role: 'user' }], 'INVALID_ARGUMENT'],
    ['a list of strings', ['hello'], 'INVALID_ARGUMENT'],
    ['a message at no time', [{ role: 'user', content: 'x', at: 'noon' }], 'INVALID_TIME'],
  ])('%s is refused', async (_, content, code) => {
    await refused(() => retain(content, { source: 'bad' }), code)
  })

  test('a text of one endless word, of one endless line, and of every script is kept byte for byte', async () => {
    const texts = [
      'x'.repeat(50_000),
      `${'word '.repeat(20_000)}`,
      '漢字かな'.repeat(5_000),
      '👩‍👩‍👧‍👦'.repeat(2_000),
      'مرحبا بالعالم ﷺ\u200f\r\n'.repeat(500),
    ]
    for (const [at, text] of texts.entries()) {
      await memory.retain(text, { source: `odd/${at}` })
      expect((await memory.document(`odd/${at}`))?.text).toBe(text)
    }
  })
})

test('a speaker with an endless name is kept and found', async () => {
  const name = `Ann ${'von '.repeat(3000)}`.trim()
  await memory.retain([{ role: 'user', name, content: 'We moved to Lisbon.' }], { source: 'endless' })
  for (const people of [[name], undefined]) {
    const { passages, degraded } = await memory.recall('Who moved to Lisbon?', people && { people })
    expect([passages[0]?.source, degraded]).toEqual(['endless', []])
  }
  await memory.forget({ source: 'endless' })
})

describe('options of retain', () => {
  test.each<[string, unknown, string]>([
    ['an unknown option', { sorce: 'x' }, 'UNKNOWN_OPTION'],
    ['options that are no object', 'x', 'INVALID_ARGUMENT'],
    ['null for options', null, 'INVALID_ARGUMENT'],
    ['an empty source', { source: '' }, 'INVALID_ARGUMENT'],
    ['a source with NUL', { source: 'a\u0000' }, 'INVALID_TEXT'],
    ['a source that is endless', { source: 'é'.repeat(1500) }, 'INVALID_ARGUMENT'],
    ['a source that is a number', { source: 1 }, 'INVALID_ARGUMENT'],
    ['tags that are no list', { tags: 'x' }, 'INVALID_ARGUMENT'],
    ['a blank tag', { tags: [' '] }, 'INVALID_ARGUMENT'],
    ['a tag with a lone surrogate', { tags: ['\udfff'] }, 'INVALID_TEXT'],
    ['metadata that is a list', { metadata: [] }, 'INVALID_ARGUMENT'],
    ['metadata with NUL deep inside', { metadata: { a: [{ b: '\u0000' }] } }, 'INVALID_TEXT'],
    ['metadata that is no JSON', { metadata: { a: 1n } }, 'INVALID_ARGUMENT'],
    ['metadata without end', { metadata: nested(5_000) }, 'INVALID_ARGUMENT'],
    ['metadata with NaN', { metadata: { a: Number.NaN } }, 'INVALID_ARGUMENT'],
    ['metadata with a Date', { metadata: { a: new Date(0) } }, 'INVALID_ARGUMENT'],
    ['metadata with a function', { metadata: { a: () => 1 } }, 'INVALID_ARGUMENT'],
    ['metadata that is nothing as JSON', { metadata: { toJSON: () => undefined } }, 'INVALID_ARGUMENT'],
    ['a time that is none', { occurredAt: '2023-02-30' }, 'INVALID_TIME'],
    ['a time that is a number', { occurredAt: 5 }, 'INVALID_TIME'],
    ['an unknown trust', { trust: 'god' }, 'INVALID_ARGUMENT'],
    ['a blank question', { questions: [''] }, 'INVALID_ARGUMENT'],
    ['a question for a chunk that is not there', { questions: { 7: ['What?'] } }, 'INVALID_ARGUMENT'],
    ['a question for no ordinal', { questions: { first: ['What?'] } }, 'INVALID_ARGUMENT'],
    ['a media type that is none', { mediaType: 'words' }, 'INVALID_ARGUMENT'],
    ['a media type that nothing reads', { mediaType: 'video/mp4' }, 'UNSUPPORTED_MEDIA'],
    ['a signal that is none', { signal: {} }, 'INVALID_ARGUMENT'],
    ['a fired signal', { signal: AbortSignal.abort() }, 'CANCELLED'],
  ])('%s is refused', async (_, options, code) => {
    await refused(() => retain('A good text.', options), code)
  })

  const nasty = `%_\\'";:-- $1 {} [] (select 1) '; drop table documents; -- \u202e`

  test('SQL, wildcards and quotes in every field are kept as they are', async () => {
    const source = `n/${nasty}`
    const { document } = await memory.retain(`The text says ${nasty}`, {
      source,
      tags: [nasty],
      metadata: { [nasty]: nasty },
      title: nasty,
      questions: [nasty],
    })
    expect(document).toMatchObject({ source, tags: [nasty], metadata: { [nasty]: nasty }, title: nasty })
    expect((await memory.document(source))?.text).toBe(`The text says ${nasty}`)
    const found = await memory.recall(nasty, {
      tags: { any: [nasty], strict: true },
      where: { [nasty]: nasty },
      source: 'n/%_\\',
    })
    expect(found.passages.map((passage) => passage.source)).toEqual([source])
    expect(await memory.documents({ sourcePrefix: 'n/%_', tag: nasty })).toHaveLength(1)
    expect(await memory.documents({ sourcePrefix: 'n/_' })).toHaveLength(0)
    expect(await memory.get(`${source}#1`)).not.toBeNull()
    expect(await memory.forget({ source })).toMatchObject({ documents: 1 })
  })

  test('times with any offset, or none, name the same instant', async () => {
    for (const occurredAt of ['2023-05-08T13:56:00Z', '2023-05-08T15:56+02:00', '2023-05-08 13:56']) {
      const { document } = await memory.retain('A timed text.', { source: 'timed', occurredAt })
      expect(document.occurredAt).toEqual(new Date('2023-05-08T13:56:00Z'))
    }
  })
})

describe('questions', () => {
  test('an empty bank, stop-words only and 100,000 characters give a result, not an error', async () => {
    const empty = shared.bank()
    await empty.retain('x', { source: 'x' })
    await empty.forget({ all: true })
    expect((await empty.recall('Is anybody here?')).passages).toEqual([])
    await empty.retain('The heron stands in the pond.', { source: 'heron' })
    expect((await empty.recall('is it the of a')).degraded).toEqual([])
    const long = `${'Tell me about birds of the pond. '.repeat(3100)}heron?`
    expect(long.length).toBeGreaterThan(100_000)
    expect((await empty.recall(long)).passages[0]?.source).toBe('heron')
  })

  test.each<[string, unknown, unknown, string]>([
    ['a blank question', ' ', {}, 'EMPTY_TEXT'],
    ['a question with NUL', 'a\u0000', {}, 'INVALID_TEXT'],
    ['a question with a lone surrogate', 'a\udc00', {}, 'INVALID_TEXT'],
    ['no question', undefined, {}, 'INVALID_ARGUMENT'],
    ['a negative limit', 'x', { limit: -1 }, 'INVALID_ARGUMENT'],
    ['a limit of zero', 'x', { limit: 0 }, 'INVALID_ARGUMENT'],
    ['half a limit', 'x', { limit: 1.5 }, 'INVALID_ARGUMENT'],
    ['a negative budget', 'x', { tokenBudget: -5 }, 'INVALID_ARGUMENT'],
    ['an unknown option', 'x', { limt: 3 }, 'UNKNOWN_OPTION'],
    ['an unknown mode', 'x', { mode: 'psychic' }, 'INVALID_ARGUMENT'],
    ['a time that is none', 'x', { asOf: 'then' }, 'INVALID_TIME'],
  ])('%s is refused', async (_, query, options, code) => {
    await refused(() => memory.recall(query as string, options as object), code)
  })

  test('negative limits and unknown options are refused elsewhere too', async () => {
    await memory.retain('Here.', { source: 'here' })
    await refused(() => memory.documents({ limit: -1 }), 'INVALID_ARGUMENT')
    await refused(() => memory.documents({ lmit: 1 } as object), 'UNKNOWN_OPTION')
    await refused(() => memory.neighbours('here#1', { before: -1 }), 'INVALID_ARGUMENT')
    await refused(() => memory.similar('here#1', { limit: -1 }), 'INVALID_ARGUMENT')
    await refused(() => memory.similar('nowhere#1'), 'NOT_FOUND')
    await refused(() => memory.neighbours('nowhere#1'), 'NOT_FOUND')
    await refused(() => memory.explain('nothing'), 'NOT_FOUND')
    await refused(() => memory.recall('x', { where: nested(20_000) }), 'INVALID_ARGUMENT')
    await refused(() => memory.get(3 as unknown as string), 'INVALID_ARGUMENT')
    await refused(() => memory.neighbours(null as unknown as string), 'INVALID_ARGUMENT')
    await refused(() => memory.import(null as unknown as string[]), 'INVALID_ARGUMENT')
    expect(await codeOf(async () => memory.bank('x', { create: true } as object))).toBe('UNKNOWN_OPTION')
    await refused(() => memory.document('here', { version: 0 }), 'INVALID_ARGUMENT')
    await refused(() => memory.index(root, { maxBytes: -1 }), 'INVALID_ARGUMENT')
    await refused(() => memory.index(join(root, 'none')), 'NOT_FOUND')
    await refused(() => memory.index(''), 'INVALID_ARGUMENT')
    expect(await memory.get('nowhere#1')).toBeNull()
    expect(await memory.document('nowhere')).toBeNull()
    expect(await codeOf(() => memory.retainMany(3 as unknown as []))).toBe('INVALID_ARGUMENT')
  })
})

describe('files', () => {
  test('a link loop, a binary file and a file that is no UTF-8 are named, the others are kept', async () => {
    const folder = join(root, 'files')
    mkdirSync(folder)
    writeFileSync(join(folder, 'good.txt'), 'A good file.')
    writeFileSync(join(folder, 'binary'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 1, 0, 2]))
    writeFileSync(join(folder, 'latin.txt'), Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]))
    symlinkSync('b', join(folder, 'a'))
    symlinkSync('a', join(folder, 'b'))
    const bank = shared.bank()
    const result = await bank.index(folder, { followLinks: true })
    expect(result.created).toBe(1)
    const named = [...result.skipped, ...result.failed].map(({ path }) => path).sort()
    expect(named).toEqual(['a', 'b', 'binary', 'latin.txt'])
    await refused(() => bank.index(join(folder, 'a')), 'UNREADABLE_FILE')
  })
})

describe('opening', () => {
  const embedder = createFakeEmbedder()

  test('unknown options and wrong values of createMemory are refused', async () => {
    // callers without types may hand over anything
    const open = (options: unknown) => codeOf(createMemory(options as object))
    expect(await open({ datadir: 'x' })).toBe('UNKNOWN_OPTION')
    expect(await open('x')).toBe('INVALID_ARGUMENT')
    expect(await open({ bank: 'a/b' })).toBe('INVALID_CONFIG')
    expect(await open({ deadlineMs: -1 })).toBe('INVALID_CONFIG')
    expect(await open({ databaseUrl: 'mysql://x' })).toBe('INVALID_CONFIG')
    expect(await open({ dataDir: 'x', databaseUrl: 'postgresql://x/y' })).toBe('INVALID_CONFIG')
    expect(await open({ embedder: {} })).toBe('INVALID_ARGUMENT')
    expect(await open({ dataDir: join(root, 'm'), modelDir: join(root, 'no-model') })).not.toBe(
      'STORE_FAILED',
    )
  })

  test('a data folder that is a file is refused', async () => {
    writeFileSync(join(root, 'file'), 'x')
    const error = await createMemory({ dataDir: join(root, 'file'), embedder }).catch(
      (thrown: unknown) => thrown,
    )
    expect(isProlepsisError(error) && error.code).toBeTruthy()
  })

  test('a bank that does not exist is an error that names the nearest; a closed memory says so', async () => {
    const other = await createMemory({ inMemory: true, embedder, bank: 'people' })
    await other.retain('x', { source: 'x' })
    await expect(other.bank('poeple').recall('x')).rejects.toMatchObject({
      code: 'BANK_NOT_FOUND',
      hint: 'Did you mean "people"?',
    })
    expect(await codeOf(other.bank('new').retain('x'))).toBe('BANK_NOT_FOUND')
    expect(await codeOf(other.bank('../x').stats())).toBe('INVALID_ARGUMENT')
    await Promise.all([other.close(), other.close()])
    expect(await codeOf(other.recall('x'))).toBe('CLOSED')
    expect(await codeOf(() => other.export())).toBe('CLOSED')
  })

  test('a read-only memory recalls and refuses every write', async () => {
    const dataDir = join(root, 'read-only')
    const first = await createMemory({ dataDir, embedder })
    await first.retain('The lake is deep.', { source: 'lake' })
    const before = await everyTable(first)
    await first.close()
    await using reader = await createMemory({ dataDir, embedder, readOnly: true })
    const { receipt, passages } = await reader.recall('lake')
    expect(passages).toHaveLength(1)
    await reader.similar(passages[0]!.ref)
    await reader.stats()
    expect((await reader.doctor()).findings.every((finding) => finding.ok)).toBe(true)
    expect(await codeOf(reader.bank('other').stats())).toBe('BANK_NOT_FOUND')
    for (const call of [
      () => reader.retain('x'),
      () => reader.retain('The lake is deep.', { source: 'lake' }),
      () => reader.index(root),
      () => reader.forget({ all: true }),
      () => reader.remove('lake'),
      () => reader.feedback(receipt!, {}),
      () => reader.banks.configure('default', {}),
      () => reader.banks.create('b'),
      () => reader.import([]),
      () => reader.rebuildIndex(),
      () => reader.doctor({ mend: true }),
    ]) {
      expect(await codeOf(call())).toBe('STORE_READ_ONLY')
    }
    expect(await everyTable(reader)).toBe(before)
  })
  test('a read-only memory makes no store', async () => {
    const dataDir = join(root, 'not-there')
    expect(await codeOf(createMemory({ dataDir, embedder, readOnly: true }))).toBe('STORE_READ_ONLY')
    expect(existsSync(dataDir)).toBe(false)
    const where = { dataDir: join(root, 'a-file', 'x'), embedder, readOnly: true }
    writeFileSync(join(root, 'a-file'), '')
    expect(await codeOf(createMemory(where))).toBe('INVALID_ARGUMENT')
  })

  test.skipIf(serverUrl === undefined)(`nor does one on a server (${noServerReason})`, async () => {
    const made = await createTestDatabase()
    const where = { databaseUrl: made.databaseUrl, embedder }
    expect(await codeOf(createMemory({ ...where, readOnly: true }))).toBe('STORE_READ_ONLY')
    const writer = await createMemory(where)
    await writer.retain('The lake is deep.', { source: 'lake' })
    await writer.close()
    const reader = await createMemory({ ...where, readOnly: true })
    expect((await reader.recall('lake')).passages).toHaveLength(1)
    await reader.close()
    await made.drop()
  })
})
