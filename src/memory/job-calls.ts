import { ProlepsisError } from '../domain/errors.ts'
import { JOB_KINDS, JOB_STATES, type Job } from '../domain/jobs.ts'
import { checkFlag, checkKeys, checkText, checkWhole } from '../maintain/check-options.ts'
import type { JobSelector, Jobs } from '../memory-api.ts'
import { findBank, listBanks } from '../store/queries/banks.ts'
import {
  cancelJobs,
  countJobs,
  type JobSelector as JobRows,
  jobsByIds,
  listJobs,
  retryJobs,
  unfinishedJobs,
} from '../store/queries/jobs.ts'
import { openForJobs } from './background-jobs.ts'
import { runJobs } from './run-jobs.ts'
import { assertWritable, callOn, makeUnnamed, type Scope } from './scope.ts'

const SELECTOR = ['state', 'kind', 'source', 'sourcePrefix'] as const

/** The calls on a bank's jobs. */
export function jobCalls(scope: Scope): Jobs {
  const { engine, opener } = scope
  /** Of one job by id, or of those that a selector names. */
  const change = async (
    which: number | JobSelector,
    call: string,
    work: typeof retryJobs,
  ): Promise<number> => {
    const rows = typeof which === 'number' ? { jobId: checkId(which) } : selectorOf(which, call)
    return callOn(scope, 'change', async ({ store }) => {
      const { database, bankId } = store
      if (rows.jobId !== undefined && (await jobsByIds(database, bankId, [rows.jobId])).length === 0)
        throw notFound(rows.jobId)
      return (await work(database, bankId, rows, new Date(engine.clock.now()))).length
    })
  }
  return {
    async list(options = {}) {
      checkKeys(options, [...SELECTOR, 'limit', 'before'], 'jobs.list')
      const { limit, before, ...selector } = options
      const rows = {
        ...selectorOf(selector, 'jobs.list'),
        limit: checkWhole(limit, 'limit', { least: 1, most: 10_000, default: 100 }),
        before: before === undefined ? undefined : checkId(before, 'before'),
      }
      return callOn(scope, 'read', ({ store }) => listJobs(store.database, store.bankId, rows))
    },
    async get(jobId) {
      checkId(jobId)
      const found = await callOn(scope, 'read', ({ store }) =>
        jobsByIds(store.database, store.bankId, [jobId]),
      )
      return found[0] ?? null
    },
    counts: () => callOn(scope, 'read', ({ store }) => countJobs(store.database, store.bankId)),
    async retry(which) {
      const count = await change(which, 'jobs.retry', retryJobs)
      engine.jobs.wake()
      return count
    },
    cancel: (which) => change(which, 'jobs.cancel', cancelJobs),
    async wait(options = {}) {
      checkKeys(options, ['source', 'sourcePrefix', 'documentIds', 'signal', 'onProgress'], 'jobs.wait')
      const { documentIds, source, sourcePrefix } = options
      for (const id of documentIds ?? []) checkId(id, 'documentIds')
      const rows = { ...selectorOf(given({ source, sourcePrefix }), 'jobs.wait'), documentIds }
      const { store, ids } = await callOn(scope, 'read', async ({ store: opened }) => ({
        store: opened,
        ids: await unfinishedJobs(opened.database, opened.bankId, rows),
      }))
      engine.jobs.wake()
      return engine.jobs.wait(store, ids, options)
    },
    async run(options = {}) {
      checkKeys(options, ['until', 'allBanks', 'concurrency', 'signal', 'onProgress'], 'jobs.run')
      const { until } = options
      if (until !== undefined && until !== 'now' && until !== 'idle') {
        throw new ProlepsisError('INVALID_ARGUMENT', "until must be 'now' or 'idle'.", {
          hint: "'now' does what is due, 'idle' ends when no job is left in line; leave it out to go on until the signal fires.",
          details: { option: 'until' },
        })
      }
      const most = engine.resolved.settings.modelConcurrency
      const concurrency = checkWhole(options.concurrency, 'concurrency', {
        least: 1,
        most: 256,
        default: most,
      })
      const allBanks = checkFlag(options.allBanks, 'allBanks')
      assertWritable(engine)
      if (!allBanks) await makeUnnamed(scope)
      if (!allBanks && (await findBank(engine.database, scope.name)) === null) {
        // the error that every call on a missing bank raises
        await callOn(scope, 'read', async () => undefined)
      }
      const names = async (): Promise<readonly string[]> =>
        allBanks ? (await listBanks(engine.database)).map((bank) => bank.name) : [scope.name]
      const banks = async () => {
        const stores = []
        for (const name of await names()) {
          const store = await openForJobs(opener, name)
          if (store !== null) stores.push(store)
        }
        return stores
      }
      return runJobs(engine, { ...options, banks, concurrency })
    },
  }
}

/** Leaves out what was not given. */
function given<T extends object>(values: T): Partial<T> {
  // the filter removes undefined members alone
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

function selectorOf(selector: JobSelector, call: string): JobRows {
  checkKeys(selector, SELECTOR, call)
  const { state, kind, source, sourcePrefix } = selector
  return {
    state: state === undefined ? undefined : oneOf(state, JOB_STATES, 'state'),
    kind: kind === undefined ? undefined : oneOf(kind, JOB_KINDS, 'kind'),
    source: source === undefined ? undefined : checkText(source, 'source'),
    sourcePrefix: sourcePrefix === undefined ? undefined : checkText(sourcePrefix, 'sourcePrefix'),
  }
}

function oneOf<T extends string>(value: unknown, known: readonly T[], option: string): T {
  const found = known.find((one) => one === value)
  if (found !== undefined) return found
  throw new ProlepsisError('INVALID_ARGUMENT', `${option} must be one of ${known.join(', ')}.`, {
    hint: `Leave it out for every ${option}.`,
    details: { option },
  })
}

function checkId(value: unknown, option = 'jobId'): Job['jobId'] {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new ProlepsisError('INVALID_ARGUMENT', `${option} must be the number of a job.`, {
    hint: 'prolepsis jobs list (jobs.list()) shows the numbers.',
    details: { option },
  })
}

function notFound(jobId: number): ProlepsisError {
  return new ProlepsisError('NOT_FOUND', `There is no job ${jobId}.`, {
    hint: 'prolepsis jobs list (jobs.list()) shows those that there are; jobs go with their document.',
    details: { jobId },
  })
}
