import { isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
import type { EventSink } from '../../domain/events.ts'
import type { SweepOptions, SweepPass, SweepReason } from '../../domain/sweep.ts'
import { recordSweepPass, sweepRootsOf } from '../../store/queries/sweep.ts'
import type { IndexDeps } from '../index/index-folder.ts'
import type { IndexRequest } from '../index/index-options.ts'
import { type FolderToSweep, folderToSweep } from './check-folder.ts'
import { type Claim, type ClaimDeps, claimFolder } from './claim.ts'
import { lookAround, type Seen } from './look-around.ts'
import { createPatience, type Patience } from './patience.ts'
import { labelsHash, readSweepOptions } from './sweep-options.ts'
import { createSweepTally } from './sweep-tally.ts'

export interface SweepDeps extends IndexDeps, ClaimDeps {
  readonly dataDir: string | null
  readonly home: string
}

/** How a pass is made. */
export interface PassManner {
  readonly reason: SweepReason
  /** Look through the documents too, for those that came from the folder without having been swept. */
  readonly whole: boolean
  /** A file is deleted when it was marked so many milliseconds ago. */
  readonly graceMs: number
  /** A file that was changed within so many milliseconds is left for the next pass. */
  readonly settleMs: number
  /** Until it was left for too long. */
  readonly patience: Patience
  readonly stableInodes: boolean
}

const BY_CALL: PassManner = {
  ...{ reason: 'call', whole: true, graceMs: 0, settleMs: 0, stableInodes: true },
  patience: createPatience(0),
}

/**
 * One look at a folder, after which its documents are in step with its files: new and changed ones are retained, those that have another
 * path get another source, those that are gone are marked, and deleted when the next look does not find them either. What has the size,
 * time and inode that it had is not read. What is committed stays when the call is cancelled or killed; the next one goes on from there.
 *
 * @throws ProlepsisError INVALID_ARGUMENT for what may not be swept, NOT_FOUND, UNREADABLE_FILE, FOLDER_BUSY, UNKNOWN_OPTION, CANCELLED, STORE_…
 */
export async function sweepFolder(
  deps: SweepDeps,
  path: string,
  options: SweepOptions = {},
): Promise<SweepPass> {
  const request = readSweepOptions(path, options, deps.maxFileBytes)
  const folder = await knownFolder(deps, path, request)
  const claim = await claimFolder(deps, folder.root, request.sourcePrefix)
  try {
    const { pass } = await sweepOnce(deps, claim, request, BY_CALL)
    if (pass.away !== null) warnAway(deps.events, pass)
    return pass
  } finally {
    await claim.release()
  }
}

export function warnAway(events: EventSink, { root, away }: SweepPass): void {
  events.emit({ type: 'warning', code: 'SWEEP_AWAY', message: `${root}: ${away}` })
}

/** A folder that is not there must have been swept before. @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT, UNREADABLE_FILE */
export async function knownFolder(
  deps: SweepDeps,
  path: string,
  { sourcePrefix }: IndexRequest,
): Promise<FolderToSweep> {
  const folder = await folderToSweep(path, sourcePrefix, deps)
  const { database, bankId } = deps.store
  if (folder.isThere) return folder
  const known = await sweepRootsOf(database, bankId, folder.root)
  if (known.some((one) => one.sourcePrefix === sourcePrefix)) return folder
  throw new ProlepsisError('NOT_FOUND', `There is no folder ${path}.`, {
    hint: 'Check the path.',
    details: { path },
  })
}

/** A pass by who holds the folder. What came of it, or what ended it, is recorded. */
export async function sweepOnce(
  deps: SweepDeps,
  claim: Claim,
  request: IndexRequest,
  manner: PassManner,
): Promise<{ readonly pass: SweepPass; readonly seen: Seen }> {
  const startedAt = performance.now()
  const at = new Date(deps.clock.now())
  const traceId = deps.ids.next()
  const { root } = claim.root
  const { database, bankId, bank } = deps.store
  const tally = createSweepTally(request)
  const note = async (
    error: ProlepsisError | null,
    seen: { device: string | null; labels: string | null },
  ) => {
    const tookMs = performance.now() - startedAt
    const of = { root, reason: manner.reason, traceId, tookMs }
    const pass = tally.pass({
      ...of,
      error: error === null ? null : { code: error.code, message: error.message },
    })
    const { moved, deleted, failed, created, updated, files } = pass
    deps.trace.record(deps.store, {
      ...{ type: 'sweep', traceId, at, durationMs: tookMs, errorCode: error?.code ?? null },
      ...{ root, seen: files, created, updated, moved: moved.length, deleted: deleted.length },
      failed: failed.map(({ path, code }) => ({ path, code })),
    })
    deps.events.emit({
      ...{ type: 'sweep-end', bank, root, created, updated, moved: moved.length, deleted: deleted.length },
      ...{ failed: failed.length, error: error?.code ?? null, durationMs: tookMs },
    })
    const lastError = error?.message ?? pass.away
    await recordSweepPass(database, bankId, claim.root.rootId, { at, error: lastError, ...seen })
    return pass
  }
  try {
    // every text of the pass has its trace id
    const joined: SweepDeps = { ...deps, ids: { next: () => traceId } }
    const seen = await lookAround(joined, claim, request, manner, tally)
    // noted when all of them were given it
    const labels = tally.away === null && !tally.hasPutOff ? labelsHash(request) : null
    return { pass: await note(null, { device: seen.device, labels }), seen }
  } catch (error) {
    const known = isProlepsisError(error)
      ? error
      : new ProlepsisError('STORE_FAILED', error instanceof Error ? error.message : String(error), {
          cause: error,
        })
    // what ended the pass is what is told, also when it cannot be written down
    await note(known, { device: null, labels: null }).catch(() => undefined)
    throw error
  }
}
