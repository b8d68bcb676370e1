import { setTimeout as pause } from 'node:timers/promises'
import { throwIfAborted } from '../../domain/errors.ts'
import type { TraceEvent, TraceType } from '../../observability/trace.ts'
import { checkKeys, checkText, checkWhole } from '../check-options.ts'
import { checkTypes } from './read-trace.ts'

export interface FollowOptions {
  /** @default all */
  readonly types?: readonly TraceType[]
  /** Id of an event: those after it come first. @default the newest there is */
  readonly after?: string
  /** Pause between two looks, 10 to 3,600,000 ms. @default 1000 */
  readonly pollMs?: number
  /** Ends it with CANCELLED. */
  readonly signal?: AbortSignal
}

/** Events after an id, the first of them; with null the last ones. */
export type ReadTail = (request: {
  readonly types: readonly TraceType[]
  readonly after: string | null
  readonly limit: number
}) => Promise<readonly TraceEvent[]>

/** An event gets its id when it is noted and its row a moment later: events of several processes may come out of their order by so much. */
const LATE_MS = 10_000
const PAGE = 500

/**
 * Every event from now on, of all processes that work on the bank, until the signal ends it or the caller leaves.
 *
 * @throws ProlepsisError UNKNOWN_OPTION, INVALID_ARGUMENT; CANCELLED by the signal; CLOSED when the memory was closed
 */
export async function* followTrace(
  read: ReadTail,
  options: FollowOptions = {},
): AsyncGenerator<TraceEvent, void, undefined> {
  checkKeys(options, ['types', 'after', 'pollMs', 'signal'], 'events.follow')
  const types = checkTypes(options.types)
  const pollMs = checkWhole(options.pollMs, 'pollMs', { least: 10, most: 3_600_000, default: 1_000 })
  const { signal } = options
  throwIfAborted(signal)
  const given = options.after === undefined ? undefined : checkText(options.after, 'after')
  let last = given ?? (await read({ types, after: null, limit: 1 })).at(0)?.eventId
  let seen: ReadonlySet<string> = new Set()
  const look = async (): Promise<TraceEvent[]> => {
    const from = last === undefined ? '' : someTimeBefore(last)
    const found: TraceEvent[] = []
    for (let after = from; ; ) {
      const page = await read({ types, after, limit: PAGE })
      found.push(...page)
      const end = page.at(-1)
      if (end === undefined || page.length < PAGE) break
      after = end.eventId
    }
    const fresh = found.filter((event) => !seen.has(event.eventId))
    last = found.at(-1)?.eventId ?? last
    const since = last === undefined ? '' : someTimeBefore(last)
    seen = new Set(found.map((event) => event.eventId).filter((id) => id > since))
    return fresh
  }
  // what is there already is not told; without any event there is no id to begin at, and all are new
  if (last !== undefined) {
    const begin = last
    const found = await look()
    if (given !== undefined) yield* found.filter((event) => event.eventId > begin)
  }
  for (;;) {
    await pause(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => throwIfAborted(signal))
    for (const event of await look()) {
      // also between the events of one look
      throwIfAborted(signal)
      yield event
    }
    throwIfAborted(signal)
  }
}

/** The id that an event noted so much earlier would have at least, where ids tell their time (UUID version 7); else the id itself. */
function someTimeBefore(id: string): string {
  const match = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id)
  if (match === null) return id
  const ms = Math.max(0, Number.parseInt(`${match[1]}${match[2]}`, 16) - LATE_MS)
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
