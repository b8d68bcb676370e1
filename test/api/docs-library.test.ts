import { describe, expect, test } from 'vitest'
import { withSettingsTable } from '../../scripts/settings-table.ts'
import { ASK_ALL_DEFAULTS } from '../../src/answer/all/all-options.ts'
import { ASK_DEFAULTS } from '../../src/answer/ask-options.ts'
import { SETTING_NAMES } from '../../src/config/settings.ts'
import {
  type AskAllOptions,
  type AskOptions,
  CHANNELS,
  type IndexOptions,
  type MemoryOptions,
  RECALL_MODES,
  type RecallOptions,
  type RetainOptions,
  type SweepOptions,
  type SweepWatchOptions,
} from '../../src/index.ts'
import { DEFAULT_WEIGHTS, MODE_CHANNELS, RECALL_DEFAULTS } from '../../src/recall/request.ts'
import { namesIn, tableRows } from '../support/doc-tables.ts'
import { textOf } from './imports.ts'

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
  prompts: true,
  enrich: true,
  await: true,
  onProgress: true,
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
  hidden: true,
  adopt: true,
  prune: true,
  prompts: true,
  enrich: true,
  await: true,
  onJobProgress: true,
  onProgress: true,
  signal: true,
}
const WATCH: Named<Omit<SweepWatchOptions, keyof SweepOptions>> = { pollMs: true, intervalMs: true }
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
  formulator: true,
  rerank: true,
  prompts: true,
  receipt: true,
  signal: true,
}
const FILTER = {
  tags: true,
  where: true,
  during: true,
  asOf: true,
  source: true,
  minTrust: true,
  people: true,
} as const
const ASK: Named<AskOptions> = {
  ...FILTER,
  ...{ limit: true, tokenBudget: true, expand: true, hops: true, floor: true, feedback: true, prompts: true },
  ...{ mode: true, fusion: true, weights: true, formulator: true, rerank: true, signal: true },
}
const ASK_ALL: Named<AskAllOptions> = {
  ...FILTER,
  ...{ batchTokens: true, concurrency: true, confirm: true, onProgress: true, prompts: true, signal: true },
}
const OPEN: Named<
  Omit<MemoryOptions, Exclude<(typeof SETTING_NAMES)[number], 'embedder' | 'model' | 'reranker'>>
> = {
  inMemory: true,
  embedder: true,
  model: true,
  reranker: true,
  onEvent: true,
  tracer: true,
  redactTrace: true,
  cwd: true,
  clock: true,
  ids: true,
}

const library = textOf('docs/library.md')

describe('docs/library.md', () => {
  test.each([
    ['option', OPEN],
    ['option of retain', RETAIN],
    ['option of index', INDEX],
    ['option of sweep.watch', WATCH],
    ['option of recall', RECALL],
    ['option of ask', ASK],
    ['option of askAll', ASK_ALL],
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

  test.each([
    ['option of ask', ASK_DEFAULTS],
    ['option of askAll', ASK_ALL_DEFAULTS],
  ])('the defaults of the table "%s" are those of the code', (heading, defaults) => {
    const shown = new Map(tableRows(library, heading).map((row) => [namesIn(row[0])[0], row[2]]))
    for (const [name, value] of Object.entries(defaults)) expect(shown.get(name), name).toBe(`\`${value}\``)
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
