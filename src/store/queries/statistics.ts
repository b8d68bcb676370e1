import type { BankStats } from '../../domain/care.ts'
import { VECTOR_KINDS } from '../../domain/cue.ts'
import type { Queryable } from '../database.ts'
import { countJobs } from './jobs.ts'

/** What the bank holds, counted; without the bank's own description and the store's. */
export async function bankStatistics(
  q: Queryable,
  bankId: number,
): Promise<Omit<BankStats, 'bank' | 'store' | 'lastDay' | 'modelUsage'>> {
  const documents = await q.query<{
    state: string
    format: string
    n: number
    chunks: number
    bytes: number
  }>(
    `select state, format, count(*) as n, sum(chunk_count)::bigint as chunks, sum(byte_length)::bigint as bytes
     from documents where bank_id = $1 group by state, format`,
    [bankId],
  )
  const cues = await q.query<{ kind: number; n: number }>(
    'select kind, count(*) as n from cues where bank_id = $1 group by kind',
    [bankId],
  )
  const vectors = await q.query<{ kind: number; n: number }>(
    `select v.kind, v.vector_count as n from vector_statistics v
     join bank_spaces b on b.bank_id = $1 and b.space_id = v.space_id and b.state = 'active'
     where v.bank_id = $1 and v.vector_count > 0`,
    [bankId],
  )
  const counts = await q.query<{ chunks: number; terms: number; postings: number; receipts: number }>(
    `select (select count(*) from chunks where bank_id = $1) as chunks,
            (select count(*) from terms where bank_id = $1) as terms,
            (select coalesce(sum(cardinality(term_ids)), 0)::bigint from chunk_terms where bank_id = $1) as postings,
            (select count(*) from receipts where bank_id = $1) as receipts`,
    [bankId],
  )
  const byState = (state: string): number =>
    documents.filter((row) => row.state === state).reduce((sum, row) => sum + row.n, 0)
  const byFormat: Record<string, number> = {}
  for (const row of documents) {
    if (row.state === 'current') byFormat[row.format] = (byFormat[row.format] ?? 0) + row.n
  }
  return {
    documents: {
      current: byState('current'),
      superseded: byState('superseded'),
      deleted: byState('deleted'),
    },
    chunks: counts[0]?.chunks ?? 0,
    cues: byKind(cues),
    vectors: byKind(vectors),
    terms: counts[0]?.terms ?? 0,
    postings: counts[0]?.postings ?? 0,
    receipts: counts[0]?.receipts ?? 0,
    jobs: await countJobs(q, bankId),
    byFormat,
    textBytes: documents.reduce((sum, row) => sum + row.bytes, 0),
  }
}

function byKind(rows: readonly { readonly kind: number; readonly n: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [VECTOR_KINDS[row.kind] ?? String(row.kind), row.n]))
}
