import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { IndexResult } from '../../src/index.ts'
import { encrypted, pdfOf } from '../support/pdf.ts'
import { useTestStore } from './run-cli.ts'

const store = useTestStore()

test('a PDF is read from a file, from standard input and out of a folder', async () => {
  const bank = await store.bank()
  // with bytes that are no UTF-8, as nearly every PDF has, and of ASCII alone
  const binary = Buffer.concat([
    pdfOf(['The lighthouse keeper is Ada.']),
    Buffer.from([0x25, 0xe2, 0xe3, 0xcf]),
  ])
  const ascii = pdfOf(['The ferry leaves at nine.'])
  await mkdir(join(store.folder, 'pdfs'))
  for (const [name, content] of [['binary', binary] as const, ['ascii', ascii] as const]) {
    await writeFile(join(store.folder, 'pdfs', `${name}.pdf`), content)
    const file = await store.json(['retain', '--file', `pdfs/${name}.pdf`, '--bank', bank])
    expect(file.json()).toMatchObject({ document: { mediaType: 'application/pdf' } })
    const piped = await store.json(['retain', '-', '--source', name, '--bank', bank], { stdin: content })
    expect(piped.json()).toMatchObject({ document: { mediaType: 'application/pdf' } })
  }
  expect((await store.run(['documents', 'show', 'ascii', '--bank', bank])).out).toContain('ferry leaves')
  const indexed = await store.json(['index', 'pdfs', '--prefix', 'i/', '--bank', bank])
  expect(indexed.json<IndexResult>()).toMatchObject({ created: 2, skipped: [], failed: [] })
})

test('what cannot be read says why, and is no stack', async () => {
  const bank = await store.bank()
  await mkdir(join(store.folder, 'odd'))
  const odd: readonly (readonly [string, Uint8Array, string, RegExp])[] = [
    ['damaged.pdf', Buffer.from('%PDF-1.4\nnothing here'), 'UNSUPPORTED_MEDIA', /damaged/],
    ['locked.pdf', encrypted(pdfOf(['Secret'])), 'UNSUPPORTED_MEDIA', /encrypted/],
    ['scan.pdf', pdfOf(['']), 'UNSUPPORTED_MEDIA', /no text/],
    ['binary.txt', Buffer.from([0x61, 0, 1, 2, 0x62]), 'UNSUPPORTED_MEDIA', /binary/],
    ['latin.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'INVALID_TEXT', /not valid UTF-8 at byte 3/],
  ]
  for (const [name, content, code, message] of odd) {
    await writeFile(join(store.folder, 'odd', name), content)
    const run = await store.json(['retain', '--file', `odd/${name}`, '--bank', bank])
    expect([name, run.code, run.errorCode()]).toEqual([name, 1, code])
    expect(run.err).toMatch(message)
  }
  const indexed = (await store.json(['index', 'odd', '--bank', bank])).json<IndexResult>()
  expect(indexed.created).toBe(0)
  expect([...indexed.skipped, ...indexed.failed].map(({ path }) => path).sort()).toEqual(
    odd.map(([name]) => name).sort(),
  )
  const named = [
    'retain',
    '-',
    '--media-type',
    'text/plain; charset=iso-8859-1',
    '--source',
    's',
    '--bank',
    bank,
  ]
  await store.run(named, { stdin: Buffer.from([0x63, 0x61, 0x66, 0xe9]) })
  expect((await store.run(['documents', 'show', 's', '--bank', bank])).out).toBe('café\n')
})
