/** Where in the document each character stands that is said in a JSON string, escapes resolved. UTF-16 units. */
export interface SaidOffsets {
  /** Offset in the document of a character of what is said; `length` and beyond give `end`. */
  at(said: number): number
  /** The first character of what is said that stands at `offset` of the document or after it. */
  firstFrom(offset: number): number
}

/** Takes down offsets from the first character to the last: of characters in a row only the first. */
export interface OffsetRecorder {
  add(offset: number): void
  readonly length: number
  /** Those of the characters from `from` up to `to`. */
  offsets(from: number, to: number, end: number): SaidOffsets
}

export function createOffsetRecorder(): OffsetRecorder {
  // characters in a row, by their first: what is said, and where
  const saidStarts: number[] = []
  const starts: number[] = []
  let length = 0
  let expected = -1
  return {
    add(offset) {
      if (offset !== expected) {
        saidStarts.push(length)
        starts.push(offset)
      }
      expected = offset + 1
      length++
    },
    get length() {
      return length
    },
    offsets(from, to, end) {
      const at = (said: number): number => {
        if (said >= to - from) return end
        const run = lastNotAbove(saidStarts, said + from)
        return starts[run]! + (said + from - saidStarts[run]!)
      }
      return {
        at,
        firstFrom(offset) {
          const run = Math.max(0, lastNotAbove(starts, offset))
          const runEnd = saidStarts[run + 1] ?? length
          const within = saidStarts[run]! + Math.max(0, offset - (starts[run] ?? 0))
          return Math.min(to, Math.max(from, Math.min(within, runEnd))) - from
        },
      }
    },
  }
}

/** Index of the last value that is not above the limit, or -1. */
function lastNotAbove(values: readonly number[], limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (values[middle]! <= limit) low = middle + 1
    else high = middle
  }
  return low - 1
}
