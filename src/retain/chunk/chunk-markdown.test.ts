import { describe, expect, it } from 'vitest'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { CountTokens } from '../stages.ts'
import { chunkText } from './chunk-text.ts'
import { readFrontMatter } from './front-matter.ts'
import { markdownBlocks } from './markdown-blocks.ts'

const countTokens: CountTokens = (text) => text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0

async function cut(text: string, maxTokens = 450): Promise<readonly ChunkDraft[]> {
  const { chunks } = await chunkText(text, { format: 'markdown', codeLanguage: null, maxTokens, countTokens })
  expect(chunks.map((draft) => draft.text).join('')).toBe(text)
  return chunks
}

const words = (count: number): string =>
  `${Array.from({ length: count }, (_, index) => `w${index}`).join(' ')}.`

describe('Markdown', () => {
  it('is cut at headings, with their path as label and the heading in the chunk', async () => {
    const text = `intro\n\n# Guide\n\nhello\n\n## Install #\n\nrun\n\n- a\n- b\n\nUse \`it\`\n--------\n\nx\n\n# [End](x)\ny\n`
    const chunks = await cut(text)
    expect(chunks.map(({ label, kind }) => [label, kind])).toEqual([
      [null, 'paragraph'],
      ['Guide', 'section'],
      ['Guide > Install', 'section'],
      ['Guide > Use it', 'section'],
      ['End', 'section'],
    ])
    expect(chunks[2]?.text).toBe('## Install #\n\nrun\n\n- a\n- b\n\n')
  })

  it('keeps front matter as a chunk of its own', async () => {
    const chunks = await cut('---\ntitle: Guide\ntags: [a]\n---\n\n# A\n\nx\n')
    expect(chunks.map(({ kind, text }) => [kind, text])).toEqual([
      ['front-matter', '---\ntitle: Guide\ntags: [a]\n---\n\n'],
      ['section', '# A\n\nx\n'],
    ])
  })

  it('leaves an empty heading with the section below it', async () => {
    const [only] = await cut('# Guide\n\n## Install\n\nrun it\n')
    expect(only).toMatchObject({ label: 'Guide > Install', text: '# Guide\n\n## Install\n\nrun it\n' })
  })

  it('merges short blocks under a heading and leaves long ones whole', async () => {
    const text = `# A\n\n${words(90)}\n\n${words(90)}\n\n${words(250)}\n\n${words(50)}\n`
    expect((await cut(text)).map((chunk) => countTokens(chunk.text))).toEqual([184, 251, 51])
  })

  it('splits no fence, table or list that fits', async () => {
    const fence = `\`\`\`ts\n# no heading\n\n${words(220)}\n\`\`\`\n`
    const table = `| a | b |\n|---|---|\n${'| x | y |\n'.repeat(40)}`
    const list = `- ${words(60)}\n  - ${words(60)}\n\n  more ${words(60)}\n- ${words(60)}\n`
    const chunks = await cut(`# A\n\n${fence}\n${table}\n${list}\nend\n`)
    for (const whole of [fence, table, list])
      expect(chunks.some(({ text }) => text.includes(whole))).toBe(true)
  })

  it('cuts a table that is too long at its rows and a list at its items', async () => {
    const table = await cut(`| a | b |\n|---|---|\n${`| ${words(10)} | y |\n`.repeat(60)}`, 100)
    expect(table.length).toBeGreaterThan(5)
    for (const { text } of table) expect(text).toMatch(/^\|[\s\S]*\|\n$/)
    const list = await cut(`- ${words(20)}\n  deeper\n`.repeat(30), 100)
    expect(list.length).toBeGreaterThan(5)
    for (const { text } of list) expect(text).toMatch(/^- w0[\s\S]*deeper\n$/)
  })

  it.each([
    ['a fence in a list', '- a\n\n  ```\n  # x\n  ```\n- b\n', ['list']],
    ['a longer fence', '````\n```\n# x\n````\n# y\n', ['code', 'heading']],
    ['an unclosed fence', '~~~\n# x\n\ny', ['code']],
    ['indented code', 'a\n\n    # x\n\n    y\n\nb\n', ['paragraph', 'code', 'paragraph']],
    ['a hash without a space', '#x\n', ['paragraph']],
    ['seven hashes', '####### x\n', ['paragraph']],
    ['a heading that ends a paragraph', 'a\n# b\nc\n', ['paragraph', 'heading', 'paragraph']],
    ['setext headings', 'a\nb\n===\nc\n---\nd\n', ['heading', 'heading', 'paragraph']],
    ['a break', 'a\n\n---\n\n***\nb\n', ['paragraph', 'break', 'break', 'paragraph']],
    ['a year at the start of a line', 'in\n1984. It was\n', ['paragraph']],
    ['a list after a paragraph', 'in:\n- a\n- b\nlazy\n\nout\n', ['paragraph', 'list', 'paragraph']],
    ['a quote', '> a\nlazy\n> b\n\nc\n', ['quote', 'paragraph']],
    ['a table', 'a | b\n--|--\n1 | 2\n\nc\n', ['table', 'paragraph']],
    ['a comment over blank lines', '<!-- a\n\n# x -->\nb\n', ['html', 'paragraph']],
    ['an element', '<div>\n# x\n</div>\n\n# y\n', ['html', 'heading']],
    ['carriage returns', '# a\r\n\r\n- b\r\n- c\r\n\r\nd\r\n===\r\n', ['heading', 'list', 'heading']],
    ['nothing', '', []],
  ])('has as blocks of %s what CommonMark has', (_name, text, kinds) => {
    expect([...markdownBlocks(text, 0)].map(({ kind }) => kind)).toEqual(kinds)
  })
})

describe('front matter', () => {
  it('is read as YAML or TOML', () => {
    expect(readFrontMatter('---\na: [1]\n---\nx')).toMatchObject({
      end: 15,
      values: { a: [1] },
      problem: null,
    })
    expect(readFrontMatter('+++\r\na = 1\r\n+++\r\nx')).toMatchObject({ values: { a: 1 } })
    expect(readFrontMatter('\uFEFF---\na: 1\n...\n')).toMatchObject({ values: { a: 1 } })
  })

  it('is not two breaks around a paragraph', () => {
    expect(readFrontMatter('---\nwords\n---\n')).toBeNull()
    expect(readFrontMatter('x\n---\na: 1\n---\n')).toBeNull()
  })

  it.each(['a: "\\0"', 'a: "\\ud800"', 'a: &a [*a]', 'a: 1\na: 2'])(
    'with %j is told to be unreadable',
    (body) => {
      expect(readFrontMatter(`---\n${body}\n---\n`)).toMatchObject({
        values: {},
        problem: expect.stringMatching(/^front/),
      })
    },
  )

  it('over a million characters is not parsed, and told', () => {
    const block = readFrontMatter(`---\n${'key: value\n'.repeat(100_000)}---\nx\n`)
    expect(block).toMatchObject({ values: {}, problem: expect.stringContaining('was not read') })
    expect(block?.end).toBe(1_100_008)
  })

  it('that cannot be read is kept and told', async () => {
    const text = '---\na: [1\n---\nx\n'
    const result = await chunkText(text, {
      format: 'markdown',
      codeLanguage: null,
      maxTokens: 50,
      countTokens,
    })
    expect(result.notes[0]).toMatch(/^front matter could not be read: /)
    expect(result.chunks.map(({ kind }) => kind)).toEqual(['front-matter', 'paragraph'])
  })
})
