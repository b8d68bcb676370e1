import type { Enrichment, Memory, RecallOptions } from '../../src/index.ts'
import { type BenchStoreOptions, openBenchMemory } from '../bench-memory.ts'
import { type LocomoConversation, loadLocomo, turnsInSpan } from '../data/locomo.ts'
import { createRecordedModel, loadRecordedLocomo } from '../data/recorded-model.ts'
import { progress, progressEnd } from '../report.ts'
import { type QualityRow, qualityRow, type RankedCase, round } from './metrics.ts'

export const LOCOMO_KS: readonly number[] = [5, 10, 20]

export interface LocomoReport {
  readonly set: 'locomo'
  readonly n: number
  readonly rows: Readonly<Record<string, QualityRow>>
  /** The default by conversation: of the recorded rows where there are some. */
  readonly byConversation: Readonly<Record<string, QualityRow>>
  /** What the writer was asked for and what stayed; null without recorded questions. */
  readonly writing: WritingCost | null
}

export interface WritingCost {
  readonly chunks: number
  readonly callsPer100Chunks: number
  /** Estimated at four characters a token. */
  readonly inputTokensPerChunk: number
  readonly outputTokensPerChunk: number
  /** Questions by the model, those that stayed, those that did not. */
  readonly written: number
  readonly kept: number
  readonly dropped: number
}

/** Each conversation a bank, each session a chat document at its date, each turn a chunk; categories 1 to 4. */
export async function benchLocomo(
  path: string,
  variants: Readonly<Record<string, RecallOptions>>,
  store: BenchStoreOptions,
  recorded?: { readonly folder: string; readonly variants: Readonly<Record<string, RecallOptions>> },
): Promise<LocomoReport> {
  const conversations = await loadLocomo(path)
  const keyless = await askAll(conversations, variants, store)
  const written =
    recorded === undefined
      ? null
      : await askAll(conversations, recorded.variants, {
          ...store,
          model: createRecordedModel(await loadRecordedLocomo(recorded.folder, conversations)),
        })
  progressEnd()
  const cases = { ...keyless.cases, ...written?.cases }
  const rows = Object.fromEntries(
    Object.entries(cases).map(([name, list]) => [name, qualityRow(list, LOCOMO_KS)]),
  )
  return {
    ...{ set: 'locomo', n: Object.values(cases)[0]?.length ?? 0, rows },
    byConversation: (written ?? keyless).byConversation,
    writing: written === null ? null : costOf(written.enrichments),
  }
}

interface Asked {
  readonly cases: Record<string, RankedCase[]>
  readonly byConversation: Record<string, QualityRow>
  readonly enrichments: readonly Enrichment[]
}

function costOf(enrichments: readonly Enrichment[]): WritingCost | null {
  const sum = (of: (one: Enrichment) => number): number => enrichments.reduce((all, one) => all + of(one), 0)
  const chunks = sum((one) => one.chunks)
  // a store that was kept has its questions already
  if (chunks === 0) return null
  return {
    chunks,
    callsPer100Chunks: round((100 * sum((one) => one.calls)) / chunks),
    inputTokensPerChunk: round(sum((one) => one.inputTokens) / chunks),
    outputTokensPerChunk: round(sum((one) => one.outputTokens) / chunks),
    ...{ written: sum((one) => one.written), kept: sum((one) => one.kept) },
    dropped: sum((one) => one.dropped),
  }
}

/** Every conversation retained into one store and asked with every variant. */
async function askAll(
  conversations: readonly LocomoConversation[],
  variants: Readonly<Record<string, RecallOptions>>,
  store: BenchStoreOptions,
): Promise<Asked> {
  await using memory = await openBenchMemory(store)
  const cases: Record<string, RankedCase[]> = {}
  const byConversation: Record<string, QualityRow> = {}
  const enrichments: Enrichment[] = []
  for (const [index, conversation] of conversations.entries()) {
    progress(`LoCoMo: retaining conversation ${index + 1} of ${conversations.length}`)
    const suffix = store.model === undefined ? '' : '-recorded'
    const bank = await retainConversation(memory, conversation, suffix, (one) => enrichments.push(one))
    progress(`LoCoMo: asking conversation ${index + 1} of ${conversations.length}`)
    for (const [name, options] of Object.entries(variants)) {
      const asked = await askConversation(bank, conversation, options)
      byConversation[conversation.id] ??= qualityRow(asked, LOCOMO_KS)
      cases[name] ??= []
      cases[name].push(...asked)
    }
  }
  return { cases, byConversation, enrichments }
}

/** @param suffix of the bank's name: a bank with written questions stands beside one without */
export async function retainConversation(
  memory: Memory,
  conversation: LocomoConversation,
  suffix = '',
  onEnriched: (enrichment: Enrichment) => void = () => undefined,
): Promise<Memory> {
  const name = `${conversation.id.replace(/[^A-Za-z0-9_.-]/g, '_')}${suffix}`
  if ((await memory.banks.info(name)) === null) await memory.banks.create(name)
  const bank = memory.bank(name)
  const items = conversation.sessions.map((session) => ({
    content: session.text,
    source: session.source,
    mediaType: 'text/x-chat',
    occurredAt: session.occurredAt,
  }))
  for await (const result of bank.retainMany(items, { await: 'enriched', onEnriched })) {
    if (result.status === 'failed')
      throw new Error(`LoCoMo session was not retained: ${JSON.stringify(result)}`)
  }
  return bank
}

async function askConversation(
  bank: Memory,
  conversation: LocomoConversation,
  options: RecallOptions,
): Promise<RankedCase[]> {
  const sessions = new Map(conversation.sessions.map((session) => [session.source, session]))
  const cases: RankedCase[] = []
  for (const { question, evidence, category } of conversation.questions) {
    if (category === 5 || evidence.length === 0) continue
    const found = await bank.recall(question, {
      limit: Math.max(...LOCOMO_KS),
      receipt: false,
      formulator: 'rules',
      ...options,
    })
    const ranked = found.passages.map((passage) => {
      const session = sessions.get(passage.source)
      return session === undefined ? [] : turnsInSpan(session, passage.span.startLine, passage.span.endLine)
    })
    cases.push({ ranked, gold: evidence, tookMs: found.tookMs })
  }
  return cases
}
