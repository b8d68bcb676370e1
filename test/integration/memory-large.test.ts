import { appendFileSync, existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { restoreBackup } from '../../src/index.ts'
import { boundedTar } from '../../src/maintain/restore.ts'
import { codeOf, collect, useTestMemory } from '../support/test-memory.ts'

const MEGABYTE = 1024 * 1024
const shared = useTestMemory()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prolepsis-large-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a text of 100 MB is over the limit: refused at once, by its code, nothing is there of it', async () => {
  const memory = shared.bank()
  const text = 'The crocodile sleeps. '.repeat(Math.ceil((100 * MEGABYTE) / 22))
  await expect(memory.retain(text, { source: 'book' })).rejects.toMatchObject({
    code: 'TEXT_TOO_LARGE',
    hint: expect.stringContaining('max_text_bytes'),
    details: { maxTextBytes: 32 * MEGABYTE },
  })
  const [failed, kept] = await collect(
    memory.retainMany([
      { content: text, source: 'book' },
      { content: 'Short.', source: 'note' },
    ]),
  )
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'TEXT_TOO_LARGE' } })
  expect(kept).toMatchObject({ status: 'created' })
  expect((await memory.documents()).map(({ source }) => source)).toEqual(['note'])
  expect(shared.embedder.calls.flatMap(({ texts }) => texts).join()).not.toContain('crocodile')
})

test('a folder is indexed past a file of 100 MB, which is named with the reason', async () => {
  const memory = shared.bank()
  const files = mkdtempSync(join(folder, 'files-'))
  writeFileSync(join(files, 'a.md'), 'The zoo opens at nine.')
  writeFileSync(join(files, 'book.txt'), 'x')
  // sparse: it takes no room on the disk, and must not be read
  truncateSync(join(files, 'book.txt'), 100 * MEGABYTE)
  writeFileSync(join(files, 'z.md'), 'The zoo closes at five.')
  const result = await memory.index(files)
  expect(result).toMatchObject({ created: 2, failed: [] })
  expect(result.skipped).toEqual([
    { path: 'book.txt', reason: expect.stringContaining(`over the limit of ${10 * MEGABYTE}`) },
  ])
})

test('a long text among short ones is planned alone, and every one is retained in order', async () => {
  const memory = shared.bank()
  // few chunks: white space goes to the chunk before it
  const long = `The zoo opens.${' '.repeat(9 * MEGABYTE)}\n\nThe zoo closes.`
  const results = await collect(
    memory.retainMany([
      { content: 'First.', source: 'first' },
      { content: long, source: 'long' },
      { content: 'Last.', source: 'last' },
    ]),
  )
  expect(results.map(({ status }) => status)).toEqual(['created', 'created', 'created'])
  expect(results.map((result) => (result.status === 'failed' ? '' : result.document.source))).toEqual([
    'first',
    'long',
    'last',
  ])
  const stored = await memory.document('long')
  expect(stored?.text === long).toBe(true)
  expect((await memory.doctor()).clean).toBe(true)
})

test('an import is embedded in batches, not text by text', async () => {
  const from = shared.bank()
  const notes = Array.from({ length: 100 }, (_, at) => ({ content: `Note ${at}.`, source: `n${at}` }))
  await collect(from.retainMany(notes))
  const lines = await collect(from.export())
  const to = shared.bank()
  const before = shared.embedder.calls.length
  expect(await to.import(lines)).toEqual({ documents: 100, unchanged: 0, chunks: 100 })
  expect(shared.embedder.calls.length - before).toBeLessThanOrEqual(2)
  expect((await to.doctor()).clean).toBe(true)
  const cut = shared.bank()
  expect(await codeOf(cut.import([...lines.slice(0, 31), 'no line of ours']))).toBe('IMPORT_INVALID')
  expect(await cut.documents()).toHaveLength(30)
})

test('a backup that unpacks without end is refused before it fills the disk, and leaves nothing', async () => {
  const limit = { bytes: MEGABYTE, code: 'IMPORT_INVALID' } as const
  let unpacked = 0
  const read = async (): Promise<void> => {
    const packed = Readable.from([gzipSync(Buffer.alloc(64 * MEGABYTE))])
    for await (const part of boundedTar(packed, 'bomb', limit)) unpacked += part.length
  }
  await expect(read()).rejects.toMatchObject({ code: 'IMPORT_INVALID', hint: expect.any(String) })
  expect(unpacked).toBeLessThanOrEqual(MEGABYTE)
  for (const [name, bytes] of [
    ['zeros', gzipSync(Buffer.alloc(MEGABYTE))],
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('no backup')],
  ] as const) {
    const path = join(folder, `${name}.tar.gz`)
    writeFileSync(path, '')
    appendFileSync(path, bytes)
    expect(await codeOf(restoreBackup(path, join(folder, `from-${name}`)))).toBe('IMPORT_INVALID')
    expect(existsSync(join(folder, `from-${name}`))).toBe(false)
  }
})
