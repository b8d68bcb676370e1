/** Measures of ranked lists against what should be in them (Manning, Raghavan, Schütze: Introduction to Information Retrieval, chapter 8). */

/** A list as it was ranked, and what should be in it. */
export interface RankedList<Item> {
  /** Best first; several items may share a rank (a passage that covers two turns). */
  readonly ranked: readonly (readonly Item[])[]
  /** Distinct. */
  readonly gold: readonly Item[]
}

/** Shares in [0, 1]. */
export interface RetrievalQuality {
  /** By k: share of the lists with a gold item in the first k. */
  readonly any: Readonly<Record<string, number>>
  /** By k: mean share of the gold items in the first k; 0 for a list without gold. */
  readonly recall: Readonly<Record<string, number>>
  /** Mean of 1 / (rank from 1) of the first gold item, 0 where there is none. */
  readonly mrr: number
}

/** Place of the first gold item, from 1; null where none is ranked. O(length). */
export function firstRank<Item>({ ranked, gold }: RankedList<Item>): number | null {
  const wanted = new Set(gold)
  const at = ranked.findIndex((items) => items.some((item) => wanted.has(item)))
  return at < 0 ? null : at + 1
}

/** Share of the gold items in the first k, in [0, 1]; 0 without gold. O(k). */
export function recallAt<Item>({ ranked, gold }: RankedList<Item>, k: number): number {
  if (gold.length === 0) return 0
  const seen = new Set(ranked.slice(0, k).flat())
  return gold.filter((item) => seen.has(item)).length / gold.length
}

/** Means over lists; all 0 when there are none. */
export function retrievalQuality<Item>(
  lists: readonly RankedList<Item>[],
  ks: readonly number[],
): RetrievalQuality {
  const mean = (of: (list: RankedList<Item>) => number): number =>
    lists.length === 0 ? 0 : lists.reduce((sum, list) => sum + of(list), 0) / lists.length
  const byK = (of: (list: RankedList<Item>, k: number) => number): Record<string, number> =>
    Object.fromEntries(ks.map((k) => [k, mean((list) => of(list, k))]))
  return {
    any: byK((list, k) => (recallAt(list, k) > 0 ? 1 : 0)),
    recall: byK(recallAt),
    mrr: mean((list) => 1 / (firstRank(list) ?? Number.POSITIVE_INFINITY)),
  }
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed; 0 for none. O(n log n). */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}
