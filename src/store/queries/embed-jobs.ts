import type { Queryable } from '../database.ts'
import { enqueueJobs } from './jobs.ts'

/**
 * Puts documents in line to get their vectors in a space; those that wait for it already are left as they are. Run it in a transaction.
 *
 * @param how.running leave those alone too that a worker has in hand: for a caller who looks again. What was just written needs another job.
 * @returns ids of the new jobs
 */
export async function enqueueEmbedding(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
  how: {
    readonly spaceId: number
    readonly now: Date
    readonly running?: boolean
    readonly traceId?: string | undefined
  },
): Promise<number[]> {
  if (documentIds.length === 0) return []
  const waiting = await tx.query<{ documentId: number }>(
    `select distinct document_id as "documentId" from jobs
     where bank_id = $1 and document_id = any($2::bigint[]) and kind = 'embed' and state = any($4::text[])
       and (payload->>'space')::integer = $3`,
    [bankId, documentIds, how.spaceId, how.running === true ? ['waiting', 'running'] : ['waiting']],
  )
  const there = new Set(waiting.map(({ documentId }) => documentId))
  const jobs = documentIds
    .filter((documentId) => !there.has(documentId))
    .map((documentId) => ({
      ...{ kind: 'embed' as const, documentId, payload: { space: how.spaceId } },
      ...(how.traceId === undefined ? {} : { traceId: how.traceId }),
    }))
  return enqueueJobs(tx, bankId, jobs, how.now)
}

/** What is in line, or was given up, for spaces. */
export interface EmbeddingLine {
  readonly waiting: number
  readonly running: number
  readonly dead: number
  /** Of those that wait or are dead. */
  readonly documents: number
  /** Of those that wait: when the first is due. */
  readonly nextAt: Date | null
  /** Of the one that failed last. */
  readonly errorCode: string | null
  readonly error: string | null
}

export async function embeddingLine(
  q: Queryable,
  bankId: number,
  spaceIds: readonly number[],
): Promise<EmbeddingLine> {
  const rows = await q.query<EmbeddingLine>(
    `with line as (
       select state, document_id, run_after, error_code, error, job_id from jobs
       where bank_id = $1 and kind = 'embed' and state in ('waiting', 'running', 'dead')
         and (payload->>'space')::integer = any($2::integer[])
     ), failed as (
       select error_code, error from line where error is not null order by state = 'dead' desc, job_id desc limit 1
     )
     select count(*) filter (where state = 'waiting') as waiting, count(*) filter (where state = 'running') as running,
       count(*) filter (where state = 'dead') as dead,
       count(distinct document_id) filter (where state <> 'running') as documents, min(run_after) filter (where state = 'waiting') as "nextAt",
       (select error_code from failed) as "errorCode", (select error from failed) as error
     from line`,
    [bankId, spaceIds],
  )
  return (
    rows[0] ?? { waiting: 0, running: 0, dead: 0, documents: 0, nextAt: null, errorCode: null, error: null }
  )
}

/** Lets jobs of a space that are dead or in a pause run at once, with all their attempts. */
export function retryEmbedding(q: Queryable, bankId: number, spaceId: number, now: Date): Promise<number> {
  return q.execute(
    `update jobs set state = 'waiting', attempts = 0, run_after = $3, finished_at = null
     where bank_id = $1 and kind = 'embed' and state in ('waiting', 'dead') and (payload->>'space')::integer = $2`,
    [bankId, spaceId, now],
  )
}

/** Ends the jobs of a space that is complete, or was left. */
export function cancelEmbedding(tx: Queryable, bankId: number, spaceId: number, now: Date): Promise<number> {
  return tx.execute(
    `update jobs set state = 'cancelled', lease_until = null, finished_at = $3
     where bank_id = $1 and kind = 'embed' and state in ('waiting', 'running', 'dead')
       and (payload->>'space')::integer = $2`,
    [bankId, spaceId, now],
  )
}
