/** Runs a task when enough has changed and then nothing happens for a while. */
export interface IdleMaintenanceOptions {
  readonly task: () => Promise<void>
  readonly onError: (error: unknown) => void
  /** True while something runs: then it waits on. */
  readonly isBusy: () => boolean
  /** Changed rows that make it worth while. @default 2,000 */
  readonly afterChanges?: number | undefined
  /** @default 15,000 */
  readonly afterIdleMs?: number | undefined
  /** Calls back after some time; the returned function takes it back. The default does not keep the process alive. */
  readonly schedule?: ((callback: () => void, ms: number) => () => void) | undefined
}

export interface IdleMaintenance {
  noteChange(rows: number): void
  stop(): void
}

export function createIdleMaintenance(options: IdleMaintenanceOptions): IdleMaintenance {
  const schedule = options.schedule ?? unrefTimer
  const afterChanges = options.afterChanges ?? 2_000
  const afterIdleMs = options.afterIdleMs ?? 15_000
  let changes = 0
  let stopped = false
  let cancel: (() => void) | undefined

  const wait = (): void => {
    cancel?.()
    cancel = stopped ? undefined : schedule(fire, afterIdleMs)
  }
  const fire = (): void => {
    cancel = undefined
    if (stopped) return
    if (options.isBusy()) {
      wait()
      return
    }
    changes = 0
    options.task().catch(options.onError)
  }
  return {
    noteChange(rows) {
      changes += rows
      if (changes >= afterChanges) wait()
    },
    stop() {
      stopped = true
      cancel?.()
      cancel = undefined
    },
  }
}

function unrefTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms)
  timer.unref()
  return () => clearTimeout(timer)
}
