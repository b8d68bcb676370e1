import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchStoreOptions } from '../bench-memory.ts'
import { benchLocomo } from './locomo.ts'
import { benchMemAware } from './memaware.ts'
import { benchMtrag } from './mtrag.ts'
import { ABLATIONS, VARIANTS } from './variants.ts'

export interface AblationReport {
  readonly set: 'ablation'
  readonly columns: readonly string[]
  readonly table: readonly (readonly (string | number)[])[]
  /** any@10 by row and column. */
  readonly rows: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Every variant on every set that the folder holds. */
export async function benchAblation(folder: string, store: BenchStoreOptions): Promise<AblationReport> {
  const variants = { ...VARIANTS, ...ABLATIONS }
  const rows: Record<string, Record<string, number>> = Object.fromEntries(
    Object.keys(variants).map((name) => [name, {}]),
  )
  if (existsSync(join(folder, 'locomo/dev.json'))) {
    const report = await benchLocomo(join(folder, 'locomo/dev.json'), variants, store)
    for (const [name, row] of Object.entries(report.rows)) rows[name]!.LoCoMo = row.any[10]!
  }
  if (existsSync(join(folder, 'mtrag-un/dev.jsonl'))) {
    const report = await benchMtrag(join(folder, 'mtrag-un'), variants, store)
    for (const name of Object.keys(variants)) rows[name]!['MTRAG-UN'] = report.rows[name]!.any[10]!
  }
  if (existsSync(join(folder, 'memaware/dev.json'))) {
    const report = await benchMemAware(
      join(folder, 'memaware/dev.json'),
      join(folder, 'memaware/sessions.jsonl.gz'),
      variants,
      store,
    )
    for (const [name, { byDifficulty }] of Object.entries(report.rows)) {
      for (const [level, row] of Object.entries(byDifficulty)) rows[name]![`MemAware ${level}`] = row.any[10]!
    }
  }
  const columns = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))]
  const table = Object.entries(rows).map(([name, row]) => [
    name,
    ...columns.map((column) => row[column]?.toFixed(1) ?? '–'),
  ])
  return { set: 'ablation', columns, table, rows }
}
