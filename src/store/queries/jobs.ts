import type { Job, JobKind, JobSpending, JobState, NewJob } from '../../domain/jobs.ts'
import { JOB_STATES } from '../../domain/jobs.ts'
import type { Queryable } from '../database.ts'
import { createParameters, type Parameters } from './parameters.ts'

/** Enough for two days of pauses: a provider that is down over a weekend's night costs no job. */
const MAX_ATTEMPTS = 50

/** Columns of `jobs j`; the bank is `$1`. */
export const JOB_COLUMNS: string = `j.job_id as "jobId", j.kind, j.document_id as "documentId", j.state, j.payload, j.attempts,
  j.max_attempts as "maxAttempts", j.run_after as "runAfter", j.lease_until as "leaseUntil", j.worker, j.error_code as "errorCode",
  j.error, j.created_at as "createdAt", j.finished_at as "finishedAt", j.trace_id as "traceId", j.calls,
  j.input_tokens as "inputTokens", j.output_tokens as "outputTokens", j.cost_usd as "costUsd", j.result,
  (select d.source from documents d where d.bank_id = $1 and d.document_id = j.document_id) as source`

export type JobRow = Omit<Job, 'kind' | 'state' | 'spent'> &
  JobSpending & { readonly kind: string; readonly state: string }

export function jobFromRow(row: JobRow): Job {
  const { calls, inputTokens, outputTokens, costUsd, ...job } = row
  return {
    ...job,
    kind: job.kind as JobKind, // written by enqueueJobs only
    state: job.state as JobState, // the table's check constraint
    spent: { calls, inputTokens, outputTokens, costUsd },
  }
}

/** Puts jobs in line, in their order. Run it in the transaction that writes what they work on. Resolves to their ids. */
export async function enqueueJobs(
  tx: Queryable,
  bankId: number,
  jobs: readonly NewJob[],
  now: Date,
): Promise<number[]> {
  if (jobs.length === 0) return []
  const rows = await tx.query<{ jobId: number }>(
    `insert into jobs (bank_id, job_id, kind, document_id, state, payload, max_attempts, run_after, created_at, trace_id)
     select $1, nextval('job_ids'), t.kind, t.document_id, 'waiting', t.payload::jsonb, t.max_attempts, $2, $2, t.trace_id
     from unnest($3::text[], $4::bigint[], $5::text[], $6::smallint[], $7::text[])
       with ordinality as t(kind, document_id, payload, max_attempts, trace_id, place) order by t.place
     returning job_id as "jobId"`,
    [
      bankId,
      now,
      jobs.map((job) => job.kind),
      jobs.map((job) => job.documentId),
      jobs.map((job) => JSON.stringify(job.payload ?? {})),
      jobs.map((job) => job.maxAttempts ?? MAX_ATTEMPTS),
      jobs.map((job) => job.traceId ?? null),
    ],
  )
  return rows.map((row) => row.jobId).sort((a, b) => a - b)
}

/** Which jobs; what is absent narrows nothing. */
export interface JobSelector {
  readonly jobId?: number | undefined
  readonly state?: JobState | undefined
  readonly kind?: JobKind | undefined
  readonly source?: string | undefined
  /** Literal prefix of the source. */
  readonly sourcePrefix?: string | undefined
  readonly documentIds?: readonly number[] | undefined
}

function conditionsOf(selector: JobSelector, parameters: Parameters): string[] {
  const { jobId, state, kind, source, sourcePrefix, documentIds } = selector
  const ofDocument = (condition: string): string =>
    `j.document_id in (select d.document_id from documents d where d.bank_id = $1 and ${condition})`
  return [
    'j.bank_id = $1',
    ...(jobId === undefined ? [] : [`j.job_id = ${parameters.bind(jobId)}`]),
    ...(state === undefined ? [] : [`j.state = ${parameters.bind(state)}`]),
    ...(kind === undefined ? [] : [`j.kind = ${parameters.bind(kind)}`]),
    ...(source === undefined ? [] : [ofDocument(`d.source = ${parameters.bind(source)}`)]),
    ...(sourcePrefix === undefined
      ? []
      : [ofDocument(`starts_with(d.source, ${parameters.bind(sourcePrefix)})`)]),
    ...(documentIds === undefined ? [] : [`j.document_id = any(${parameters.bind(documentIds)}::bigint[])`]),
  ]
}

