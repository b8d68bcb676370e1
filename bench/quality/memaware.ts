import type { Memory, RecallOptions } from '../../src/index.ts'
import { type BenchStoreOptions, openBenchMemory } from '../bench-memory.ts'
import { loadMemAware, loadSessions, type MemAwareSession } from '../data/memaware.ts'
import { progress, progressEnd } from '../report.ts'
import { firstOccurrences, type QualityRow, qualityRow, type RankedCase } from './metrics.ts'

const KS: readonly number[] = [5, 10, 20]
/** Passages asked for, so that at least twenty sessions are among them. */
export const MEMAWARE_PASSAGES = 100

export interface MemAwareReport {
  readonly set: 'memaware'
  readonly n: number
  /** Over all requests, and the same by difficulty. */
  readonly rows: Readonly<Record<string, MemAwareRow>>
  /** A report of each difficulty. */
  readonly byDifficulty: Readonly<Record<string, DifficultyReport>>
}

export interface DifficultyReport {
  readonly n: number
  readonly rows: Readonly<Record<string, QualityRow>>
}

export interface MemAwareRow extends QualityRow {
  readonly byDifficulty: Readonly<Record<string, QualityRow>>
}

/** All sessions in one bank, user and assistant turns as chunks; sessions ranked by their best passage. */
export async function benchMemAware(
  dataPath: string,
  sessionsPath: string,
  variants: Readonly<Record<string, RecallOptions>>,
  store: BenchStoreOptions,
): Promise<MemAwareReport> {
  const [questions, sessions] = await Promise.all([loadMemAware(dataPath), loadSessions(sessionsPath)])
  await using memory = await openBenchMemory(store)
  const bank = await retainSessions(memory, sessions)
  const rows: Record<string, MemAwareRow> = {}
  for (const [name, options] of Object.entries(variants)) {
    const cases: Record<string, RankedCase[]> = {}
    for (const [index, { question, difficulty, answerSessionIds }] of questions.entries()) {
      progress(`MemAware: ${name}, question ${index + 1} of ${questions.length}`)
      const found = await bank.recall(question, { limit: MEMAWARE_PASSAGES, receipt: false, ...options })
      const ranked = firstOccurrences(found.passages.map((passage) => passage.source)).map((id) => [id])
      cases[difficulty] ??= []
      cases[difficulty].push({ ranked, gold: answerSessionIds, tookMs: found.tookMs })
    }
    rows[name] = {
      ...qualityRow(Object.values(cases).flat(), KS),
      byDifficulty: Object.fromEntries(
        Object.entries(cases).map(([level, list]) => [level, qualityRow(list, KS)]),
      ),
    }
  }
  progressEnd()
  const levels = [...new Set(questions.map(({ difficulty }) => difficulty))]
  const byDifficulty = Object.fromEntries(
    levels.map((level): [string, DifficultyReport] => [
      level,
      {
        n: questions.filter(({ difficulty }) => difficulty === level).length,
        rows: Object.fromEntries(
          Object.entries(rows).flatMap(([name, row]) => {
            const ofLevel = row.byDifficulty[level]
            return ofLevel === undefined ? [] : [[name, ofLevel]]
          }),
        ),
      },
    ]),
  )
  return { set: 'memaware', n: questions.length, rows, byDifficulty }
}

export async function retainSessions(
  memory: Memory,
  sessions: readonly MemAwareSession[],
  name = 'memaware',
): Promise<Memory> {
  if ((await memory.banks.info(name)) === null) await memory.banks.create(name)
  const bank = memory.bank(name)
  const items = sessions.map((session) => ({
    content: session.text,
    source: session.id,
    mediaType: 'text/x-chat',
    occurredAt: session.date,
  }))
  let done = 0
  for await (const result of bank.retainMany(items, { await: 'enriched' })) {
    if (result.status === 'failed')
      throw new Error(`MemAware session was not retained: ${JSON.stringify(result)}`)
    done += 1
    progress(`MemAware: ${done} of ${items.length} sessions retained`)
  }
  return bank
}
