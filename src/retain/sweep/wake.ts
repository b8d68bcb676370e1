/** A change is followed up when no other came for so long, */
const QUIET_MS = 300
/** but no later than this. */
const MOST_MS = 5000

export type Woken = 'change' | 'time' | 'stop'

/** Wakes a loop that waits: by changes, once they pause, by time, or for good. */
export interface Wake {
  /** Something changed. */
  note(): void
  /** What changed so far is being looked at. */
  clear(): void
  /** @param listen whether a change ends it sooner */
  wait(afterMs: number, listen: boolean): Promise<Woken>
  /** Ends every wait, now and later. */
  stop(): void
}

export function createWake(): Wake {
  let first: number | null = null
  let last = 0
  let isStopped = false
  let check: () => void = () => undefined
  return {
    note() {
      last = performance.now()
      first ??= last
      check()
    },
    clear() {
      first = null
    },
    wait(afterMs, listen) {
      const due = performance.now() + afterMs
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined
        const end = (woken: Woken): void => {
          clearTimeout(timer)
          check = () => undefined
          resolve(woken)
        }
        check = () => {
          clearTimeout(timer)
          if (isStopped) return end('stop')
          const now = performance.now()
          const settled = listen && first !== null ? Math.min(last + QUIET_MS, first + MOST_MS) : null
          if (settled !== null && now >= settled) return end('change')
          if (now >= due) return end('time')
          // a timer may be a moment early
          timer = setTimeout(check, Math.max(1, Math.ceil(Math.min(due, settled ?? due) - now)))
        }
        check()
      })
    },
    stop() {
      isStopped = true
      check()
    },
  }
}
