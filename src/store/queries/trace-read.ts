import { TRACE_TYPES, type TraceEvent, type TraceType } from '../../observability/trace.ts'
import type { Queryable } from '../database.ts'
import { TRACE_TABLES } from './trace-tables.ts'

export interface TailRequest {
  readonly types: readonly TraceType[]
  /** Events after this id, the first of them; null: the last of all. */
  readonly after: string | null
  readonly limit: number
}

/** Events in the order in which they were noted. */
export async function tailTrace(q: Queryable, bankId: number, request: TailRequest): Promise<TraceEvent[]> {
  const { types, after, limit } = request
  if (types.length === 0) return []
  const order = after === null ? 'desc' : 'asc'
  // the ids first: most polls of a follower end here, having read seven indexes
  const parts = types.map(
    (type) =>
      `(select '${type}' as type, event_id as id from ${TRACE_TABLES[type].name}
        where bank_id = $1 and event_id > $2 order by event_id ${order} limit $3)`,
  )
  const found = await q.query<{ type: TraceType; id: string }>(
    `select type, id from (${parts.join(' union all ')}) as noted order by id ${order} limit $3`,
    [bankId, after ?? '', limit],
  )
  const events: TraceEvent[] = []
  for (const type of types) {
    const ids = found.filter((one) => one.type === type).map((one) => one.id)
    if (ids.length === 0) continue
    events.push(
      ...(await q.query<TraceEvent>(`${selectOf(type)} where bank_id = $1 and event_id = any($2::text[])`, [
        bankId,
        ids,
      ])),
    )
  }
  return events.sort((a, b) => compare(a.eventId, b.eventId))
}

/** All events of one trace, in the order of their beginnings. */
export async function eventsOfTrace(q: Queryable, bankId: number, traceId: string): Promise<TraceEvent[]> {
  const events: TraceEvent[] = []
  for (const type of TRACE_TYPES) {
    events.push(
      ...(await q.query<TraceEvent>(`${selectOf(type)} where bank_id = $1 and trace_id = $2`, [
        bankId,
        traceId,
      ])),
    )
  }
  return events.sort((a, b) => a.at.getTime() - b.at.getTime() || compare(a.eventId, b.eventId))
}

/** The trace of the call that gave a receipt, or null. */
export async function traceOfReceipt(
  q: Queryable,
  bankId: number,
  receiptId: string,
): Promise<string | null> {
  const rows = await q.query<{ id: string }>(
    `select trace_id as id from recall_events where bank_id = $1 and receipt_id = $2 limit 1`,
    [bankId, receiptId],
  )
  return rows[0]?.id ?? null
}

function selectOf(type: TraceType): string {
  const { name, columns } = TRACE_TABLES[type]
  const fields = columns.map((column) => `"${column.name}" as "${column.field}"`)
  return `select event_id as "eventId", '${type}' as type, ${fields.join(', ')} from ${name}`
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
