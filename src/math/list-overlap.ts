/**
 * How alike two ranked lists are, by their items' keys. Lists hold each item once.
 */

/**
 * Share of the first `depth` items that both lists have: |A ∩ B| / max(|A|, |B|), each cut to `depth`. 0 to 1; 1 for two empty lists. O(depth).
 */
export function overlapAt(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
  depth: number,
): number {
  const first = new Set(a.slice(0, depth))
  const second = b.slice(0, depth)
  const longer = Math.max(first.size, second.length)
  if (longer === 0) return 1
  return second.filter((item) => first.has(item)).length / longer
}

/**
 * Rank-biased overlap, extrapolated to the depth that both lists reach: what two readers agree on, of whom each goes on to the next rank with
 * probability `persistence`. With A_d = |A[1..d] ∩ B[1..d]| / d and k = the longer list's length:
 *
 *     RBO = A_k · p^k + ((1 − p) / p) · Σ_{d=1..k} A_d · p^d
 *
 * 0 (nothing in common) to 1 (the same list); 1 for two empty lists. O(k). W. Webber, A. Moffat, J. Zobel: A Similarity Measure for
 * Indefinite Rankings, ACM TOIS 28 (2010), equation 30 for lists of one length.
 *
 * @throws RangeError unless 0 < persistence < 1
 */
export function rankBiasedOverlap(
  a: readonly (string | number)[],
  b: readonly (string | number)[],
  persistence = 0.9,
): number {
  if (!(persistence > 0 && persistence < 1))
    throw new RangeError(`persistence ${persistence} is not in (0, 1)`)
  const depth = Math.max(a.length, b.length)
  if (depth === 0) return 1
  const [seenA, seenB] = [new Set<string | number>(), new Set<string | number>()]
  let common = 0
  let agreement = 0
  let sum = 0
  let power = 1
  for (let d = 1; d <= depth; d++) {
    const [itemA, itemB] = [a[d - 1], b[d - 1]]
    if (itemA !== undefined) seenA.add(itemA)
    if (itemB !== undefined) seenB.add(itemB)
    if (itemA !== undefined && seenB.has(itemA)) common++
    if (itemB !== undefined && itemB !== itemA && seenA.has(itemB)) common++
    agreement = common / d
    power *= persistence
    sum += agreement * power
  }
  return agreement * power + ((1 - persistence) / persistence) * sum
}
