import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEmbedder, createMemory, type EmbeddingModel, type RetainItem } from '../../src/index.ts'
import { walkCorpus } from '../data/corpus.ts'
import { loadLocomo } from '../data/locomo.ts'
import { loadSessions } from '../data/memaware.ts'
import { round } from '../quality/metrics.ts'
import { progress, progressEnd } from '../report.ts'
import { recordingEmbedder } from './recording-embedder.ts'

const FOLDER_BYTES = 1_500_000
const MIN_DOCUMENT_BYTES = 8_000
/** Turns of the second source are cut to those of a chat's usual length. */
const MAX_TURN_CHARACTERS = 600

export interface RetainReport {
  readonly table: readonly (readonly (string | number)[])[]
  readonly object: unknown
}

/**
 * For each load: retains it into a new bank while recording what is embedded, then embeds exactly those texts with the
 * bare model in one call. The rate is bare time over retain time.
 */
export async function benchRetain(options: {
  data: string
  turns: number
  corpus: string
}): Promise<RetainReport> {
  const loads: Record<string, RetainItem[]> = {
    documents: await longDocuments(options.corpus),
    chat: await longChat(options.data, options.turns),
  }
  const model = await createLocalEmbedder()
  await model.embed(['warm up'], { purpose: 'symmetric' })
  const rows: Record<
    string,
    {
      texts: number
      tokens: number
      bareSeconds: number
      retainSeconds: number
      percent: number
      chunks: number
    }
  > = {}
  for (const [name, items] of Object.entries(loads)) rows[name] = await measure(name, items, model)
  await model.close()
  progressEnd()
  const table = Object.entries(rows).map(([name, row]) => [
    name,
    row.texts,
    row.tokens,
    row.bareSeconds,
    row.retainSeconds,
    row.percent,
  ])
  return { table, object: { set: 'retain', rows } }
}

async function measure(
  name: string,
  items: readonly RetainItem[],
  model: EmbeddingModel,
): Promise<{
  texts: number
  tokens: number
  bareSeconds: number
  retainSeconds: number
  percent: number
  chunks: number
}> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prolepsis-bench-'))
  const recorder = recordingEmbedder(model)
  const memory = await createMemory({ dataDir, embedder: { ...recorder, close: async () => {} } })
  try {
    await memory.stats()
    const started = performance.now()
    let chunks = 0
    for await (const result of memory.retainMany(items)) {
      if (result.status === 'failed') throw new Error(`not retained: ${JSON.stringify(result)}`)
      chunks += result.chunks
      progress(`retain ${name}: ${chunks} chunks`)
    }
    const retainSeconds = (performance.now() - started) / 1000
    const texts = recorder.take()
    progress(`retain ${name}: bare embedder on ${texts.length} texts`)
    const bareStarted = performance.now()
    await model.embed(texts, { purpose: 'symmetric' })
    const bareSeconds = (performance.now() - bareStarted) / 1000
    const tokens = texts.reduce((sum, text) => sum + model.countTokens(text), 0)
    return {
      texts: texts.length,
      tokens,
      bareSeconds: round(bareSeconds, 2),
      retainSeconds: round(retainSeconds, 2),
      percent: round((100 * bareSeconds) / retainSeconds),
      chunks,
    }
  } finally {
    await memory.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function longDocuments(corpus: string): Promise<RetainItem[]> {
  const items: RetainItem[] = []
  let bytes = 0
  for await (const { source, text } of walkCorpus(corpus)) {
    if (text.length < MIN_DOCUMENT_BYTES || !/\.(md|markdown|txt|ts)$/.test(source)) continue
    items.push({ content: text, source })
    bytes += text.length
    if (bytes >= FOLDER_BYTES) break
  }
  return items
}

async function longChat(data: string, turns: number): Promise<RetainItem[]> {
  const lines: string[] = []
  for (const conversation of await loadLocomo(join(data, 'locomo/dev.json'))) {
    for (const session of conversation.sessions)
      lines.push(...session.text.split('\n').filter((line) => /^\S+: /.test(line)))
  }
  for (const session of await loadSessions(join(data, 'memaware/sessions.jsonl.gz'))) {
    if (lines.length >= turns) break
    lines.push(
      ...session.text
        .split('\n')
        .filter((line) => /^(User|Assistant): /.test(line) && line.length < MAX_TURN_CHARACTERS),
    )
  }
  const text = lines.slice(0, turns).join('\n')
  return [{ content: text, source: 'chat.txt', mediaType: 'text/x-chat', occurredAt: '2026-01-01' }]
}
