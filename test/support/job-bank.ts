import type { EngineEvent } from '../../src/domain/events.ts'
import type { Job } from '../../src/domain/jobs.ts'
import type { JobHandlers } from '../../src/jobs/job-handler.ts'
import { createWorker, type Worker, type WorkerOptions } from '../../src/jobs/worker.ts'
import type { JobTrace, TraceRecord } from '../../src/observability/trace.ts'
import type { Database } from '../../src/store/database.ts'
import { jobsByIds, listJobs } from '../../src/store/queries/jobs.ts'
import { openTestBank, type TestBank } from './recall-bank.ts'

/** A bank whose texts are put in line, with a clock that stands until it is set. */
export interface JobBank {
  readonly bank: TestBank
  readonly events: EngineEvent[]
  readonly traces: JobTrace[]
  /** Milliseconds since the epoch. */
  now: number
  /** Retains a text of one chunk; gives the id of its job. */
  retain(source: string, text?: string): Promise<number>
  worker(handlers: JobHandlers, options?: Partial<WorkerOptions>): Worker
  job(jobId: number): Promise<Job>
  jobs(): Promise<readonly Job[]>
}

let banks = 0

export async function openJobBank(database: Database): Promise<JobBank> {
  const queued: number[] = []
  const enrichment = {
    byDefault: true,
    queued: (_store: unknown, jobs: readonly { readonly jobId: number }[]) =>
      queued.push(...jobs.map((job) => job.jobId)),
  }
  const bank = await openTestBank({ database, name: `jobs-${++banks}`, enrichment })
  const events: EngineEvent[] = []
  const traces: JobTrace[] = []
  let workers = 0
  let ids = 0
  const opened: JobBank = {
    bank,
    events,
    traces,
    now: Date.UTC(2024, 0, 1),
    async retain(source, text = `Text of ${source}.`) {
      bank.setTime(opened.now)
      await bank.retain(text, { source })
      return queued.at(-1)!
    },
    worker: (handlers, options = {}) =>
      createWorker({
        banks: async () => [bank.store],
        handlers,
        workerId: `worker-${++workers}`,
        concurrency: 4,
        clock: { now: () => opened.now },
        random: () => 0.5,
        ids: { next: () => `trace-${++ids}` },
        events: { emit: (event) => void events.push(event) },
        trace: {
          record: (_bank, record: TraceRecord) => {
            if (record.type === 'job') traces.push(record)
          },
        },
        ...options,
      }),
    async job(jobId) {
      const [job] = await jobsByIds(database, bank.store.bankId, [jobId])
      if (job === undefined) throw new Error(`job ${jobId} is gone`)
      return job
    },
    jobs: () => listJobs(database, bank.store.bankId, { limit: 10_000 }),
  }
  return opened
}
