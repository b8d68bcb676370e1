import { describe, expect, test } from 'vitest'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import { isProlepsisError } from '../domain/errors.ts'
import { createFakeEmbedder } from '../providers/fake/fake-embedder.ts'
import { derive } from './derive.ts'
import { extractText } from './extract/extract-text.ts'

const analyser = await createAnalyser('english')

interface Work {
  readonly notes: string
  /** Characters that the token counter was given: what cutting and cues cost. */
  readonly counted: number
  readonly chunks: number
  /** Characters of all that is stored beside the text. */
  readonly derived: number
}

/** Extracts and derives, checks that nothing is lost, and counts the work. */
async function workOn(text: string, source: string): Promise<Work> {
  const { countTokens } = createFakeEmbedder()
  let counted = 0
  const extracted = await extractText(text, { source })
  const { chunks, notes } = await derive({ ...extracted, source, occurredAt: null }, undefined, {
    analyser,
    language: 'english',
    maxTokens: 256,
    countTokens: (part) => {
      counted += part.length
      return countTokens(part)
    },
  })
  const all = [...chunks]
  expect(all.map(({ draft }) => draft.text).join('')).toBe(extracted.text)
  const derived = all.reduce(
    (sum, { draft, contentText, cues }) =>
      sum +
      (draft.label ?? '').length +
      contentText.length +
      cues.reduce((of, cue) => of + cue.text.length, 0),
    0,
  )
  return { notes: [...extracted.notes, ...notes].join('; '), counted, chunks: all.length, derived }
}

const RUNS = [
  'a',
  ' ',
  '>',
  '#',
  '`',
  '[',
  ']',
  '[](',
  '{',
  '*',
  '_',
  '|',
  '"',
  '\\',
  '\f',
  '\t',
  '\u00a0',
  '\u2028',
  '\u0301',
  '😀',
  '漢',
]
const SOURCES = ['x.txt', 'x.md', 'x.json', 'x.yaml', 'x.toml', 'x.html', 'x.jsonl', 'x.css']
const LENGTH = 8000

describe.each(SOURCES)('as %s a long run', (source) => {
  test.each(RUNS)('of %j is read whole, with work in proportion', async (run) => {
    const long = run.repeat(LENGTH)
    for (const text of [`x ${long}X\n`, `# a${long}b\n\nc\n`, `---\na: 1\n${long}`]) {
      const { counted, derived } = await workOn(text, source)
      expect(counted).toBeLessThan(40 * text.length)
      expect(derived).toBeLessThan(40 * text.length)
    }
  })
})

describe('nested a hundred thousand levels deep', () => {
  const deep = (open: string, close: string): string => open.repeat(100_000) + close.repeat(100_000)
  test.each<[string, string, string, string]>([
    ['JSON lists', 'x.json', deep('[', ']'), 'nested too deep'],
    ['JSON objects without an end', 'x.txt', '{"a":'.repeat(100_000), ''],
    ['JSON lines', 'x.jsonl', `${'{"content":'.repeat(100_000)}\n{"a":1}\n`, 'nested too deep'],
    ['YAML lists in flow', 'x.yaml', deep('[', ']'), 'nested too deep'],
    ['YAML lists in a row', 'x.yaml', `${'- '.repeat(100_000)}a`, 'nested too deep'],
    ['YAML closed without end', 'x.yaml', ']'.repeat(100_000), 'did not parse'],
    ['TOML lists', 'x.toml', `a = ${deep('[', ']')}`, 'did not parse'],
    ['code in brackets', 'x.ts', deep('(', ')'), ''],
    ['quotes of Markdown', 'x.md', `${'> '.repeat(100_000)}a`, ''],
  ])('%s fall back visibly', async (_name, source, text, note) => {
    expect((await workOn(text, source)).notes).toContain(note)
  })

  test('HTML is refused with what to do', async () => {
    const error: unknown = await workOn(`<html>${'<div>'.repeat(100_000)}x`, 'x.html').catch(
      (thrown) => thrown,
    )
    if (!isProlepsisError(error)) throw error
    expect([error.code, error.hint]).toEqual(['UNSUPPORTED_MEDIA', expect.stringContaining('text')])
  })
})

describe('bombs', () => {
  const lists = 'bcdefghij'
    .split('')
    .map((key, at) => `${key}: &${key} [${Array(9).fill(`*${'abcdefghij'[at]}`).join(', ')}]`)
  const bomb = `a: &a [x, x, x, x, x, x, x, x, x]\n${lists.join('\n')}\n`

  test('YAML whose aliases stand for a billion values is kept as it is written', async () => {
    expect((await workOn(bomb, 'x.yaml')).derived).toBeLessThan(20 * bomb.length)
    const front = await extractText(`---\n${bomb}---\nHello.\n`, { source: 'x.md' })
    expect(front.frontMatter).toEqual({})
    expect((await workOn(`---\n${bomb}---\nHello.\n`, 'x.md')).notes).toContain('alias')
  })

  test('a front matter that never ends is text; one without measure is not read', async () => {
    expect((await workOn(`---\n${'a: 1\n'.repeat(50_000)}`, 'x.md')).notes).toBe('')
    const huge = `---\n${'a: 1\n'.repeat(50_000)}---\nHello.\n`
    expect((await workOn(huge, 'x.md')).notes).toContain('was not read')
  })

  test('a heading, a title or a front matter as long as a book is not said again with every chunk', async () => {
    const body = 'The crocodile sleeps in the river until the evening comes. '.repeat(2000)
    for (const head of [`# ${'word '.repeat(20_000)}\n`, `---\ntitle: ${'word '.repeat(20_000)}\n---\n`]) {
      const text = `${head}\n${body}`
      expect((await workOn(text, 'x.md')).derived).toBeLessThan(10 * text.length)
    }
  })

  test('parsers are given no more than they can bear, visibly', async () => {
    const data = `[${'{"id": 1, "name": "a name"},\n'.repeat(150_000)}{}]`
    expect((await workOn(data.slice(0, 4_100_000), 'x.json')).notes).toContain(
      'too large for the json parser',
    )
    expect((await workOn('a: "a value"\n'.repeat(160_000), 'x.yaml')).notes).toContain(
      'too large for the yaml',
    )
    expect((await workOn('call(1, 2)\n'.repeat(190_000), 'x.ts')).notes).toContain(
      'too large for the typescript',
    )
    const page = await extractText(`<html>${'<b>x</b>'.repeat(500_000)}`, { source: 'x.html' })
    expect(page.notes.join()).toContain('kept with its tags')
  })

  test('one line of JSON larger than the parsers take is no record and no message', async () => {
    const line = `{"speaker": "Ann", "content": "${'word '.repeat(900_000)}"}`
    expect((await workOn(line, 'x.json')).notes).toContain('too large for the json parser')
  })
})

test('an escaped message of a chat log as long as a book is cut with work in proportion', async () => {
  const said = 'He said \\"no\\"\\nand went. '.repeat(8000)
  const text = `{"speaker":"Ann","content":"${said}"}\n{"speaker":"Bob","content":"Oh?"}\n`
  const { counted } = await workOn(text, 'x.jsonl')
  expect(counted).toBeLessThan(40 * text.length)
})
