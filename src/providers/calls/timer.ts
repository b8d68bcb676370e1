/** Waiting, passed in: tests wait without time passing. */
export interface Timer {
  /** Calls `work` once after `ms` milliseconds, unless the function that it returns was called before. */
  after(ms: number, work: () => void): () => void
}

export const systemTimer: Timer = {
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
}
