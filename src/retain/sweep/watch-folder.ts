import { isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
import type { EventSink } from '../../domain/events.ts'
import type { Sweeper, SweepPass, SweepReason, SweepWatchOptions } from '../../domain/sweep.ts'
import type { IndexRequest } from '../index/index-options.ts'
import { type Claim, claimFolder } from './claim.ts'
import { createFolderEvents, type FolderEvents } from './folder-events.ts'
import { isOnNetworkMount } from './network-mounts.ts'
import { createPassQueue } from './pass-queue.ts'
import { createPatience } from './patience.ts'
import { knownFolder, type PassManner, type SweepDeps, sweepOnce, warnAway } from './sweep-folder.ts'
import { readWatchOptions } from './sweep-options.ts'
import { createSweepTally } from './sweep-tally.ts'
import { createWake } from './wake.ts'

export interface WatchDeps {
  /** Runs a pass as a call of its own, on the bank as it is then. */
  readonly run: <T>(work: (deps: SweepDeps) => Promise<T>) => Promise<T>
  readonly events: EventSink
  /** After a pass, as part of its call. */
  readonly followUp: (deps: SweepDeps, pass: SweepPass, signal: AbortSignal | undefined) => Promise<void>
  readonly onEnd: () => void
  /** Files and folders that are watched at most; past that it is polled. @default 50,000 */
  readonly mostWatched?: number
  /** A file that is written all the time is read after so many milliseconds all the same. @default 30,000 */
  readonly putOffMs?: number
}

/** Nobody tells of changes there. */
const NETWORK_POLL_MS = 30_000
/** A file that was written a moment ago is left until its writer is done. */
const SETTLE_MS = 200
const PUT_OFF_MS = 30_000
/** A file that is gone is looked for again after so long: an editor may be about to put another in its place. */
const GRACE_MS = 2000
const AGAIN_MS = GRACE_MS + 100
/** Tried again only when the file has changed. */
const OF_CONTENT: ReadonlySet<string> = new Set(['INVALID_TEXT', 'INVALID_ARGUMENT'])
/** After an error, or while the folder is not there. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Each takes memory here and in the system. */
const MOST_WATCHED = 50_000

/**
 * Keeps a folder in step until it is stopped: a pass at the start, after changes, and from time to time. A pass that fails is told of and
 * repeated, after a pause that grows; a folder that goes away is waited for.
 *
 * @throws ProlepsisError as sweepFolder, for what is wrong from the start
 */
export async function watchFolder(
  { run, events, followUp, onEnd, mostWatched = MOST_WATCHED, putOffMs = PUT_OFF_MS }: WatchDeps,
  path: string,
  options: SweepWatchOptions = {},
): Promise<Sweeper> {
  const stopping = new AbortController()
  const wake = createWake()
  const queue = createPassQueue()
  const patience = createPatience(putOffMs)
  const { request, claim } = await run(async (deps) => {
    const read = readWatchOptions(path, options, deps.maxFileBytes)
    const folder = await knownFolder(deps, path, read.index)
    return { request: read, claim: await claimFolder(deps, folder.root, read.index.sourcePrefix) }
  })
  const { root } = claim.root
  const isFar = await isOnNetworkMount(root)
  const given = request.index.signal
  const index: IndexRequest = {
    ...request.index,
    signal: given === undefined ? stopping.signal : AbortSignal.any([stopping.signal, given]),
  }
  let pollMs = request.pollMs ?? (isFar ? NETWORK_POLL_MS : null)
  let following: FolderEvents | null = null

  const poll = async (why: string): Promise<void> => {
    if (pollMs !== null) return
    pollMs = NETWORK_POLL_MS
    const message = `${root} is looked at every ${pollMs / 1000} s: ${why}.`
    events.emit({ type: 'warning', code: 'SWEEP_POLLING', message })
    await unfollow()
  }
  const unfollow = async (): Promise<void> => {
    const open = following
    following = null
    await open?.close()
  }
  const follow = async (folders: readonly string[], files: number): Promise<void> => {
    if (pollMs !== null) return
    if (files + folders.length > mostWatched) return poll(`it has more than ${mostWatched} files and folders`)
    following ??= await createFolderEvents({
      root,
      onChange: wake.note,
      onExhausted: (code) => void poll(`the system cannot watch so many files (${code})`),
    })
    await following.follow(folders)
  }

  const manner = (reason: SweepReason, whole: boolean): PassManner => ({
    ...{ reason, whole, stableInodes: !isFar, graceMs: GRACE_MS, settleMs: SETTLE_MS, patience },
  })
  const attempt = async (
    reason: SweepReason,
    whole: boolean,
  ): Promise<{ readonly pass: SweepPass; readonly unsettled: boolean } | null> => {
    try {
      const { pass, seen } = await run(async (deps) => {
        const looked = await sweepOnce(deps, claim, index, manner(reason, whole))
        await followUp(deps, looked.pass, index.signal)
        return looked
      })
      if (pass.away === null) await follow(seen.folders, pass.files)
      else await unfollow()
      return { pass, unsettled: seen.unsettled }
    } catch (error) {
      if (index.signal?.aborted || (isProlepsisError(error) && error.code === 'CLOSED')) return null
      const { code, message } = asKnown(error)
      const of = { root, reason, error: { code, message }, traceId: null, tookMs: 0 }
      const pass = createSweepTally(index).pass(of)
      return { pass, unsettled: false }
    }
  }
  const loop = async (): Promise<void> => {
    let reason: SweepReason = 'start'
    let failures = 0
    let told: string | null = null
    let stumbles = 0
    let wholeDueAt = Number.NEGATIVE_INFINITY
    while (!index.signal?.aborted) {
      wake.clear()
      const isWhole = performance.now() >= wholeDueAt
      const looked = await attempt(reason, isWhole)
      if (looked === null) return
      queue.push(looked.pass)
      const { error, away } = looked.pass
      const trouble = error?.message ?? away
      // once, however often it is tried
      if (error !== null && error.message !== told)
        events.emit({ type: 'warning', code: 'SWEEP_FAILED', message: `${root}: ${error.message}` })
      else if (away !== null && away !== told) warnAway(events, looked.pass)
      told = trouble
      const failed = trouble !== null
      failures = failed ? failures + 1 : 0
      // a model that was out of order, a file that may be readable by then
      const stumbled = looked.pass.failed.some(({ code }) => !OF_CONTENT.has(code))
      stumbles = stumbled ? stumbles + 1 : 0
      if (isWhole && !failed) wholeDueAt = performance.now() + request.intervalMs
      const pause = failed
        ? Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
        : Math.min(
            wholeDueAt - performance.now(),
            ...(pollMs === null ? [] : [pollMs]),
            ...(looked.unsettled ? [AGAIN_MS] : []),
            ...(stumbled ? [AGAIN_MS * 2 ** (stumbles - 1)] : []),
          )
      const woken = await wake.wait(pause, !failed)
      if (woken === 'stop') return
      if (woken === 'change') reason = 'change'
      else if (failed) reason = 'again'
      else if (performance.now() >= wholeDueAt) reason = 'interval'
      else reason = pollMs === null ? 'again' : 'poll'
    }
  }

  const onAbort = (): void => void stop()
  const running = loop()
    .catch((error: unknown) => {
      // nothing of the loop may throw; what does all the same is told
      events.emit({ type: 'warning', code: 'SWEEP_FAILED', message: `${root}: ${asKnown(error).message}` })
    })
    .finally(() => queue.end())
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= end()
    return stopped
  }
  const end = async (): Promise<void> => {
    given?.removeEventListener('abort', onAbort)
    stopping.abort()
    wake.stop()
    // what waits for it to be ready waits no more
    await unfollow()
    await running
    await unfollow()
    await release(claim, events)
    onEnd()
  }
  given?.addEventListener('abort', onAbort, { once: true })
  if (given?.aborted) onAbort()
  return {
    root,
    get by() {
      return pollMs === null ? 'events' : 'polling'
    },
    passes: queue.passes,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** A claim that cannot be given up runs out by itself. */
async function release(claim: Claim, events: EventSink): Promise<void> {
  await claim.release().catch((error: unknown) => {
    const message = `${claim.root.root} could not be given up: ${asKnown(error).message}`
    events.emit({ type: 'warning', code: 'SWEEP_FAILED', message })
  })
}

function asKnown(error: unknown): ProlepsisError {
  if (isProlepsisError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ProlepsisError('STORE_FAILED', message, { cause: error })
}
