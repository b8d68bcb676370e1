import { ProlepsisError } from '../../domain/errors.ts'
import type { Clock } from '../../domain/ports.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { claimSweepRoot, releaseSweepRoot, type SweepRoot, sweepRootsOf } from '../../store/queries/sweep.ts'

/** A claim that is not renewed runs out: its holder has died, or its machine sleeps. */
const CLAIM_MS = 60_000
const RENEW_MS = 20_000

export interface ClaimDeps {
  readonly store: BankStore
  readonly clock: Clock
  /** Names this sweeper among all others: process and machine first, for people. */
  readonly holder: string
  /** Whether a holder is a process of this machine that has ended. */
  readonly isGone: (holder: string) => boolean
}

/** A folder that is ours to sweep. It is renewed as time passes, until it is released. */
export interface Claim {
  /** As it was when it was claimed, or taken the last time. */
  readonly root: SweepRoot
  /** Renews it, or takes it anew after it ran out, and reads what is known of the folder. @throws ProlepsisError FOLDER_BUSY */
  take(): Promise<SweepRoot>
  /** The same when it is time. @throws ProlepsisError FOLDER_BUSY when another sweeper has it */
  hold(): Promise<void>
  release(): Promise<void>
}

/** @throws ProlepsisError FOLDER_BUSY */
export async function claimFolder(deps: ClaimDeps, folder: string, sourcePrefix: string): Promise<Claim> {
  const { database, bankId } = deps.store
  let root = await takeRoot(deps, folder, sourcePrefix)
  let renewedAt = performance.now()
  const take = async (): Promise<SweepRoot> => {
    root = await takeRoot(deps, folder, sourcePrefix)
    renewedAt = performance.now()
    return root
  }
  // a batch may take longer than a claim lasts; what fails here is seen by hold()
  const timer = setInterval(() => void take().catch(() => undefined), RENEW_MS)
  timer.unref()
  return {
    get root() {
      return root
    },
    take,
    async hold() {
      if (performance.now() - renewedAt > RENEW_MS / 2) await take()
    },
    async release() {
      clearInterval(timer)
      await releaseSweepRoot(database, bankId, root.rootId, deps.holder)
    },
  }
}

async function takeRoot(deps: ClaimDeps, root: string, sourcePrefix: string): Promise<SweepRoot> {
  const { database, bankId } = deps.store
  const { holder } = deps
  const claim = (instead?: string): Promise<SweepRoot | null> => {
    const now = deps.clock.now()
    const until = new Date(now + CLAIM_MS)
    return claimSweepRoot(database, bankId, {
      root,
      sourcePrefix,
      holder,
      now: new Date(now),
      until,
      instead,
    })
  }
  const taken = await claim()
  if (taken !== null) return taken
  const known = await sweepRootsOf(database, bankId, root)
  const other = known.find((one) => one.sourcePrefix === sourcePrefix)
  // it was given up since, or its process has ended without doing so
  const instead = other?.holder ?? undefined
  const again = instead === undefined || deps.isGone(instead) ? await claim(instead) : null
  if (again !== null) return again
  const until = other?.heldUntil?.toISOString() ?? 'soon'
  throw new ProlepsisError(
    'FOLDER_BUSY',
    `Another sweeper holds ${root}: ${instead ?? 'unknown'}, until ${until}.`,
    {
      hint: 'End it, or wait: a sweeper that has died loses the folder at that time.',
      retryable: false,
      details: { path: root, holder: instead ?? null, until },
    },
  )
}
