import type { IntegrityCheck } from './integrity.ts'
import { countRows, nameDocuments } from './integrity-documents.ts'

/** Enrichment in line for a text that is not current any more: nobody would ask for what it writes. */
const VOID = `from jobs j join documents d on d.bank_id = $1 and d.document_id = j.document_id
  where j.bank_id = $1 and j.kind = 'enrich' and j.state in ('waiting', 'running') and d.state <> 'current'`

/** A row that no worker would ever take or end. */
const STUCK = `from jobs where bank_id = $1 and (
    (state = 'running' and (lease_until is null or worker is null))
    or (state in ('done', 'dead', 'cancelled') and finished_at is null))`

export const JOB_CHECKS: readonly IntegrityCheck[] = [
  {
    name: 'void-jobs',
    holds: 'Jobs that write questions are of current texts.',
    detail: 'Jobs that write questions of texts that are not current any more.',
    count: (q, target) => countRows(q, `select count(*) as n ${VOID}`, target),
    documents: (q, target) => nameDocuments(q, `select j.document_id ${VOID}`, target),
    mend: async (db, { bankId }) => {
      await db.execute(
        `update jobs set state = 'cancelled', lease_until = null, finished_at = now()
         where bank_id = $1 and job_id in (select j.job_id ${VOID})`,
        [bankId],
      )
    },
    mendedBy: null,
  },
  {
    name: 'stuck-jobs',
    holds: 'Every job is in line, held by a worker, or has ended.',
    detail: 'Jobs that run without a worker or a lease, or have ended at no time.',
    count: (q, target) => countRows(q, `select count(*) as n ${STUCK}`, target),
    mend: async (db, { bankId }) => {
      await db.execute(
        `update jobs set state = case when state = 'running' then 'waiting' else state end,
           worker = null, lease_until = null, finished_at = case when state = 'running' then null else now() end
         where bank_id = $1 and job_id in (select job_id ${STUCK})`,
        [bankId],
      )
    },
    mendedBy: null,
  },
]
