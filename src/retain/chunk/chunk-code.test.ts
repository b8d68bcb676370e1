import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChunkDraft } from '../../domain/chunk.ts'
import type { ChunkResult, CountTokens } from '../stages.ts'
import { chunkText } from './chunk-text.ts'

const countTokens: CountTokens = (text) => text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0

async function cut(text: string, codeLanguage: string, maxTokens = 30): Promise<ChunkResult> {
  const result = await chunkText(text, { format: 'code', codeLanguage, maxTokens, countTokens })
  expect(result.chunks.map((draft) => draft.text).join('')).toBe(text)
  return result
}

/** Symbols of all chunks, each once, in order. */
function symbols(chunks: readonly ChunkDraft[]): string[] {
  return [...new Set(chunks.flatMap((draft) => draft.attributes.symbol?.split(', ') ?? []))]
}

const SAMPLES: readonly (readonly [language: string, code: string, symbols: readonly string[]])[] = [
  [
    'typescript',
    `import { a } from './a.ts'
/** Keeps things. */
@injectable()
export class Store extends Base {
  /** Opens it. */
  async open(path: string): Promise<void> { await a(path); this.log.write('opened', path, 1, 2, 3) }
  close(): void { this.log.write('closed', 1, 2, 3, 4, 5, 6, 7) }
}
export const make = (path: string): Store => new Store(path, 'a', 'b', 'c', 'd', 'e', 'f')
export interface Shape { readonly area: number; readonly name: string; readonly sides: number }
`,
    ['Store', 'Store.open', 'Store.close', 'make', 'Shape'],
  ],
  [
    'tsx',
    `export function View(): JSX.Element { return <div className="a">{list.map((x) => <b key={x}>{x}</b>)}</div> }\n`,
    ['View'],
  ],
  [
    'javascript',
    `function a() { return <p>hi</p> }\nmodule.exports.b = function () { return a(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) }\n`,
    ['a', 'b'],
  ],
  [
    'python',
    `import os\n@cached\ndef load(path):\n    """Loads a file."""\n    return os.open(path, 1, 2, 3, 4, 5)\n\nclass Store(Base):\n    """Keeps."""\n    size: int = 1\n\n    def open(self, path):\n        return self.load(path, 1, 2, 3, 4, 5, 6, 7)\n`,
    ['load', 'Store', 'Store.size', 'Store.open'],
  ],
  [
    'go',
    `package store\n\n// Store keeps.\ntype Store struct { path string; size int; open bool; name string }\n\n// Open opens.\nfunc (s *Store) Open(path string) error { return os.Open(path, 1, 2, 3, 4, 5, 6, 7) }\n\nfunc New() *Store { return &Store{path: "a", size: 1, open: true, name: "x"} }\n`,
    ['Store', 'Store.Open', 'New'],
  ],
  [
    'rust',
    `/// Keeps.\n#[derive(Debug)]\npub struct Store { path: String, size: usize, name: String }\n\nimpl Store {\n    /// Opens.\n    pub fn open(path: &str) -> Self { load(path, 1, 2, 3, 4, 5, 6, 7, 8) }\n    pub fn close(&self) { self.log("closed", 1, 2, 3, 4, 5, 6, 7) }\n}\n`,
    ['Store', 'Store.open', 'Store.close'],
  ],
  [
    'java',
    `package a;\n/** Keeps. */\npublic class Store extends Base {\n  private int size;\n  /** Opens. */\n  @Override public int open(String path) { return this.load(path, 1, 2, 3, 4, 5, 6); }\n  public Store(int size) { this.size = size; log.write(1, 2, 3, 4, 5, 6); }\n}\n`,
    ['Store', 'Store.size', 'Store.open', 'Store.Store'],
  ],
  [
    'c',
    `#include <a.h>\ntypedef struct { int a; int b; int c; int d; int e; int f; } store;\n/* Opens it. */\nstatic int *open_it(const char *path) { return load(path, 1, 2, 3, 4, 5, 6, 7, 8); }\nint close_it(int a) { return a + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8; }\n`,
    ['store', 'open_it', 'close_it'],
  ],
  [
    'cpp',
    `namespace ns {\ntemplate <typename T> class Store : public Base { public: int open(T path) { return load(path, 1, 2, 3, 4, 5); } int close() { return 1 + 2 + 3 + 4 + 5 + 6; } };\nint Store::size(int a) { return a + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8; }\n}\n`,
    ['ns', 'ns.Store', 'ns.Store.open', 'ns.Store.close', 'ns.Store.size'],
  ],
  [
    'csharp',
    `using System;\nnamespace A\n{\n/// <summary>Keeps.</summary>\npublic class Store : Base {\n  public int Size { get; set; }\n  public void Open(string path) { Log.Write(path, 1, 2, 3, 4, 5, 6, 7); }\n  public void Close() { Log.Write(1, 2, 3, 4, 5, 6, 7, 8, 9); }\n}\n}\n`,
    ['A', 'A.Store', 'A.Store.Size', 'A.Store.Open', 'A.Store.Close'],
  ],
  [
    'ruby',
    `# Keeps.\nclass Store < Base\n  # Opens.\n  def open(path)\n    load(path, 1, 2, 3, 4, 5, 6, 7, 8)\n  end\n\n  def self.make\n    new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)\n  end\nend\n`,
    ['Store', 'Store.open', 'Store.make'],
  ],
  [
    'php',
    `<?php\nnamespace A;\n/** Keeps. */\nclass Store { public function open($path) { return $this->load($path, 1, 2, 3, 4); } public function close() { return log(1, 2, 3, 4, 5, 6); } }\nfunction make() { return new Store(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11); }\n`,
    ['A', 'Store', 'Store.open', 'Store.close', 'make'],
  ],
  [
    'bash',
    `# Opens.\nopen_it() { load "$1" 1 2 3 4 5 6 7 8 9 10 11 12; }\nclose_it() { load "$1" 1 2 3 4 5 6 7 8 9 10 11 12; }\n`,
    ['open_it', 'close_it'],
  ],
  [
    'lua',
    `-- Opens.\nfunction Store:open(path) return load(path, 1, 2, 3, 4, 5, 6, 7) end\nlocal function make() return new(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) end\n`,
    ['Store.open', 'make'],
  ],
]

