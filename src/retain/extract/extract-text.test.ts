import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encrypted, pdfOf } from '../../../test/support/pdf.ts'
import { isBlank } from '../../domain/blank.ts'
import type { Format } from '../../domain/document.ts'
import { chunkText } from '../chunk/chunk-text.ts'
import { extractText } from './extract-text.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const refusal = (code: string, details: Record<string, unknown> = {}): unknown =>
  expect.objectContaining({ code, hint: expect.any(String), details: expect.objectContaining(details) })

describe('extractText of text', () => {
  it('keeps strings and UTF-8 bytes verbatim, byte order mark and all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }).filter((text) => !isBlank(text) && !/\0|\p{Surrogate}/u.test(text)),
        fc.boolean(),
        async (body, mark) => {
          const text = mark ? `\uFEFF${body}` : body
          expect((await extractText(text, { source: 'a.txt' })).text).toBe(text)
          // Bytes may start like a picture or an archive by chance.
          if (/^[\w ]/.test(body))
            expect((await extractText(bytes(`${text} .`), { source: 'a.txt' })).text).toBe(`${text} .`)
        },
      ),
      { numRuns: 200, seed: 20261130 },
    )
  })

  it('decodes UTF-16 and declared charsets, and says so', async () => {
    const little = Buffer.from('\uFEFFGrüße 👋', 'utf16le')
    const big = Buffer.from(little).swap16()
    expect(await extractText(little, { source: 'a.txt' })).toMatchObject({
      text: '\uFEFFGrüße 👋',
      notes: ['decoded from UTF-16LE'],
    })
    expect(await extractText(big, { source: 'a.txt' })).toMatchObject({
      text: '\uFEFFGrüße 👋',
      notes: ['decoded from UTF-16BE'],
    })
    const latin = Buffer.from('Grüße', 'latin1')
    expect(
      await extractText(latin, { source: 'a.txt', mediaType: 'text/plain; charset=iso-8859-1' }),
    ).toMatchObject({
      text: 'Grüße',
      notes: ['decoded from windows-1252'],
    })
  })

  it.each([
    ['invalid UTF-8', Buffer.from([0x61, 0xc3, 0xa9, 0x62, 0xff, 0x63]), 'INVALID_TEXT', { byteOffset: 4 }],
    ['a cut sequence', Buffer.from([0x61, 0xe2, 0x82]), 'INVALID_TEXT', { byteOffset: 1 }],
    ['an encoded surrogate', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 'INVALID_TEXT', { byteOffset: 1 }],
    ['half a pair in UTF-16', Buffer.from('\uFEFFa\ud800b', 'utf16le'), 'INVALID_TEXT', { byteOffset: 4 }],
    ['an odd byte of UTF-16', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), 'INVALID_TEXT', { byteOffset: 4 }],
    ['NUL bytes', Buffer.from('ab\0c'), 'UNSUPPORTED_MEDIA', { byteOffset: 2 }],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), 'UNSUPPORTED_MEDIA', {}],
    ['an archive', Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x61]), 'UNSUPPORTED_MEDIA', {}],
    ['no bytes', Buffer.alloc(0), 'EMPTY_TEXT', {}],
    ['blank bytes', Buffer.from(' \n\t'), 'EMPTY_TEXT', {}],
    ['a blank string', ' \n', 'EMPTY_TEXT', {}],
    ['a NUL in a string', 'ab\0c', 'INVALID_TEXT', { offset: 2 }],
    ['half a pair in a string', 'a\ud800', 'INVALID_TEXT', { offset: 1 }],
  ])('refuses %s', async (_name, content, code, details) => {
    await expect(extractText(content, { source: 'a.txt' })).rejects.toEqual(refusal(code, details))
  })

  it('refuses media that it cannot read, by type', async () => {
    await expect(extractText(bytes('x'), { source: 'a', mediaType: 'image/svg' })).rejects.toEqual(
      refusal('UNSUPPORTED_MEDIA'),
    )
    await expect(extractText('x', { source: 'a', mediaType: 'application/pdf' })).rejects.toEqual(
      refusal('INVALID_ARGUMENT'),
    )
    await expect(
      extractText(bytes('x'), { source: 'a', mediaType: 'text/plain; charset=klingon' }),
    ).rejects.toEqual(refusal('UNSUPPORTED_MEDIA'))
  })
})

describe('the format', () => {
  it.each<[string, string | undefined, string, Format, string | null]>([
    ['a.md', undefined, 'x', 'markdown', null],
    ['src/a.ts', undefined, 'x', 'code', 'typescript'],
    ['a.tsx', undefined, 'x', 'code', 'tsx'],
    ['A.PY', undefined, 'x', 'code', 'python'],
    ['a.h', undefined, 'x', 'code', 'cpp'],
    ['Makefile', undefined, 'x', 'code', 'makefile'],
    ['bin/run', undefined, '#!/usr/bin/env python3\nx', 'code', 'python'],
    ['a.json', undefined, '{}', 'json', null],
    ['a.yml', undefined, 'a: 1', 'yaml', null],
    ['a.toml', undefined, 'a = 1', 'toml', null],
    ['a.csv', undefined, 'a,b', 'prose', null],
    ['a.jsonl', undefined, '{"role":"user","content":"x"}', 'chat', null],
    ['a.jsonl', undefined, '{"id":1}\n{"id":2}', 'json', null],
    ['a.txt', undefined, 'Plain words.', 'prose', null],
    ['a.txt', undefined, 'User: hi\nAssistant: hello', 'chat', null],
    ['note:1', undefined, '# A\n\ntext\n\n## B\n\ntext', 'markdown', null],
    ['note:1', undefined, '{"a": 1}', 'json', null],
    ['note:1', 'text/markdown; charset=utf-8', 'x', 'markdown', null],
    ['note:1', 'text/x-chat', 'Ann: hi', 'chat', null],
    ['note:1', 'application/vnd.api+json', '{}', 'json', null],
    ['a.bin', 'text/x-python', 'x', 'code', 'python'],
    ['https://example.org/a.rs?x=1.md#y', undefined, 'x', 'code', 'rust'],
  ])('of %s (%s) is told', async (source, mediaType, text, format, codeLanguage) => {
    const extracted = await extractText(text, { source, mediaType })
    expect([extracted.format, extracted.codeLanguage]).toEqual([format, codeLanguage])
  })
})

