import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Memory, RecallOptions } from '../../src/index.ts'
import { type BenchStoreOptions, openBenchMemory } from '../bench-memory.ts'
import { loadMtrag, type MtragPassage, type MtragTask, taskQuery } from '../data/mtrag.ts'
import { createRecordedModel, loadPassageQuestions, loadRecordedMtrag } from '../data/recorded-model.ts'
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
  const asked = tasks.filter((task) => task.turn > 1)
  const isRecorded = existsSync(join(folder, 'formulated.jsonl'))
  const model = isRecorded ? createRecordedModel(await loadRecordedMtrag(folder, asked)) : undefined
  await using memory = await openBenchMemory({ ...store, model })
  const bank = await retainPassages(memory, passages)
  const rows: Record<string, QualityRow> = {}
  for (const [name, options] of Object.entries(variants)) {
    for (const withHistory of [true, false]) {
      const row = withHistory ? name : `${name}, last message only`
      rows[row] = qualityRow(await askTasks(bank, asked, options, withHistory, row), KS)
    }
  }
  if (isRecorded) {
    const row = 'keyless, recorded formulated questions'
    rows[row] = qualityRow(await askTasks(bank, asked, { formulator: 'model' }, true, row), KS)
  }
  if (isRecorded && existsSync(join(folder, 'questions.jsonl'))) {
    const questions = await loadPassageQuestions(folder)
    const written = await retainPassages(memory, passages, { bank: 'mtrag-recorded', questions })
    const ways: Readonly<Record<string, RecallOptions>> = {
      recorded: { formulator: 'model' },
      'recorded questions, not formulated': {},
      'recorded, standard fusion': { formulator: 'model', fusion: 'standard' },
    }
    for (const [row, options] of Object.entries(ways))
      rows[row] = qualityRow(await askTasks(written, asked, options, true, row), KS)
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
    const found = await bank.recall(query, { limit: 60, receipt: false, formulator: 'rules', ...options })
    const ranked = firstOccurrences(found.passages.map((passage) => passage.source)).map((id) => [id])
    cases.push({ ranked, gold: task.gold, tookMs: found.tookMs })
  }
  return cases
}

/** @param how.questions of the caller, by passage @default none */
export async function retainPassages(
  memory: Memory,
  passages: readonly MtragPassage[],
  how: { readonly bank?: string; readonly questions?: ReadonlyMap<string, readonly string[]> } = {},
): Promise<Memory> {
  const name = how.bank ?? 'mtrag'
  if ((await memory.banks.info(name)) === null) await memory.banks.create(name)
  const bank = memory.bank(name)
  let done = 0
  for await (const result of bank.retainMany(
    passages.map((passage) => ({
      ...{ content: passage.text, source: passage.id, enrich: false },
      ...(how.questions === undefined ? {} : { questions: how.questions.get(passage.id) ?? [] }),
    })),
  )) {
    if (result.status === 'failed')
      throw new Error(`MTRAG passage was not retained: ${JSON.stringify(result)}`)
    done += 1
    progress(`MTRAG-UN: ${done} of ${passages.length} passages retained`)
  }
  return bank
}
