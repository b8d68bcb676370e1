import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { withSettingsTable } from '../../scripts/settings-table.ts'
import { SETTING_NAMES } from '../../src/config/settings.ts'
import { CUE_KINDS, VECTOR_KINDS } from '../../src/domain/cue.ts'
import {
  CHANNELS,
  FUSIONS,
  type IndexOptions,
  type MemoryOptions,
  RECALL_MODES,
  type RecallOptions,
  type RetainOptions,
  TRUST_LEVELS,
} from '../../src/index.ts'
import { DEFAULT_WEIGHTS, MODE_CHANNELS, RECALL_DEFAULTS } from '../../src/recall/request.ts'
import { tableRows } from '../support/doc-tables.ts'
import { ROOT, textOf } from './imports.ts'

/** Every option by name: the compiler wants one that was added to the type here, the test wants it in the document. */
type Named<T> = Readonly<Record<keyof T, true>>
const RETAIN: Named<RetainOptions> = {
  source: true,
  mediaType: true,
  questions: true,
  tags: true,
  metadata: true,
  occurredAt: true,
  trust: true,
  title: true,
  signal: true,
}
const INDEX: Named<IndexOptions> = {
  sourcePrefix: true,
  tags: true,
  metadata: true,
  trust: true,
  maxBytes: true,
  ignore: true,
  gitignore: true,
  followLinks: true,
  prune: true,
  onProgress: true,
  signal: true,
}
const RECALL: Named<RecallOptions> = {
  limit: true,
  tokenBudget: true,
  mode: true,
  fusion: true,
  weights: true,
  expand: true,
  tags: true,
  where: true,
  during: true,
  asOf: true,
  source: true,
  minTrust: true,
  people: true,
  receipt: true,
  signal: true,
}
const OPEN: Named<Omit<MemoryOptions, (typeof SETTING_NAMES)[number]>> = {
  inMemory: true,
  embedder: true,
  onEvent: true,
  cwd: true,
  clock: true,
  ids: true,
}

const library = textOf('docs/library.md')
const namesIn = (cell: string | undefined): string[] =>
  [...(cell ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]!)

describe('docs/library.md', () => {
  test.each([
    ['option', OPEN],
    ['option of retain', RETAIN],
    ['option of index', INDEX],
    ['option of recall', RECALL],
  ])('the table "%s" has every option and no other', (heading, options) => {
    const named = tableRows(library, heading).flatMap(([cell]) => namesIn(cell))
    expect([...named].sort()).toEqual(Object.keys(options).sort())
  })

  test('the defaults of recall are those of the code', () => {
    const shown = new Map(tableRows(library, 'option of recall').map((row) => [namesIn(row[0])[0], row[2]]))
    for (const [name, value] of Object.entries(RECALL_DEFAULTS)) {
      expect(shown.get(name), name).toBe(`\`${value}\``)
    }
  })

  test('the table of channels says which are on', () => {
    const state = (mode: (typeof RECALL_MODES)[number], channel: (typeof CHANNELS)[number]): string => {
      if (!MODE_CHANNELS[mode].includes(channel)) return '–'
      return DEFAULT_WEIGHTS[mode][channel] > 0 ? 'on' : 'off'
    }
    expect(tableRows(library, 'channel').map(([channel, , ...states]) => [channel, ...states])).toEqual(
      CHANNELS.map((channel) => [`\`${channel}\``, ...RECALL_MODES.map((mode) => state(mode, channel))]),
    )
  })

  test('the table of settings is what the settings are (npx tsx scripts/settings-table.ts writes it anew)', () => {
    expect(library).toBe(withSettingsTable(library))
    expect(SETTING_NAMES.filter((name) => !library.includes(`| \`${name}\` |`))).toEqual([])
  })
})

describe('docs/glossary.md', () => {
  const meaning = new Map(tableRows(textOf('docs/glossary.md'), 'word').map(([word, text]) => [word, text]))

  test.each([
    ['vector kind', VECTOR_KINDS],
    ['cue', CUE_KINDS],
    ['channel', CHANNELS],
    ['fusion', FUSIONS],
    ['mode', RECALL_MODES],
    ['trust', TRUST_LEVELS],
  ])('the entry "%s" names what the code has', (word, names) => {
    expect(namesIn(meaning.get(word))).toEqual([...names])
  })

  /** Words that others use for ours. One that is meant in another sense is written out of the way. */
  const RIVALS: Readonly<Record<string, RegExp>> = {
    bank: /\b(namespaces?|workspaces?|collections?)\b/i,
    chunk: /\b(fragments?|segments?)\b/i,
    recall: /\b(retrievals? (call|result)s?|lookups?)\b/i,
    retain: /\b(memori[sz]e[sd]?|upserts?)\b/i,
    forget: /\b(purges?|purged|erases?)\b/i,
    passage: /\b(search results?|search hits?)\b/i,
    'data folder': /\b(data director(y|ies)|db path)\b/i,
  }
  const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', ...documentsIn('docs')]

  test.each(Object.entries(RIVALS))('the documents say "%s" and none of its rivals', (_word, rivals) => {
    const found = DOCUMENTS.flatMap((document) =>
      textOf(document)
        .split('\n')
        .flatMap((line, i) => (rivals.test(line) ? [`${document}:${i + 1}: ${line.trim()}`] : [])),
    )
    expect(found).toEqual([])
  })
})

