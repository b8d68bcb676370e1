import { readFileSync } from 'node:fs'

/** Samples the resident set of this process, all threads, every 100 ms. */
export function watchMemory(): { stop(): number } {
  let peak = process.memoryUsage.rss()
  const sample = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const timer = setInterval(sample, 100)
  timer.unref()
  return {
    /** The most that was seen, in MB. */
    stop: () => {
      clearInterval(timer)
      sample()
      return Math.round(peak / 2 ** 20)
    },
  }
}

/** The most that this process ever held, in MB: `VmHWM` on Linux, elsewhere what `getrusage` says. */
export function highestResidentMb(): number {
  const kilobytes = process.platform === 'linux' ? /VmHWM:\s+(\d+) kB/.exec(readStatus())?.[1] : undefined
  return Math.round(Number(kilobytes ?? process.resourceUsage().maxRSS) / 1024)
}

function readStatus(): string {
  return readFileSync('/proc/self/status', 'utf8')
}