describe('code', () => {
  it.each(SAMPLES)('in %s is cut at its definitions', async (language, code, expected) => {
    const { chunks, notes } = await cut(code, language)
    expect(notes).toEqual([])
    expect(symbols(chunks)).toEqual(expected)
    for (const chunk of chunks) expect(countTokens(chunk.text)).toBeLessThanOrEqual(30)
  })

  it('in css is cut at its rules', async () => {
    const { chunks, notes } = await cut(
      'a { color: red; margin: 0 1px 2px 3px }\nb > c { color: blue; margin: 0 1px 2px }\n',
      'css',
      20,
    )
    expect(notes).toEqual([])
    expect(chunks.map((chunk) => chunk.text.slice(0, 2))).toEqual(['a ', 'b '])
  })

  it('keeps doc comments and decorators with what they are about, and lists calls and imports', async () => {
    const { chunks } = await cut(SAMPLES[0]?.[1] ?? '', 'typescript', 200)
    expect(chunks.map((chunk) => chunk.kind)).toEqual(['import', 'code'])
    expect(chunks[0]?.attributes).toEqual({ imports: 'a, ./a.ts' })
    expect(chunks[1]?.attributes).toMatchObject({
      docstring: 'Keeps things.',
      calls: 'injectable, a, write, Store',
    })
    const small = (await cut(SAMPLES[0]?.[1] ?? '', 'typescript', 75)).chunks
    const open = small.find((chunk) => chunk.label === 'Store.open')
    expect(open?.text).toMatch(/^\/\*\* Keeps things\. \*\/\n@injectable\(\)\nexport class Store/)
    expect(open?.text).toContain('/** Opens it. */')
    expect(open?.attributes.docstring).toBe('Opens it.')
  })

  it('names the pieces of a long function after it', async () => {
    const body = Array.from({ length: 40 }, (_, index) => `  const value${index} = load(${index})`).join('\n')
    const { chunks } = await cut(`function big() {\n${body}\n}\n`, 'typescript', 60)
    expect(chunks.length).toBeGreaterThan(4)
    expect(new Set(chunks.map((chunk) => chunk.label))).toEqual(new Set(['big']))
    for (const chunk of chunks) expect(chunk.text).toMatch(/\n$/)
  })

  it('merges small neighbours up to the target, no further', async () => {
    const code = Array.from(
      { length: 60 },
      (_, index) => `export function f${index}(): number { return ${index} }\n`,
    ).join('')
    const sizes = (await cut(code, 'typescript', 450)).chunks.map((chunk) => countTokens(chunk.text))
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
    expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(170)
  })

  it.each([
    [
      'garbage',
      'typescript',
      '}}}} ((( \u0007 @@@ %%% ]]] <<<',
      'typescript did not parse: cut at blank lines',
    ],
    [
      'a language without grammar',
      'kotlin',
      'fun a() = 1\n\nfun b() = 2\n',
      'no grammar for kotlin: cut at blank lines',
    ],
    ['an enormous file', 'c', 'int a;\n'.repeat(300_000), 'too large for the c parser: cut at blank lines'],
  ])('falls back visibly on %s', async (_name, language, code, note) => {
    const { notes } = await cut(code, language, 300)
    expect(notes).toEqual([note])
  })

  it('bears an error in one place', async () => {
    const good = Array.from({ length: 9 }, (_, index) => `function f${index}() { return ${index} }\n`).join(
      '',
    )
    const { chunks, notes } = await cut(
      `${good}const b = = 3;\n${good.replace(/f(?=\d)/g, 'g')}`,
      'javascript',
      12,
    )
    expect(notes).toEqual([])
    expect(symbols(chunks)).toEqual(expect.arrayContaining(['f0', 'f8']))
  })

  it('gives every sample back however it is mangled', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SAMPLES),
        fc.array(
          fc.tuple(
            fc.nat(),
            fc.nat(20),
            fc.constantFrom('', '{', '}', '"', '\n\n', '/*', '👋', 'é', '`', "'''", '#'),
          ),
          { maxLength: 4 },
        ),
        fc.integer({ min: 1, max: 80 }),
        async ([language, code], edits, maxTokens) => {
          let text: string = code
          for (const [at, length, insert] of edits) {
            const start = at % (text.length + 1)
            text = (text.slice(0, start) + insert + text.slice(start + length)).replace(/\p{Surrogate}/gu, '')
          }
          const { chunks } = await cut(text, language, maxTokens)
          for (const chunk of chunks) {
            if (chunk.text.trim().length > 1) expect(countTokens(chunk.text)).toBeLessThanOrEqual(maxTokens)
          }
        },
      ),
      { numRuns: 400, seed: 20261130 },
    )
  })
})
