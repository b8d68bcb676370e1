/** Retrieval metrics over ranked lists of item ids. Pure. */

export interface RankedCase {
  /** Ranked items; several ids may share a rank (a passage that covers two turns). */
  readonly ranked: readonly (readonly string[])[]
  readonly gold: readonly string[]
  readonly tookMs: number
}

export interface QualityRow {
  /** Per cent of cases with at least one gold item in the first k. */
  readonly any: Readonly<Record<string, number>>
  /** Mean per cent of the gold items in the first k. */
  readonly recall: Readonly<Record<string, number>>
  /** Mean reciprocal rank of the first gold item. */
  readonly mrr: number
  readonly p50Ms: number
}

export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}

export function qualityRow(cases: readonly RankedCase[], ks: readonly number[]): QualityRow {
  const any: Record<string, number> = {}
  const recall: Record<string, number> = {}
  for (const k of ks) {
    let hits = 0
    let found = 0
    for (const { ranked, gold } of cases) {
      const seen = new Set(ranked.slice(0, k).flat())
      const count = gold.filter((id) => seen.has(id)).length
      hits += count > 0 ? 1 : 0
      found += gold.length === 0 ? 0 : count / gold.length
    }
    any[k] = round((100 * hits) / Math.max(1, cases.length))
    recall[k] = round((100 * found) / Math.max(1, cases.length))
  }
  let reciprocal = 0
  for (const { ranked, gold } of cases) {
    const wanted = new Set(gold)
    const rank = ranked.findIndex((ids) => ids.some((id) => wanted.has(id)))
    reciprocal += rank < 0 ? 0 : 1 / (rank + 1)
  }
  return {
    any,
    recall,
    mrr: round(reciprocal / Math.max(1, cases.length), 3),
    p50Ms: round(
      percentile(
        cases.map((one) => one.tookMs),
        0.5,
      ),
    ),
  }
}

/** Keeps the first occurrence of each id. */
export function firstOccurrences(ids: readonly string[]): string[] {
  return [...new Set(ids)]
}