describe('extractText of Markdown', () => {
  it('reads front matter and title', async () => {
    const text = '---\ntitle: Guide\ntags: [a, b]\ndate: 2024-01-02\n---\n# Other\n'
    expect(await extractText(text, { source: 'a.md' })).toMatchObject({
      title: 'Guide',
      frontMatter: { title: 'Guide', tags: ['a', 'b'] },
      text,
    })
    expect((await extractText('intro\n\n# The *Guide* #\n', { source: 'a.md' })).title).toBe('The *Guide*')
  })
})

describe('extractText of chat messages', () => {
  it('renders them as a log', async () => {
    const extracted = await extractText(
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Yo' },
      ],
      { source: 'c' },
    )
    expect(extracted).toMatchObject({
      text: 'User: Hi\nAssistant: Yo\n',
      format: 'chat',
      mediaType: 'text/x-chat',
    })
  })
})

describe('extractText of HTML', () => {
  it('gives the words as Markdown, with title, tables and code, without scripts', async () => {
    const html = `<!doctype html><html><head><title>Tom &amp; Ann</title><style>p{}</style><script>alert(1)</script></head>
      <body><h1>Guide</h1><p>One <b>bold</b> word.</p><pre><code>a
  b</code></pre><table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>1|2</td></tr></table><script>x</script></body></html>`
    const extracted = await extractText(bytes(html), { source: 'https://example.org/guide' })
    expect(extracted).toMatchObject({
      title: 'Tom & Ann',
      format: 'markdown',
      mediaType: 'text/html',
      notes: ['extracted from HTML'],
    })
    expect(extracted.text).toBe(
      '# Guide\n\nOne **bold** word.\n\n```\na\n  b\n```\n\n| k | v |\n| --- | --- |\n| a | 1\\|2 |',
    )
  })

  it('over ten million characters is kept as it is, and said to be', async () => {
    const html = `<html><title>Long</title><p>${'word '.repeat(2_000_000)}</p></html>`
    expect(await extractText(html, { source: 'a.html' })).toEqual({
      text: html,
      ...{ mediaType: 'text/html', format: 'prose', codeLanguage: null, title: null, frontMatter: {} },
      notes: [expect.stringContaining('kept with its tags, cut as prose')],
    })
  })

  it('heeds the charset that a page declares', async () => {
    const page = Buffer.from(
      '<html><head><meta charset="iso-8859-1"></head><body>Grüße</body></html>',
      'latin1',
    )
    expect((await extractText(page, { source: 'a.html' })).text).toBe('Grüße')
  })

  it('refuses a page that is nested without end', async () => {
    const html = `${'<div>'.repeat(8_000)}x`
    await expect(extractText(html, { source: 'a.html' })).rejects.toEqual(refusal('UNSUPPORTED_MEDIA'))
  })

  it('refuses a page that says nothing', async () => {
    await expect(extractText('<html><script>x</script></html>', { source: 'a.html' })).rejects.toEqual(
      refusal('EMPTY_TEXT'),
    )
  })
})

describe('extractText of PDF', () => {
  it('gives the text page by page', async () => {
    const extracted = await extractText(pdfOf(['Hello first page.', '', 'And the third.'], 'A title'), {
      source: 'x',
    })
    expect(extracted).toMatchObject({
      format: 'prose',
      mediaType: 'application/pdf',
      title: 'A title',
      notes: ['extracted from PDF, 3 pages', 'pages without text: 2'],
    })
    const options = {
      format: extracted.format,
      codeLanguage: null,
      maxTokens: 100,
      countTokens: (text: string) => text.length / 4,
    }
    const { chunks } = await chunkText(extracted.text, options)
    expect(chunks.map(({ kind, label }) => [kind, label])).toEqual([
      ['page', 'page 1'],
      ['page', 'page 3'],
    ])
    expect(chunks.map(({ text }) => text.trim())).toEqual(['Hello first page.', 'And the third.'])
  })

  it('as a Buffer, as files and standard input give it, which stays whole', async () => {
    const pdf = pdfOf(['Kelly wrote this page.'])
    const pooled = Buffer.concat([Buffer.from('before'), pdf]).subarray(6)
    const extracted = await extractText(pooled, { source: 'a.pdf' })
    expect(extracted.text.trim()).toBe('Kelly wrote this page.')
    expect(pooled.equals(pdf)).toBe(true)
  })

  it.each([
    ['damaged', bytes('%PDF-1.4\nnothing here')],
    ['without text', pdfOf([''])],
    ['encrypted', encrypted(pdfOf(['Secret']))],
    ['damaged, as a Buffer', Buffer.from('%PDF-1.4\nnothing here')],
    ['without text, as a Buffer', Buffer.from(pdfOf(['']))],
    ['encrypted, as a Buffer', Buffer.from(encrypted(pdfOf(['Secret'])))],
  ])('refuses one that is %s', async (_name, content) => {
    await expect(extractText(content, { source: 'a.pdf' })).rejects.toEqual(refusal('UNSUPPORTED_MEDIA'))
    await expect(extractText(encrypted(pdfOf(['x'])), { source: 'a' })).rejects.toThrow(/encrypted/)
  })
})
