import { describe, expect, test } from 'vitest'
import { importsOf, sourceFiles, textOf } from './imports.ts'

/**
 * The table of CONTRIBUTING.md as data: for each folder the cell as it is written there and the paths it may import
 * beside its own. A trailing `/*` means files directly in that folder.
 */
const STORES = ['src/store/*', 'src/store/queries/', 'src/providers/*']
const MOVES = ['src/math/', 'src/domain/', 'src/observability/', ...STORES]
const EVERYTHING = [
  'src/math/',
  'src/domain/',
  'src/config/',
  'src/observability/',
  'src/store/',
  'src/providers/',
]
const LAYERS: readonly { cell: string; own: readonly string[]; may: readonly string[] }[] = [
  { cell: '`src/math`', own: ['src/math/'], may: [] },
  { cell: '`src/domain`', own: ['src/domain/'], may: ['src/math/'] },
  { cell: '`src/config`, `src/observability`', own: ['src/config/'], may: ['src/domain/'] },
  { cell: '`src/config`, `src/observability`', own: ['src/observability/'], may: ['src/domain/'] },
  { cell: '`src/store`, `src/providers`', own: ['src/store/'], may: ['src/domain/', 'src/observability/'] },
  {
    cell: '`src/store`, `src/providers`',
    own: ['src/providers/'],
    may: ['src/domain/', 'src/observability/'],
  },
  {
    cell: '`src/retain`, `src/recall`, `src/answer`, `src/jobs`, `src/maintain`',
    own: ['src/retain/'],
    may: MOVES,
  },
  {
    cell: '`src/retain`, `src/recall`, `src/answer`, `src/jobs`, `src/maintain`',
    own: ['src/recall/'],
    may: MOVES,
  },
  {
    cell: '`src/retain`, `src/recall`, `src/answer`, `src/jobs`, `src/maintain`',
    own: ['src/maintain/'],
    may: MOVES,
  },
  {
    cell: '`src/retain`, `src/recall`, `src/answer`, `src/jobs`, `src/maintain`',
    own: ['src/answer/', 'src/jobs/'],
    may: MOVES,
  },
  {
    cell: '`src/memory.ts`, `src/memory`',
    own: ['src/memory.ts', 'src/memory-api.ts', 'src/memory/'],
    may: [...EVERYTHING, 'src/retain/', 'src/recall/', 'src/answer/', 'src/jobs/', 'src/maintain/'],
  },
  { cell: '`src/surfaces/schema`', own: ['src/surfaces/schema/'], may: ['src/domain/'] },
  {
    cell: '`src/surfaces/cli`',
    own: ['src/surfaces/cli/'],
    may: ['src/index.ts', 'src/surfaces/schema/', 'src/config/'],
  },
]

/** `index.ts` and `testing.ts` re-export; what they may reach is pinned in exports.test.ts. */
const ENTRIES = new Set(['src/index.ts', 'src/testing.ts', 'src/math/index.ts'])

const matches = (path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('/*')
      ? path.startsWith(pattern.slice(0, -1)) && !path.slice(pattern.length - 1).includes('/')
      : pattern.endsWith('/')
        ? path.startsWith(pattern)
        : path === pattern,
  )

const files = sourceFiles('src').filter((file) => !ENTRIES.has(file))

describe('layers', () => {
  test('every folder of the table in CONTRIBUTING.md has its rule here, and the other way round', () => {
    const rows = textOf('CONTRIBUTING.md').matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)
    const cells = [...rows].map((row) => row[1]!).filter((cell) => cell !== '`bench`, `examples`')
    expect(new Set(cells)).toEqual(new Set(LAYERS.map((layer) => layer.cell)))
  })

  test('every source file belongs to one layer', () => {
    const strays = files.filter((file) => LAYERS.filter((layer) => matches(file, layer.own)).length !== 1)
    expect(strays).toEqual([])
  })

  test('no file imports what its layer may not', () => {
    const breaches = files.flatMap((file) => {
      const layer = LAYERS.find(({ own }) => matches(file, own))
      return importsOf(file)
        .filter(
          (line) => !line.isPackage && !matches(line.to, [...(layer?.own ?? []), ...(layer?.may ?? [])]),
        )
        .map((line) => `${line.from} → ${line.to}`)
    })
    expect(breaches).toEqual([])
  })

  test('math imports no package, not even of Node', () => {
    const packages = sourceFiles('src/math').flatMap((file) =>
      importsOf(file).filter((line) => line.isPackage),
    )
    expect(packages.map((line) => `${line.from} → ${line.to}`)).toEqual([])
  })

  test('database and model clients are imported only in their own folders', () => {
    const clients = /^(@electric-sql\/|pg$|pg-|onnxruntime|@huggingface\/|ai$|@ai-sdk\/|@openrouter\/)/
    const allowed = /^src\/(store\/drivers|providers\/[a-z-]+)\//
    const breaches = files
      .filter((file) => !allowed.test(file))
      .flatMap((file) => importsOf(file).filter((line) => clients.test(line.to)))
    expect(breaches.map((line) => `${line.from} → ${line.to}`)).toEqual([])
  })

  test('benchmarks and examples use the public entries alone, micro-benchmarks also math', () => {
    const outside = ['bench', 'examples'].flatMap((folder) => sourceFilesIfAny(folder))
    const breaches = outside.flatMap((file) =>
      importsOf(file).filter(
        (line) =>
          line.to.startsWith('src/') &&
          !ENTRIES.has(line.to) &&
          !(file.startsWith('bench/micro/') && line.to.startsWith('src/math/')),
      ),
    )
    expect(breaches.map((line) => `${line.from} → ${line.to}`)).toEqual([])
  })

  test('no cycle among imports that run', () => {
    const graph = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter((line) => !line.isPackage && !line.typeOnly && !line.lazy)
          .map((line) => line.to),
      ]),
    )
    expect(cyclesIn(graph)).toEqual([])
  })
})

describe('reserved words', () => {
  const withText = (folder: string, pattern: RegExp, except: RegExp) =>
    sourceFiles(folder).filter((file) => !except.test(file) && pattern.test(codeOf(file)))

  test('process.env is read in config alone', () => {
    // but for a variable of the native runtime, which is set and never read
    const except = /^src\/(config\/|providers\/local\/native-telemetry\.ts)/
    expect(withText('src', /process\s*\.\s*env|\benv\b.*from 'node:process'/, except)).toEqual([])
  })

  test('console is used nowhere', () => {
    expect(withText('src', /\bconsole\s*\./, /^$/)).toEqual([])
  })

  test('SQL text is in store alone', () => {
    const sql =
      /['"`]\s*(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|create\s+table|with\s+\w+\s+as)\s/is
    expect(withText('src', sql, /^src\/store\//)).toEqual([])
  })

  test('no file is longer than 500 lines', () => {
    const long = sourceFiles('src', true).filter((file) => textOf(file).split('\n').length > 501)
    expect(long.filter((file) => !/^\/\/ Generated/.test(textOf(file)))).toEqual([])
  })
})

function sourceFilesIfAny(folder: string): string[] {
  try {
    return sourceFiles(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

/** The text without comments. */
function codeOf(file: string): string {
  return textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
}

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = []
  const done = new Set<string>()
  const visit = (node: string, path: readonly string[]): void => {
    const at = path.indexOf(node)
    if (at >= 0) cycles.push([...path.slice(at), node].join(' → '))
    if (at >= 0 || done.has(node)) return
    for (const next of graph.get(node) ?? []) visit(next, [...path, node])
    done.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}
