import { ProlepsisError } from '../domain/errors.ts'
import type { Enrichment, JobProgress, QueuedJob } from '../domain/jobs.ts'
import type { WaitOptions } from '../jobs/wait.ts'
import type { RetainDeps } from '../retain/retain-deps.ts'
import type { BankStore } from '../store/bank-store.ts'
import { unfinishedJobs } from '../store/queries/jobs.ts'
import { repeatable } from '../store/repeat.ts'
import type { Scope } from './scope.ts'

/** What a call that writes texts gathers, so that it can wait for their jobs. */
export interface Gathered {
  readonly jobs: QueuedJob[]
  readonly documentIds: number[]
  store: BankStore | null
}

export function gather(): Gathered {
  return { jobs: [], documentIds: [], store: null }
}

/** The same, and what is put in line is gathered too. */
export function gathering<Deps extends RetainDeps>(deps: Deps, gathered: Gathered): Deps {
  gathered.store = deps.store
  const { enrichment, renewed } = deps
  if (enrichment === null) return deps
  return {
    ...deps,
    ...(renewed === undefined ? {} : { renewed: async () => gathering(await renewed(), gathered) }),
    enrichment: {
      ...enrichment,
      queued: (store, jobs) => {
        for (const job of jobs) gathered.jobs.push(job)
        enrichment.queued(store, jobs)
      },
    },
  }
}

/** Waits for the jobs of what was gathered, and for those that texts which were there already have in line. */
export async function awaitEnriched(
  { engine }: Scope,
  { store, jobs, documentIds }: Gathered,
  options: WaitOptions,
): Promise<Enrichment> {
  if (store === null) throw new ProlepsisError('CLOSED', 'The memory was closed before anything was written.')
  const ids = new Set(jobs.map((job) => job.jobId))
  const selector = { kind: 'enrich', documentIds } as const
  const inLine = await repeatable(store.database, (db) => unfinishedJobs(db, store.bankId, selector))
  for (const jobId of inLine) ids.add(jobId)
  engine.jobs.wake()
  return engine.jobs.wait(
    store,
    [...ids].sort((a, b) => a - b),
    options,
  )
}

/** Whether, and how, a call waits for its jobs. @throws ProlepsisError INVALID_ARGUMENT */
export function readAwait(
  options: unknown,
  progress: 'onProgress' | 'onJobProgress',
): { readonly waits: boolean; readonly onProgress: ((progress: JobProgress) => void) | undefined } {
  // what is no object is refused by who reads the other options
  const { await: until, [progress]: listener }: Readonly<Record<string, unknown>> = Object(options)
  if (until !== undefined && until !== 'enriched')
    throw invalid('await', "must be 'enriched'", 'Leave it out to go on when the text is committed.')
  if (listener !== undefined && typeof listener !== 'function')
    throw invalid(progress, 'must be a function', 'It is called with { done, total, source, state }.')
  // a function, as checked: what it takes is the caller's word
  return {
    waits: until === 'enriched',
    onProgress: listener as ((progress: JobProgress) => void) | undefined,
  }
}

function invalid(option: string, reason: string, hint: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `${option} ${reason}.`, { hint, details: { option } })
}
