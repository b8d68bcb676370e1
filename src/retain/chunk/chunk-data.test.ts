import { describe, expect, it } from 'vitest'
import type { Format } from '../../domain/document.ts'
import type { ChunkResult, CountTokens } from '../stages.ts'
import { chunkText } from './chunk-text.ts'

const countTokens: CountTokens = (text) => text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0

async function cut(format: Format, text: string, maxTokens: number): Promise<ChunkResult> {
  const result = await chunkText(text, { format, codeLanguage: null, maxTokens, countTokens })
  expect(result.chunks.map((draft) => draft.text).join('')).toBe(text)
  return result
}

const labels = ({ chunks }: ChunkResult): (string | null)[] => chunks.map((chunk) => chunk.label)

describe('JSON', () => {
  it('is cut at its keys, deeper where values are large', async () => {
    const text = JSON.stringify(
      { name: 'x', server: { port: 1, hosts: ['a'.repeat(9), 'b c d e f g h'] }, 'a key': 2 },
      null,
      2,
    )
    expect(labels(await cut('json', text, 450))).toEqual(['name, server, "a key"'])
    expect(labels(await cut('json', text, 16))).toEqual([
      'name',
      'server.port',
      'server.hosts[0]',
      'server.hosts[1]',
      '"a key"',
    ])
  })

  it('may have comments and trailing commas', async () => {
    const { chunks, notes } = await cut('json', '{\n  // why\n  "a": 1,\n}\n', 50)
    expect([chunks.length, notes]).toEqual([1, []])
  })

  it('in lines is cut at its lines', async () => {
    const result = await cut('json', '{"id":1,"text":"one two"}\n{"id":2,"text":"three"}\n', 16)
    expect(result.chunks.map(({ kind }) => kind)).toEqual(['record', 'record'])
  })
})

describe('YAML', () => {
  it('is cut at its keys with the comments above them', async () => {
    const text =
      '# top\nname: x\n# about on\non:\n  # push\n  push: [a, b, c, d]\n  list:\n    - a: 1\n      b: 2\n    - c\n---\nsecond: doc\n'
    expect(labels(await cut('yaml', text, 450))).toEqual(['name, on', 'second'])
    const small = await cut('yaml', text, 18)
    expect(labels(small)).toEqual(['name', 'on.push', 'on.list', 'second'])
    expect(small.chunks[1]?.text).toBe('# about on\non:\n  # push\n  push: [a, b, c, d]\n')
  })
})

describe('TOML', () => {
  it('is cut at its tables and keys, strings and arrays over lines kept whole', async () => {
    const text =
      'title = "x"\nmulti = """\n[no.table]\na = 1\n"""\nlist = [\n  [1],\n  [2]\n]\n\n# servers\n[servers]\n"odd = key" = 1\na.b = { c = "]" }\n\n[[servers.list]]\nip = \'10\'\n'
    expect(labels(await cut('toml', text, 20))).toEqual(
      ['title', 'multi', 'list', 'servers', 'servers.list'].flatMap((label) =>
        label === 'servers' ? ['servers."odd = key"', 'servers.a.b'] : [label],
      ),
    )
  })
})

describe('data that does not parse', () => {
  it.each<[Format, string, RegExp]>([
    ['json', '{"a": 1, "b"\n\nfoo', /^json did not parse: cut at blank lines$/],
    ['json', '['.repeat(50_000), /^json (?:did not parse|is nested too deep): cut/],
    ['yaml', 'a: [1\nb: }\n', /^yaml did not parse: cut at blank lines$/],
    ['toml', 'a = \n', /^toml did not parse \(.*\): cut at blank lines$/],
  ])('falls back visibly: %s', async (format, text, note) => {
    const { notes } = await cut(format, text, 100)
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(note)
  })
})

describe('prose', () => {
  const sizes = async (text: string, maxTokens = 450): Promise<number[]> =>
    (await cut('prose', text, maxTokens)).chunks.map((chunk) => countTokens(chunk.text))

  it('merges paragraphs up to the target', async () => {
    const paragraph = `${Array.from({ length: 59 }, () => 'word').join(' ')}.`
    expect(await sizes([paragraph, paragraph, paragraph, paragraph, paragraph].join('\n\n'))).toEqual([
      180, 120,
    ])
  })

  it('cuts a long paragraph after sentences into pieces of like size', async () => {
    const sentence = 'The quick brown fox, which was\nwrapped here, jumps over the lazy dog.'
    const { chunks } = await cut('prose', Array.from({ length: 60 }, () => sentence).join(' '), 450)
    for (const { text } of chunks) expect(text).toMatch(/^The quick [\s\S]*dog\.\s*$/)
    const counts = chunks.map((chunk) => countTokens(chunk.text))
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(40)
  })

  it.each([
    ['Chinese', '这是一个测试句子。我们在这里写中文。', /。$/],
    ['Thai', 'ภาษาไทยไม่มีช่องว่างระหว่างคำ ', /\S/],
    ['Arabic', 'هل هذه جملة عربية؟ نعم إنها جملة عربية. ', /[؟.]\s*$/],
    ['Hindi', 'यह एक वाक्य है। यह दूसरा वाक्य है। ', /।\s*$/],
  ])('cuts %s at its own sentences', async (_name, text, end) => {
    const perCharacter: CountTokens = (part) => part.replace(/\s/g, '').length
    const options = { format: 'prose', codeLanguage: null, maxTokens: 60, countTokens: perCharacter } as const
    const { chunks } = await chunkText(text.repeat(40), options)
    expect(chunks.map((chunk) => chunk.text).join('')).toBe(text.repeat(40))
    for (const chunk of chunks) {
      expect(perCharacter(chunk.text)).toBeLessThanOrEqual(60)
      expect(chunk.text).toMatch(end)
    }
  })

  it('cuts tables and lists at their lines', async () => {
    const row = 'alpha,12,What a day. Really,red\n'
    for (const { text } of (await cut('prose', row.replace('. ', ' ').repeat(100), 60)).chunks) {
      expect(text).toMatch(/^alpha[\s\S]*red\n$/)
    }
  })
})
