/** Up to `count` of the items, evenly spread, first and last among them; of one, the first. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  if (count === 1) return items.slice(0, 1)
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]!)
}
