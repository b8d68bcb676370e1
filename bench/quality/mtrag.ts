import type { Memory, RecallOptions } from '../../src/index.ts'
import { type BenchStoreOptions, openBenchMemory } from '../bench-memory.ts'
import { loadMtrag, type MtragPassage, type MtragTask, taskQuery } from '../data/mtrag.ts'
import { progress, progressEnd } from '../report.ts'
import { firstOccurrences, type QualityRow, qualityRow, type RankedCase } from './metrics.ts'

const KS: readonly number[] = [5, 10, 20]

export interface MtragReport {
  readonly set: 'mtrag-un'
  readonly n: number
  readonly rows: Readonly<Record<string, QualityRow>>
}

/** Each passage a document; conversations past their first turn; asked with the last message alone and with its history. */
export async function benchMtrag(
  folder: string,
  variants: Readonly<Record<string, RecallOptions>>,
  store: BenchStoreOptions,
): Promise<MtragReport> {
  const { passages, tasks } = await loadMtrag(folder)
  await using memory = await openBenchMemory(store)
  const bank = await retainPassages(memory, passages)
  const asked = tasks.filter((task) => task.turn > 1)
  const rows: Record<string, QualityRow> = {}
  for (const [name, options] of Object.entries(variants)) {
    for (const withHistory of [true, false]) {
      const row = withHistory ? name : `${name}, last message only`
      rows[row] = qualityRow(await askTasks(bank, asked, options, withHistory, row), KS)
    }
  }
  progressEnd()
  return { set: 'mtrag-un', n: asked.length, rows }
}

async function askTasks(
  bank: Memory,
  tasks: readonly MtragTask[],
  options: RecallOptions,
  withHistory: boolean,
  row: string,
): Promise<RankedCase[]> {
  const cases: RankedCase[] = []
  for (const [index, task] of tasks.entries()) {
    progress(`MTRAG-UN: ${row}, ${index + 1} of ${tasks.length}`)
    const query = withHistory ? taskQuery(task) : taskQuery(task).message
    const found = await bank.recall(query, { limit: 60, receipt: false, ...options })
    const ranked = firstOccurrences(found.passages.map((passage) => passage.source)).map((id) => [id])
    cases.push({ ranked, gold: task.gold, tookMs: found.tookMs })
  }
  return cases
}

export async function retainPassages(memory: Memory, passages: readonly MtragPassage[]): Promise<Memory> {
  if ((await memory.banks.info('mtrag')) === null) await memory.banks.create('mtrag')
  const bank = memory.bank('mtrag')
  let done = 0
  for await (const result of bank.retainMany(
    passages.map((passage) => ({ content: passage.text, source: passage.id })),
  )) {
    if (result.status === 'failed')
      throw new Error(`MTRAG passage was not retained: ${JSON.stringify(result)}`)
    done += 1
    progress(`MTRAG-UN: ${done} of ${passages.length} passages retained`)
  }
  return bank
}
