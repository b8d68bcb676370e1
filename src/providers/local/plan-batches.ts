/**
 * Starting a run costs about as much as computing this many tokens more (measured on sentences and turns of chats, one
 * thread): so much padding is worth one run less.
 */
const RUN_COST_TOKENS = 12

/**
 * Groups texts of like length: indices of `lengths`, every one once, the shortest first. A batch holds at most
 * `maxBatchTokens` tokens, padding included; a longer text is a batch of its own.
 */
export function planBatches(lengths: readonly number[], maxBatchTokens: number): number[][] {
  const order = lengths.map((_, index) => index).sort((a, b) => lengths[a]! - lengths[b]! || a - b)
  const batches: number[][] = []
  let current: number[] = []
  let longest = 0
  for (const index of order) {
    const length = lengths[index]!
    const fits = (current.length + 1) * length <= maxBatchTokens
    const padding = current.length * (length - longest)
    if (current.length === 0 || !fits || padding > RUN_COST_TOKENS) {
      current = []
      batches.push(current)
    }
    current.push(index)
    longest = length
  }
  return batches
}
