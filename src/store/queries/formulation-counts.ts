import type { TraceCounts } from '../../domain/care.ts'
import { FORMULATE_FAILURES, FORMULATORS } from '../../domain/recall.ts'
import type { Queryable } from '../database.ts'

/** Who formulated since a time, and why the rules stood in for a model, as the trace has it. */
export async function formulationCounts(
  q: Queryable,
  bankId: number,
  since: Date,
): Promise<Pick<TraceCounts, 'formulated' | 'standIns'>> {
  const rows = await q.query<{ by: string; errorKind: string | null; n: number }>(
    `select by, error_kind as "errorKind", count(*) as n from formulate_events
     where bank_id = $1 and at >= $2 group by by, error_kind`,
    [bankId, since],
  )
  return {
    formulated: sums(FORMULATORS, (by) => rows.filter((row) => row.by === by)),
    standIns: sums(FORMULATE_FAILURES, (kind) => rows.filter((row) => row.errorKind === kind)),
  }
}

function sums<Name extends string>(
  names: readonly Name[],
  rowsOf: (name: Name) => readonly { readonly n: number }[],
): Partial<Record<Name, number>> {
  const counts: Partial<Record<Name, number>> = {}
  for (const name of names) {
    const count = rowsOf(name).reduce((sum, { n }) => sum + n, 0)
    if (count > 0) counts[name] = count
  }
  return counts
}
