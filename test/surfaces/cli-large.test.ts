import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()
const HUNDRED_MEGABYTES = 100 * 1024 * 1024

test('100 MB from a file or a pipe are refused by code, with what to do, and nothing is there of them', async () => {
  const bank = await store.bank()
  const path = join(store.folder, 'book.txt')
  writeFileSync(path, 'x')
  // sparse: told by its size, before a byte is read
  truncateSync(path, HUNDRED_MEGABYTES)
  const ofFile = await store.json(['retain', '--file', path, '--bank', bank])
  const ofPipe = await store.json(['retain', '-', '--bank', bank], { stdin: 'x'.repeat(HUNDRED_MEGABYTES) })
  for (const run of [ofFile, ofPipe]) {
    expect([run.code, run.errorCode()]).toEqual([1, 'TEXT_TOO_LARGE'])
    expect(run.err).toContain('max_text_bytes')
  }
  expect((await store.json(['documents', 'list', '--bank', bank])).json()).toEqual({ documents: [] })
})
