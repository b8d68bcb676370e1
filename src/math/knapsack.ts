import type { Vector } from './vector.ts'

/** Most cells (items × slots × capacity) of one exact table; beyond it sizes are scaled. 4 million bytes, a few milliseconds. */
const MAX_CELLS = 4_000_000

export interface KnapsackItem {
  /** What taking it is worth, ≥ 0, without a unit. */
  readonly value: number
  /** What it takes of the budget, a whole number ≥ 0 (tokens). */
  readonly size: number
}

export interface KnapsackLimits {
  /** Total size allowed, a whole number ≥ 0. */
  readonly budget: number
  /** Most items. @default all */
  readonly maxItems?: number
}

/**
 * 0/1 knapsack: the indices, ascending, of the items with the largest total value that fit the budget and the count.
 *
 * Dynamic programming over (slots, capacity): best[k][c] = max(best[k][c], best[k−1][c−size] + value). Exact while
 * items × slots × capacity ≤ 4,000,000 (60 items, 10 slots: budgets to 6,600). For larger budgets sizes are divided by
 * the smallest factor that fits and rounded up, so that the choice always fits, and is optimal for those rounded sizes;
 * room that rounding left is then filled with the most valuable items that fit. Items of value 0 are never taken.
 * O(items · slots · min(budget, total size)) time and memory in bytes.
 * Reference: Kellerer, Pferschy and Pisinger, "Knapsack Problems", 2004, §2.3.
 * @throws RangeError when a value is negative or not finite, or a size, budget or count is not a whole number ≥ 0.
 */
export function knapsack(items: readonly KnapsackItem[], limits: KnapsackLimits): number[] {
  const budget = limits.budget
  const maxItems = Math.min(limits.maxItems ?? items.length, items.length)
  assertWhole('budget', budget)
  assertWhole('maxItems', maxItems)
  items.forEach((item, i) => {
    assertWhole(`size of item ${i}`, item.size)
    if (!(item.value >= 0) || !Number.isFinite(item.value)) {
      throw new RangeError(`value of item ${i} is ${item.value}: it must be finite and ≥ 0`)
    }
  })
  const eligible = items.flatMap((item, index) => (item.value > 0 && item.size <= budget ? [index] : []))
  const total = eligible.reduce((sum, index) => sum + items[index]!.size, 0)
  if (maxItems === 0) return []
  if (total <= budget && eligible.length <= maxItems) return eligible
  const capacity = Math.min(budget, total)
  const slots = Math.min(maxItems, eligible.length)
  const cells = eligible.length * (slots + 1) * (capacity + 1)
  const unit = Math.max(1, Math.ceil(cells / MAX_CELLS))
  const chosen = solve(
    eligible.map((index) => items[index]!.value),
    eligible.map((index) => Math.ceil(items[index]!.size / unit)),
    Math.floor(capacity / unit),
    slots,
  ).map((position) => eligible[position]!)
  return unit === 1 ? chosen : fillRoom(items, eligible, chosen, budget, slots)
}

/** The exact table; returns positions, ascending. */
function solve(values: Vector, sizes: Vector, capacity: number, slots: number): number[] {
  const width = capacity + 1
  const best = new Float64Array((slots + 1) * width)
  const taken = new Uint8Array(values.length * (slots + 1) * width)
  for (let i = 0; i < values.length; i++) {
    const size = sizes[i]!
    const value = values[i]!
    const base = i * (slots + 1) * width
    for (let k = slots; k >= 1; k--) {
      for (let c = capacity; c >= size; c--) {
        const candidate = best[(k - 1) * width + c - size]! + value
        if (candidate > best[k * width + c]!) {
          best[k * width + c] = candidate
          taken[base + k * width + c] = 1
        }
      }
    }
  }
  const chosen: number[] = []
  let k = slots
  let c = capacity
  for (let i = values.length - 1; i >= 0 && k > 0; i--) {
    if (taken[i * (slots + 1) * width + k * width + c] === 1) {
      chosen.push(i)
      k -= 1
      c -= sizes[i]!
    }
  }
  return chosen.reverse()
}

function fillRoom(
  items: readonly KnapsackItem[],
  eligible: readonly number[],
  chosen: readonly number[],
  budget: number,
  slots: number,
): number[] {
  const result = new Set(chosen)
  let room = budget - chosen.reduce((sum, index) => sum + items[index]!.size, 0)
  const rest = eligible
    .filter((index) => !result.has(index))
    .sort((a, b) => items[b]!.value - items[a]!.value || a - b)
  for (const index of rest) {
    if (result.size < slots && items[index]!.size <= room) {
      result.add(index)
      room -= items[index]!.size
    }
  }
  return [...result].sort((a, b) => a - b)
}

function assertWhole(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} is ${value}: a whole number ≥ 0`)
}
