/** The world, passed in: everything that is not a pure function of its input. */

/** Milliseconds since the epoch, UTC. */
export interface Clock {
  now(): number
}

/** Makes identifiers that sort by time (UUID version 7 by default). */
export interface IdGenerator {
  next(): string
}

export const systemClock: Clock = { now: () => Date.now() }
