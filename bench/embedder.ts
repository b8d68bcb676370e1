/**
 * The bare embedder, each row in a process of its own: `tsx bench/embedder.ts [--json]`. Texts are the project's own documentation;
 * memory is the process's largest less what it had before the embedder (this tool's own loader counts twice under tsx on Node 20).
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createLocalEmbedder } from '../src/index.ts'
import { print } from './report.ts'

const ROWS = {
  native: { runtime: 'native' },
  'native, one thread': { runtime: 'native', threads: 1 },
  'native, every text alone': { runtime: 'native', maxBatchTokens: 1 },
  wasm: { runtime: 'wasm' },
} as const

interface Row {
  readonly loadMs: number
  readonly questionMs: number
  readonly sentencesPerS: number
  readonly sentenceTokensPerS: number
  readonly passagesPerS: number
  readonly passageTokensPerS: number
  readonly countTokensPerS: number
  readonly addedMb: number
}

const SENTENCES = 240
const PASSAGES = 24

function documentation(): string {
  const root = new URL('../', import.meta.url)
  const docs = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
  return ['CONTRIBUTING.md', ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)]
    .sort()
    .map((name) => readFileSync(new URL(name, root), 'utf8'))
    .join('\n\n')
}

async function measure(options: (typeof ROWS)[keyof typeof ROWS]): Promise<Row> {
  const text = documentation()
  const before = process.memoryUsage().rss
  const opened = performance.now()
  const embedder = await createLocalEmbedder(options)
  await embedder.embed(['load'], { purpose: 'query' })
  const loadMs = performance.now() - opened

  const words = text.split(/\s+/)
  const sentences = cycle(
    text.split(/(?<=[.;:])\s+|\n+/).filter((part) => /\w+ \w+ \w+/.test(part)),
    SENTENCES,
  )
  const passages = Array.from({ length: PASSAGES }, (_, i) => cycle(words, 170, i * 97).join(' '))
  const timed = async (texts: readonly string[]) => {
    const from = performance.now()
    await embedder.embed(texts, { purpose: 'symmetric' })
    const seconds = (performance.now() - from) / 1000
    const tokens = texts.reduce((sum, one) => sum + embedder.countTokens(one), 0)
    return { perS: Math.round(texts.length / seconds), tokensPerS: Math.round(tokens / seconds) }
  }
  const bulk = await timed(sentences)
  const long = await timed(passages)
  const questions: number[] = []
  for (let i = 0; i < 40; i++) {
    const from = performance.now()
    await embedder.embed([`Where is the store of bank ${i} opened?`], { purpose: 'symmetric' })
    questions.push(performance.now() - from)
  }
  const counted = performance.now()
  const tokens = embedder.countTokens(text)
  const countTokensPerS = Math.round(tokens / ((performance.now() - counted) / 1000))
  await embedder.close()
  return {
    loadMs: Math.round(loadMs),
    questionMs: Number(questions.sort((a, b) => a - b)[20]!.toFixed(1)),
    sentencesPerS: bulk.perS,
    sentenceTokensPerS: bulk.tokensPerS,
    passagesPerS: long.perS,
    passageTokensPerS: long.tokensPerS,
    countTokensPerS,
    addedMb: Math.round((process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20),
  }
}

function cycle<T>(items: readonly T[], count: number, from = 0): T[] {
  return Array.from({ length: count }, (_, i) => items[(from + i) % items.length]!)
}

function measureApart(name: string): Row {
  const child = spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), '--row', name],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  if (child.status !== 0) throw new Error(`The row ${name} ended with ${child.status ?? child.signal}.`)
  // printed below by this file
  return JSON.parse(child.stdout) as Row
}

const row = process.argv.indexOf('--row')
if (row >= 0) {
  // passed above by this file
  const result = await measure(ROWS[process.argv[row + 1] as keyof typeof ROWS])
  console.log(JSON.stringify(result))
} else {
  const rows = Object.fromEntries(Object.keys(ROWS).map((name) => [name, measureApart(name)]))
  print(
    process.argv.includes('--json'),
    'The bare embedder',
    [
      'runtime',
      'load ms',
      'question ms',
      'sentences/s',
      'tokens/s',
      '250-token texts/s',
      'tokens/s',
      'count tokens/s',
      'added MB',
    ],
    Object.entries(rows).map(([name, r]) => [
      name,
      r.loadMs,
      r.questionMs,
      r.sentencesPerS,
      r.sentenceTokensPerS,
      r.passagesPerS,
      r.passageTokensPerS,
      r.countTokensPerS,
      r.addedMb,
    ]),
    { rows },
  )
}
