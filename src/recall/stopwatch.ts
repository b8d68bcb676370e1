import type { Clock } from '../domain/ports.ts'

/** Notes how long each stage of a call took. */
export interface Stopwatch {
  /** Ends the stage that began at the last lap. */
  lap(stage: string): void
  /** Milliseconds by stage. */
  readonly laps: Readonly<Record<string, number>>
  /** Milliseconds since the start. */
  total(): number
}

export function startStopwatch(clock: Clock): Stopwatch {
  const laps: Record<string, number> = {}
  const start = clock.now()
  let last = start
  return {
    laps,
    lap(stage) {
      const now = clock.now()
      laps[stage] = (laps[stage] ?? 0) + now - last
      last = now
    },
    total: () => clock.now() - start,
  }
}