test('every decision record is listed in docs/decisions/README.md, and no other', () => {
  const records = readdirSync(join(ROOT, 'docs/decisions')).filter((name) => /^\d{4}-.*\.md$/.test(name))
  const listed = [
    ...textOf('docs/decisions/README.md').matchAll(/^\* \[(\d{4})\]\((\1-[a-z0-9-]+\.md)\): \S/gm),
  ]
  expect(listed.map((match) => match[2])).toEqual(records.sort())
})

test('NOTICE names every grammar with its package and version, and the model', () => {
  const notice = textOf('NOTICE')
  const shipped = readdirSync(join(ROOT, 'grammars')).filter((name) => name.endsWith('.wasm'))
  const origins = [...textOf('grammars/README.md').matchAll(/^\* `(\S+)`: (\S+) (\S+)$/gm)]
  expect(origins.map((match) => match[1]).sort()).toEqual(shipped.sort())
  for (const [, file, name, version] of origins) {
    expect(notice.replaceAll(/ +/g, ' ')).toContain(` grammars/${file} ${name} ${version} MIT `)
  }
  const models = readdirSync(join(ROOT, 'models'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  for (const { name } of models) expect(notice).toContain(`models/${name} `)
})

test('docs/features.md names each promise once, by tests, documents and commands that exist', () => {
  const rows = tableRows(textOf('docs/features.md'), 'id')
  const ids = rows.map(([id]) => id)
  expect(ids).toEqual([...new Set(ids)])
  expect(ids.filter((id) => !/^[PRGN]\d+$/.test(id ?? ''))).toEqual([])
  const reference = textOf('docs/cli.md')
  const commands = [...reference.matchAll(/^## (.+)$/gm), ...reference.matchAll(/Also: `(.+?)`/g)].map(
    (match) => match[1]!,
  )
  const scripts: object = JSON.parse(textOf('package.json')).scripts
  const wrong = rows.flatMap(([id, , how]) =>
    namesIn(how).flatMap((command) => {
      const known = /^vitest ((?:[a-z][\w./-]+ ?)+)(-t "[^"]+")?$/.test(command)
        ? [...command.matchAll(/ ((?:src|test)\/\S+)/g)].every(([, path]) => exists(path!))
        : commands.some((name) => command.replace(/^[A-Z_]+=\S+ /, '').startsWith(`prolepsis ${name}`)) ||
          (/^npm run (\w+)/.exec(command)?.[1] ?? '') in scripts ||
          command === 'DATABASE_URL'
      return known ? [] : [`${id}: ${command}`]
    }),
  )
  expect(wrong).toEqual([])
  // a name that -t asks for is that of a test
  for (const [, , how] of rows) {
    for (const [, files, name] of (how ?? '').matchAll(/`vitest ([^`"]+) -t "([^"]+)"`/g)) {
      expect(
        files!.split(' ').some((file) => textOf(file).includes(name!)),
        name,
      ).toBe(true)
    }
  }
})

test('links between the documents lead somewhere', () => {
  const broken = ['README.md', 'CONTRIBUTING.md', ...documentsIn('docs'), 'docs/decisions/README.md'].flatMap(
    (document) =>
      [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]*)(#[^)\s]+)?\)/g)].flatMap(
        ([whole, path, anchor]) => {
          const target = path === '' ? document : join(document, '..', path!)
          if (!exists(target)) return [`${document}: ${whole}`]
          if (anchor === undefined) return []
          return anchorsOf(textOf(target)).includes(anchor.slice(1)) ? [] : [`${document}: ${whole}`]
        },
      ),
  )
  expect(broken).toEqual([])
})

function documentsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
}

function exists(path: string): boolean {
  try {
    readdirSync(join(ROOT, path))
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOTDIR'
  }
}

/** The anchors that headings get where the documents are shown. */
function anchorsOf(document: string): string[] {
  return [...document.matchAll(/^#+ (.*)$/gm)].map((match) =>
    match[1]!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
