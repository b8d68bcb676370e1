/**
 * The known name nearest to a mistyped one by edits (insertion, deletion, substitution, swap of neighbours), letter
 * case and `_`, `-` aside; null when none is within a third of its length. O(names × length²).
 */
export function nearestName(wrong: string, known: readonly string[]): string | null {
  const from = plain(wrong).slice(0, 100)
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const name of known) {
    const to = plain(name)
    const distance = edits(from, to)
    if (
      distance < bestDistance &&
      distance <= Math.max(1, Math.floor(Math.max(from.length, to.length) / 3))
    ) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** `Did you mean "…"?`, or the fallback sentence. */
export function didYouMean(wrong: string, known: readonly string[], otherwise: string): string {
  const nearest = nearestName(wrong, known)
  return nearest === null ? otherwise : `Did you mean "${nearest}"?`
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '')

function edits(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1))
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1)
      }
      current.push(cost)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
