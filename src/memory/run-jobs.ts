import { ProlepsisError } from '../domain/errors.ts'
import { pause } from '../domain/pause.ts'
import type { JobRunProgress, JobRunResult } from '../memory-api.ts'
import type { BankStore } from '../store/bank-store.ts'
import { embeddingLine } from '../store/queries/embed-jobs.ts'
import { unfinishedJobs } from '../store/queries/jobs.ts'
import { shadowSpace } from '../store/queries/spaces.ts'
import { spacesAtHand, spacesInReach } from './embed-jobs.ts'
import type { Engine } from './engine.ts'

/** Jobs of other processes, and those whose pause has passed, are found this long after. */
const POLL_MS = 2_000

export interface RunJobsOptions {
  readonly banks: () => Promise<readonly BankStore[]>
  readonly concurrency: number
  readonly until?: 'now' | 'idle'
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobRunProgress) => void
}

/** Works on banks' jobs in the foreground. What runs when the signal fires is put back in line. */
export async function runJobs(engine: Engine, options: RunJobsOptions): Promise<JobRunResult> {
  const { banks, concurrency, until, signal, onProgress } = options
  const counts = { done: 0, failed: 0, dead: 0, cancelled: 0 }
  const worker = engine.jobs.worker({
    banks,
    concurrency,
    // who works for others takes the trouble to load their model
    spaces: (store) => spacesInReach(engine, store),
    onEnd: ({ store, job }, outcome) => {
      if (outcome === 'lost' || outcome === 'released') return
      counts[outcome === 'waiting' ? 'failed' : outcome]++
      const { jobId, kind, source } = job
      const state = outcome
      onProgress?.({ ...counts, running: worker.running(), bank: store.bank, jobId, kind, source, state })
    },
  })
  if (!engine.model.isConfigured && !(await isAnyMoved(banks))) {
    throw new ProlepsisError(
      'MODEL_NOT_CONFIGURED',
      'This memory can do no jobs: it has no language model.',
      {
        hint: 'Name one with the setting model (PROLEPSIS_MODEL), then run this again.',
      },
    )
  }
  const isAnyLeft = async (): Promise<boolean> => {
    for (const store of await banks()) {
      const { database, bankId } = store
      const { isConfigured } = engine.model
      if (isConfigured && (await unfinishedJobs(database, bankId, { kind: 'enrich' })).length > 0) return true
      const line = await embeddingLine(database, bankId, await spacesAtHand(engine, store))
      if (line.waiting + line.running > 0) return true
    }
    return false
  }
  const isOver = (): boolean => signal?.aborted === true || worker.isStopped()
  try {
    while (!isOver()) {
      await worker.untilIdle(signal)
      if (isOver()) break
      if (until === 'now' || (until === 'idle' && !(await isAnyLeft()))) break
      await pause(POLL_MS, signal)
    }
  } finally {
    await worker.stop()
  }
  return counts
}

/** Whether one of the banks is being moved to another embedding model: then there may be something to do without a language model. */
async function isAnyMoved(banks: RunJobsOptions['banks']): Promise<boolean> {
  for (const { database, bankId } of await banks()) {
    if ((await shadowSpace(database, bankId)) !== null) return true
  }
  return false
}