/** Newest first. `before`: the last job id of the page before. */
export async function listJobs(
  q: Queryable,
  bankId: number,
  selector: JobSelector & { readonly limit?: number | undefined; readonly before?: number | undefined },
): Promise<Job[]> {
  const parameters = createParameters(bankId)
  const conditions = conditionsOf(selector, parameters)
  if (selector.before !== undefined) conditions.push(`j.job_id < ${parameters.bind(selector.before)}`)
  const rows = await q.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs j where ${conditions.join(' and ')}
     order by j.job_id desc limit ${parameters.bind(selector.limit ?? 100)}::integer`,
    parameters.values,
  )
  return rows.map(jobFromRow)
}

/** By id; those that are gone are absent. */
export async function jobsByIds(q: Queryable, bankId: number, jobIds: readonly number[]): Promise<Job[]> {
  if (jobIds.length === 0) return []
  const rows = await q.query<JobRow>(
    `select ${JOB_COLUMNS} from jobs j where j.bank_id = $1 and j.job_id = any($2::bigint[]) order by j.job_id`,
    [bankId, jobIds],
  )
  return rows.map(jobFromRow)
}

/** Ids of jobs that wait or run, oldest first. */
export async function unfinishedJobs(q: Queryable, bankId: number, selector: JobSelector): Promise<number[]> {
  const parameters = createParameters(bankId)
  const conditions = [...conditionsOf(selector, parameters), "j.state in ('waiting', 'running')"]
  const rows = await q.query<{ jobId: number }>(
    `select j.job_id as "jobId" from jobs j where ${conditions.join(' and ')} order by 1`,
    parameters.values,
  )
  return rows.map((row) => row.jobId)
}

/** Lets jobs that are dead, cancelled or in a pause run at once, with all their attempts. Resolves to their ids. */
export async function retryJobs(
  q: Queryable,
  bankId: number,
  selector: JobSelector,
  now: Date,
): Promise<number[]> {
  const parameters = createParameters(bankId)
  const conditions = [...conditionsOf(selector, parameters), "j.state in ('waiting', 'dead', 'cancelled')"]
  const rows = await q.query<{ jobId: number }>(
    `update jobs j set state = 'waiting', attempts = 0, run_after = ${parameters.bind(now)}, finished_at = null
     where ${conditions.join(' and ')} returning j.job_id as "jobId"`,
    parameters.values,
  )
  return rows.map((row) => row.jobId).sort((a, b) => a - b)
}

/** Ends jobs that wait or run; who runs one hears of it when the lease is extended. Resolves to their ids. */
export async function cancelJobs(
  q: Queryable,
  bankId: number,
  selector: JobSelector,
  now: Date,
): Promise<number[]> {
  const parameters = createParameters(bankId)
  const conditions = [...conditionsOf(selector, parameters), "j.state in ('waiting', 'running')"]
  const rows = await q.query<{ jobId: number }>(
    `update jobs j set state = 'cancelled', lease_until = null, finished_at = ${parameters.bind(now)}
     where ${conditions.join(' and ')} returning j.job_id as "jobId"`,
    parameters.values,
  )
  return rows.map((row) => row.jobId).sort((a, b) => a - b)
}

export async function countJobs(q: Queryable, bankId: number): Promise<Readonly<Record<JobState, number>>> {
  const rows = await q.query<{ state: JobState; n: number }>(
    'select state, count(*) as n from jobs where bank_id = $1 group by state',
    [bankId],
  )
  const counts = Object.fromEntries(JOB_STATES.map((state) => [state, 0])) as Record<JobState, number> // every state
  for (const { state, n } of rows) counts[state] = n
  return counts
}

/** Removes jobs that were done or cancelled before a time; dead ones stay until they are retried or their document goes. */
export function deleteJobsBefore(q: Queryable, bankId: number, before: Date): Promise<number> {
  return q.execute(
    `delete from jobs where bank_id = $1 and state in ('done', 'cancelled') and finished_at < $2`,
    [bankId, before],
  )
}
