import { type Attempting, type AttemptOptions, type AttemptWorld, underLimits } from './attempts.ts'

/** One result of a model that is no language model, under the same policy: its turn, its attempts and pauses, its time, its end by the signal. */
export function withinLimits<T>(
  world: AttemptWorld,
  options: AttemptOptions,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return underLimits(world, options, async (attempting) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inTurn(attempting, ask)
      } catch (thrown) {
        const error = attempting.errorOf(thrown)
        if (!(await attempting.pauseAfter(error, attempt))) throw error
      }
    }
  })
}

async function inTurn<T>(attempting: Attempting, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leave = await attempting.enter()
  try {
    return await attempting.race(ask(attempting.signal))
  } finally {
    leave()
  }
}
