import { type CliIo, isTerminal } from './io.ts'
import { printable } from './render/printable.ts'

export interface ProgressBar {
  update(done: number, total: number, what: string): void
  stop(): void
}

/** A bar on standard error when that is a terminal; nothing elsewhere. */
export async function createProgressBar(io: CliIo, verb: string): Promise<ProgressBar> {
  if (!isTerminal(io.stderr)) return { update: () => {}, stop: () => {} }
  const { default: progress } = await import('cli-progress')
  const bar = new progress.SingleBar(
    {
      format: `${verb} {bar} {percentage}% | {value}/{total} | {eta_formatted} left | {what}`,
      stream: io.stderr,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
    },
    progress.Presets.shades_classic,
  )
  let started = false
  return {
    update: (done, total, what) => {
      const shown = printable(what).slice(-40)
      if (!started) {
        bar.start(total, done, { what: shown })
        started = true
      } else {
        bar.setTotal(total)
        bar.update(done, { what: shown })
      }
    },
    stop: () => {
      if (started) bar.stop()
    },
  }
}
