import type { SweepPass } from '../../domain/sweep.ts'

/** Passes that wait to be read. */
const MOST_WAITING = 100

export interface PassQueue {
  readonly passes: AsyncIterable<SweepPass>
  /** The oldest of too many is dropped. */
  push(pass: SweepPass): void
  end(): void
}

export function createPassQueue(): PassQueue {
  const waiting: SweepPass[] = []
  let hasEnded = false
  let tell: () => void = () => undefined
  async function* read(): AsyncGenerator<SweepPass, void, undefined> {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (hasEnded) return
      else
        await new Promise<void>((resolve) => {
          tell = resolve
        })
    }
  }
  return {
    passes: { [Symbol.asyncIterator]: read },
    push(pass) {
      waiting.push(pass)
      if (waiting.length > MOST_WAITING) waiting.shift()
      tell()
    },
    end() {
      hasEnded = true
      tell()
    },
  }
}
