import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Format } from '../../domain/document.ts'
import { isProlepsisError } from '../../domain/errors.ts'
import { extractText } from '../extract/extract-text.ts'
import type { ChunkOptions, ChunkResult, CountTokens } from '../stages.ts'
import { chunkText } from './chunk-text.ts'

/** Like WordPiece: words in pieces of four characters, marks one by one, white space free. */
const wordPieces: CountTokens = (text) => {
  let tokens = 0
  for (const [run] of text.matchAll(/[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu))
    tokens += Math.ceil(run.length / 4)
  return tokens
}
/** Like WordPiece on a script that it does not know: a long run is one unknown token, a short one is spelled out. */
const unknownRuns: CountTokens = (text) => {
  let tokens = 0
  for (const [run] of text.matchAll(/\S+/g)) tokens += run.length > 8 ? 1 : run.length
  return tokens
}
/** Counts white space too. */
const codePoints: CountTokens = (text) => [...text].length

function isWellFormed(text: string): boolean {
  return !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text)
}

function checkChunks(text: string, { chunks }: ChunkResult, options: ChunkOptions): void {
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(text)
  for (const { text: piece } of chunks) {
    expect(piece).not.toBe('')
    expect(isWellFormed(piece)).toBe(true)
    if (text.trim() !== '' && options.countTokens !== codePoints) expect(piece.trim()).not.toBe('')
    if ([...piece.trim()].length > 1)
      expect(options.countTokens(piece)).toBeLessThanOrEqual(options.maxTokens)
  }
}

const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter(isWellFormed),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    ...[
      'hello',
      'Straße',
      '日本語の文章です。',
      'ภาษาไทยไม่มีช่องว่าง',
      'مرحبا بالعالم',
      '👩‍👩‍👧‍👦',
      'e\u0301',
      'x'.repeat(90),
      '.',
      '?! ',
    ],
    ...[' ', '\n', '\r\n', '\n\n', '\t', '    ', '\u00a0', '\u2028', '\uFEFF'],
  ),
)
const marks: Readonly<Record<Format, readonly string[]>> = {
  prose: ['. ', '! ', '。', '\n\n'],
  markdown: [
    '# ',
    '## ',
    '\n- ',
    '\n1. ',
    '```\n',
    '---\n',
    '| a | b |\n|---|---|\n',
    '> ',
    '<div>',
    '===\n',
    '[a]: b\n',
    '\n    ',
  ],
  chat: [
    'User: ',
    'Assistant: ',
    '\nAnn: ',
    '\nBob: ',
    '[2024-01-02 10:03] Ann: ',
    ' [image: a cat]',
    '{"role":"user","content":"',
    '\\n',
    '\\u00e9',
    '"}\n',
  ],
  code: ['function f() {', '}', 'class A {', '// ', '/** ', '*/', '"', ';\n', 'import x\n'],
  json: ['{', '}', '[', ']', '"a"', ':', ',', '1', '\\', 'null'],
  yaml: ['a: ', '- ', '# ', '|\n', '---\n', '&a ', '*a', '{', '"'],
  toml: ['[a]\n', '[[b]]\n', 'a = 1\n', '"""', '# ', "'"],
}

describe('chunkText', () => {
  for (const format of ['prose', 'markdown', 'chat', 'code', 'json', 'yaml', 'toml'] as const) {
    it(`gives any ${format} back exactly, in chunks within the limit`, { timeout: 300_000 }, async () => {
      const text = fc
        .array(fc.oneof(word, fc.constantFrom(...marks[format])), { maxLength: 60 })
        .map((words) => words.join(''))
      await fc.assert(
        fc.asyncProperty(
          text,
          fc.integer({ min: 1, max: 60 }),
          fc.constantFrom(wordPieces, unknownRuns, codePoints),
          async (source, maxTokens, countTokens) => {
            const options = { format, codeLanguage: 'typescript', maxTokens, countTokens }
            checkChunks(source, await chunkText(source, options), options)
          },
        ),
        { numRuns: 300, seed: 20261130 },
      )
    })
  }

  it('cuts no word that fits, whatever the format', async () => {
    const source = Array.from(
      { length: 900 },
      (_, index) => `word${index}${index % 17 === 0 ? '.' : ''}`,
    ).join(' ')
    for (const format of ['prose', 'markdown', 'chat', 'code', 'json', 'yaml', 'toml'] as const) {
      const options = { format, codeLanguage: null, maxTokens: 40, countTokens: wordPieces }
      const { chunks } = await chunkText(source, options)
      for (const chunk of chunks) expect(chunk.text).toMatch(/^word\d+\b(?:.*\s)?(?:\S*\d\.?)?$/)
      expect(new Set(chunks.flatMap((chunk) => chunk.text.trim().split(/\s+/))).size).toBe(900)
    }
  })

  it('cuts through no word that fits by itself', async () => {
    const words = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 80 }), fc.constantFrom(' ', ' ', '\n', '. ', '\n\n')),
      { minLength: 1, maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.constantFrom<Format>('prose', 'markdown', 'code'),
        async (lengths, format) => {
          const source = lengths.map(([length, after]) => `${'w'.repeat(length)}${after}`).join('')
          // The longest word has 20 tokens.
          const options = { format, codeLanguage: null, maxTokens: 21, countTokens: wordPieces }
          const result = await chunkText(source, options)
          checkChunks(source, result, options)
          for (const { text } of result.chunks.slice(0, -1)) expect(text).toMatch(/[\s.]$/)
        },
      ),
      { numRuns: 300, seed: 20261130 },
    )
  })

  it('keeps every file of this repository whole', { timeout: 300_000 }, async () => {
    const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0')
    const read: string[] = []
    for (const file of files.filter((name) => name !== '' && existsSync(name))) {
      const extracted = await extractText(readFileSync(file), { source: file }).catch((error: unknown) => {
        if (isProlepsisError(error) && ['UNSUPPORTED_MEDIA', 'EMPTY_TEXT'].includes(error.code)) return null
        throw error
      })
      if (extracted === null) continue
      const options = { ...extracted, maxTokens: 450, countTokens: wordPieces }
      const result = await chunkText(extracted.text, options)
      checkChunks(extracted.text, result, options)
      if (/\.(?:[cm]?[jt]s|json|md|toml)$/.test(file)) expect([file, ...result.notes]).toEqual([file])
      read.push(file)
    }
    expect(read.length).toBeGreaterThan(50)
  })

  it('takes time in proportion to the text', async () => {
    let counted = 0
    const counting: CountTokens = (text) => {
      counted += text.length
      return wordPieces(text)
    }
    const sentence = 'The quick brown fox jumps over the lazy dog near the river bank. '
    for (const text of [
      sentence.repeat(4000),
      `${sentence.repeat(20)}\n\n`.repeat(200),
      `${sentence}\n`.repeat(4000),
    ]) {
      counted = 0
      await chunkText(text, { format: 'prose', codeLanguage: null, maxTokens: 450, countTokens: counting })
      expect(counted / text.length).toBeLessThan(12)
    }
  })

  it('bounds what a tokeniser calls one token by its length', async () => {
    const blob = 'A'.repeat(50_000)
    const options = { format: 'prose', codeLanguage: null, maxTokens: 450, countTokens: unknownRuns } as const
    const { chunks } = await chunkText(blob, options)
    expect(Math.max(...chunks.map((chunk) => chunk.text.length))).toBeLessThanOrEqual(7200)
    checkChunks(blob, { chunks, notes: [] }, options)
  })
})
