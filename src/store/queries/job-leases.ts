import type { Job, JobKind, JobSpending } from '../../domain/jobs.ts'
import type { Queryable } from '../database.ts'
import { JOB_COLUMNS, type JobRow, jobFromRow } from './jobs.ts'

/** Kinds whose work is void once its document is not the current one. */
const OF_CURRENT: readonly JobKind[] = ['enrich']

/** Whoever does not have a space's model leaves its jobs to those that do. */
const OF_SPACES = `(kind <> 'embed' or $8::integer[] is null or (payload->>'space')::integer = any($8::integer[]))`

export interface ClaimOptions {
  readonly kinds: readonly JobKind[]
  /** Jobs that embed are taken only of these spaces. @default of any */
  readonly spaces?: readonly number[] | undefined
  /** Names this claim: repeated after its answer was lost, it gives the same jobs again. */
  readonly claim: string
  readonly limit: number
  readonly now: Date
  readonly leaseUntil: Date
}

/**
 * Takes jobs that are due, the longest due first, and those whose worker let its lease pass: none that another one takes at this moment, and
 * none of a document that has an older job of the kind in line or one that runs. What comes back `running` is the caller's until its lease; a job whose
 * document was superseded comes back `cancelled`, and one whose worker was lost at its last attempt `dead`.
 *
 * The order within a document is asked of each candidate by its key (an aggregate is never turned into a join): tables without statistics are the rule here.
 */
export async function claimJobs(q: Queryable, bankId: number, options: ClaimOptions): Promise<Job[]> {
  const rows = await q.query<JobRow>(
    `with again as (
       select job_id from jobs
       where bank_id = $1 and state = 'running' and kind = any($5::text[]) and (lease_until <= $2 or worker = $3)
         and ${OF_SPACES}
       order by lease_until limit $6::integer for update skip locked
     ), fresh as (
       select j.job_id from jobs j
       where j.bank_id = $1 and j.state = 'waiting' and j.run_after <= $2 and j.kind = any($5::text[])
         and ${OF_SPACES}
         and coalesce((
           select bool_and(o.state = 'waiting' and o.job_id > j.job_id) from jobs o
           where o.bank_id = $1 and o.document_id = j.document_id and o.kind = j.kind and o.job_id <> j.job_id
             and o.state in ('waiting', 'running')), true)
       order by j.run_after, j.job_id limit $6::integer for update of j skip locked
     ), due as (
       select job_id from again union all select job_id from fresh limit $6::integer
     ), judged as (
       select j.job_id, j.worker is distinct from $3 as taken,
         case when j.kind = any($7::text[]) and d.state <> 'current' then 'cancelled'
              when j.state = 'running' and j.worker is distinct from $3 and j.attempts >= j.max_attempts then 'dead'
              else 'running' end as state
       from due join jobs j on j.bank_id = $1 and j.job_id = due.job_id
       left join documents d on d.bank_id = $1 and d.document_id = j.document_id
     )
     update jobs j set state = t.state, worker = $3,
       attempts = case when t.taken and t.state = 'running' then j.attempts + 1 else j.attempts end,
       lease_until = case when t.state = 'running' then $4::timestamptz end,
       finished_at = case when t.state <> 'running' then $2::timestamptz end,
       error_code = case when t.state = 'dead' then 'WORKER_LOST' else j.error_code end,
       error = case when t.state = 'dead' then 'The worker ended in the middle of the last attempt.' else j.error end
     from judged t where j.bank_id = $1 and j.job_id = t.job_id
     returning ${JOB_COLUMNS}`,
    [
      ...[bankId, options.now, options.claim, options.leaseUntil, options.kinds, options.limit, OF_CURRENT],
      options.spaces ?? null,
    ],
  )
  return rows.map(jobFromRow).sort((a, b) => a.jobId - b.jobId)
}

/** Goes on holding a job, and notes what was spent and counted so far: it outlives a worker that is killed. False when it is not the caller's any more: cancelled, or taken by another. */
export async function extendLease(
  q: Queryable,
  bankId: number,
  held: {
    readonly jobId: number
    readonly claim: string
    readonly leaseUntil: Date
    readonly spent: JobSpending
    readonly result: Readonly<Record<string, number>>
  },
): Promise<boolean> {
  const touched = await q.execute(
    `update jobs set lease_until = $4, calls = $5, input_tokens = $6, output_tokens = $7, cost_usd = $8,
       result = $9::text::jsonb
     where bank_id = $1 and job_id = $2 and worker = $3 and state = 'running'`,
    [
      bankId,
      held.jobId,
      held.claim,
      held.leaseUntil,
      held.spent.calls,
      held.spent.inputTokens,
      held.spent.outputTokens,
      held.spent.costUsd,
      JSON.stringify(held.result),
    ],
  )
  return touched > 0
}

/** How an attempt ended: the whole of what the row then says, so that it may be written twice. */
export interface AttemptEnd {
  readonly jobId: number
  readonly claim: string
  readonly state: 'done' | 'waiting' | 'dead' | 'cancelled'
  readonly attempts: number
  readonly runAfter: Date
  readonly errorCode: string | null
  readonly error: string | null
  readonly finishedAt: Date | null
  readonly spent: JobSpending
  readonly result: Readonly<Record<string, number>>
}

/** False when the job is not the caller's any more. */
export async function endAttempt(q: Queryable, bankId: number, end: AttemptEnd): Promise<boolean> {
  const touched = await q.execute(
    `update jobs set state = $4, lease_until = null, attempts = $5, run_after = $6, error_code = $7, error = $8,
       finished_at = $9, calls = $10, input_tokens = $11, output_tokens = $12, cost_usd = $13, result = $14::text::jsonb
     where bank_id = $1 and job_id = $2 and worker = $3 and state in ('running', $4)`,
    [
      bankId,
      end.jobId,
      end.claim,
      end.state,
      end.attempts,
      end.runAfter,
      end.errorCode,
      end.error,
      end.finishedAt,
      end.spent.calls,
      end.spent.inputTokens,
      end.spent.outputTokens,
      end.spent.costUsd,
      JSON.stringify(end.result),
    ],
  )
  return touched > 0
}

/** Ends the enrichment of documents that are not current any more, or whose questions the caller gives. */
export function cancelEnrichment(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
  now: Date,
): Promise<number> {
  if (documentIds.length === 0) return Promise.resolve(0)
  return tx.execute(
    `update jobs set state = 'cancelled', lease_until = null, finished_at = $3
     where bank_id = $1 and document_id = any($2::bigint[]) and kind = 'enrich' and state in ('waiting', 'running')`,
    [bankId, documentIds, now],
  )
}
