import { percentile, retrievalQuality } from '../../src/math/index.ts'

export { percentile }

/** Rows of the tables of quality: the figures of `src/math`, in per cent. */

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

export function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits))
}

export function qualityRow(cases: readonly RankedCase[], ks: readonly number[]): QualityRow {
  const { any, recall, mrr } = retrievalQuality(cases, ks)
  const percent = (shares: Readonly<Record<string, number>>): Record<string, number> =>
    Object.fromEntries(Object.entries(shares).map(([k, share]) => [k, round(100 * share)]))
  return {
    any: percent(any),
    recall: percent(recall),
    mrr: round(mrr, 3),
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
