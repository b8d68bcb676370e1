/** Samples the resident set of this process, all threads, every 100 ms. */
export function watchMemory(): { peakMb(): number; stop(): number } {
  let peak = process.memoryUsage.rss()
  const sample = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 100)
  timer.unref()
  const peakMb = (): number => {
    sample()
    return Math.round(peak / 2 ** 20)
  }
  return {
    peakMb,
    stop: () => {
      clearInterval(timer)
      return peakMb()
    },
  }
}
