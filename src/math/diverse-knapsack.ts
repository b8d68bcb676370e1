import { type KnapsackItem, type KnapsackLimits, knapsack } from './knapsack.ts'

/** Similarity of items i and j in [0, 1]; symmetric. */
export type Similarity = (i: number, j: number) => number

/**
 * What a choice is worth when repetition is worth less: Σ vᵢ·(1 − λ·max sim(i, j)) over the chosen items j that stand
 * before i by value (then by index). The best of a group of near-duplicates keeps its whole value, the others lose.
 *
 * Range: [0, Σv]. O(chosen²).
 * @throws RangeError when λ is outside [0, 1].
 */
export function diverseValue(
  items: readonly KnapsackItem[],
  chosen: readonly number[],
  similarity: Similarity,
  redundancy: number,
): number {
  assertShare(redundancy)
  const order = [...chosen].sort((a, b) => items[b]!.value - items[a]!.value || a - b)
  let sum = 0
  order.forEach((index, position) => {
    sum += items[index]!.value * (1 - redundancy * nearest(index, order.slice(0, position), similarity))
  })
  return sum
}

/**
 * Knapsack with a redundancy penalty: seeks the choice with the largest `diverseValue`. Returns indices, ascending.
 *
 * The penalised problem is quadratic (NP-hard in the strong sense), so: up to 12 items every subset is tried, which is
 * exact; beyond that up to 8 rounds of the exact knapsack, each pricing an item by what the last choice's better items
 * leave of its value, beside one greedy choice (most remaining value per unit of size); the best choice seen wins. It is
 * never worse than the plain knapsack's choice under the same measure.
 * O(8 · knapsack + items² · similarity).
 * Reference: Carbonell and Goldstein, "The use of MMR", SIGIR 1998, for the penalty.
 * @throws RangeError as knapsack, or when λ is outside [0, 1].
 */
export function diverseKnapsack(
  items: readonly KnapsackItem[],
  limits: KnapsackLimits,
  similarity: Similarity,
  redundancy: number,
): number[] {
  assertShare(redundancy)
  const plain = knapsack(items, limits)
  if (redundancy === 0 || items.length <= 1) return plain
  if (items.length <= 12) return tryEverySubset(items, limits, similarity, redundancy)
  let best = plain
  let bestValue = diverseValue(items, plain, similarity, redundancy)
  const consider = (choice: number[]): void => {
    const value = diverseValue(items, choice, similarity, redundancy)
    if (value > bestValue) {
      best = choice
      bestValue = value
    }
  }
  consider(greedyChoice(items, limits, similarity, redundancy))
  let current = best
  for (let round = 0; round < 8; round++) {
    const chosen = current
    const priced = items.map((item, i) => {
      const better = chosen.filter((j) => j !== i && standsBefore(items, j, i))
      return { value: item.value * (1 - redundancy * nearest(i, better, similarity)), size: item.size }
    })
    const next = knapsack(priced, limits)
    consider(next)
    if (next.length === current.length && next.every((index, i) => index === current[i])) break
    current = next
  }
  return best
}

function tryEverySubset(
  items: readonly KnapsackItem[],
  limits: KnapsackLimits,
  similarity: Similarity,
  redundancy: number,
): number[] {
  const maxItems = limits.maxItems ?? items.length
  let best: number[] = []
  let bestValue = 0
  for (let subset = 1; subset < 1 << items.length; subset++) {
    const chosen: number[] = []
    let size = 0
    for (let i = 0; i < items.length; i++) {
      if (subset & (1 << i)) {
        chosen.push(i)
        size += items[i]!.size
      }
    }
    if (size > limits.budget || chosen.length > maxItems) continue
    const value = diverseValue(items, chosen, similarity, redundancy)
    if (value > bestValue) {
      best = chosen
      bestValue = value
    }
  }
  return best
}

function greedyChoice(
  items: readonly KnapsackItem[],
  limits: KnapsackLimits,
  similarity: Similarity,
  redundancy: number,
): number[] {
  const maxItems = limits.maxItems ?? items.length
  const chosen: number[] = []
  let room = limits.budget
  while (chosen.length < maxItems) {
    let pick = -1
    let pickRate = 0
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!
      if (item.size > room || chosen.includes(i)) continue
      const rate = (item.value * (1 - redundancy * nearest(i, chosen, similarity))) / Math.max(1, item.size)
      if (rate > pickRate) {
        pick = i
        pickRate = rate
      }
    }
    if (pick < 0) break
    chosen.push(pick)
    room -= items[pick]!.size
  }
  return chosen.sort((a, b) => a - b)
}

function standsBefore(items: readonly KnapsackItem[], j: number, i: number): boolean {
  const difference = items[j]!.value - items[i]!.value
  return difference > 0 || (difference === 0 && j < i)
}

function nearest(index: number, others: readonly number[], similarity: Similarity): number {
  let most = 0
  for (const other of others) most = Math.max(most, Math.min(1, similarity(index, other)))
  return most
}

function assertShare(value: number): void {
  if (!(value >= 0 && value <= 1)) throw new RangeError(`redundancy is ${value}: it must be in [0, 1]`)
}
