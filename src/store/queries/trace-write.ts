import type { TraceEvent, TraceType } from '../../observability/trace.ts'
import type { Queryable } from '../database.ts'
import { FORGOTTEN_REQUEST } from './forget-receipts.ts'
import { blankTraces, OF_DOCUMENTS_ALONE } from './forget-trace.ts'
import { TRACE_TABLES } from './trace-tables.ts'

/**
 * Writes events of the trace; those that are there already stay as they are. What was forgotten since an event was noted does not come back
 * with it: events of a document that is gone are left out, and what was asked in an exchange that had returned it. Run it in a transaction.
 */
export async function insertTrace(
  tx: Queryable,
  bankId: number,
  events: readonly TraceEvent[],
): Promise<void> {
  if (events.length === 0) return
  // a bank that was deleted meanwhile takes its trace with it
  const banks = await tx.query('select from banks where bank_id = $1 for key share', [bankId])
  if (banks.length === 0) return
  const there = await documentsThere(tx, bankId, [...new Set(events.flatMap(documentsOf))])
  const isThere = (event: TraceEvent): boolean => documentsOf(event).every((id) => there.has(id))
  const kept = events.filter(isThere)
  for (const [type, { name, columns }] of Object.entries(TRACE_TABLES)) {
    const some = kept.filter((event) => event.type === type)
    if (some.length === 0) continue
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const types = columns.map((column) => `"${column.name}" ${column.type}`).join(', ')
    await tx.execute(
      `insert into ${name} (bank_id, event_id, ${names})
       select $1, event_id, ${names} from json_to_recordset($2::text::json) as event (event_id text, ${types})
       on conflict (bank_id, event_id) do nothing`,
      [bankId, JSON.stringify(some.map((event) => rowOf(event)))],
    )
  }
  const shown = events.filter((event) => event.type === 'model-call' && !isThere(event))
  const exchanges = shown.flatMap((event) =>
    event.type === 'model-call' && !OF_DOCUMENTS_ALONE.includes(event.purpose) ? [event.traceId] : [],
  )
  const forgotten = [...exchanges, ...(await tracesForgotten(tx, bankId, kept))]
  if (forgotten.length > 0) await blankTraces(tx, bankId, forgotten)
}

/** Documents without which an event says nothing, or what must not be kept. */
function documentsOf(event: TraceEvent): readonly number[] {
  if (event.type === 'model-call') return event.documentIds
  if (event.type === 'retain' || event.type === 'job')
    return event.documentId === null ? [] : [event.documentId]
  return []
}

async function documentsThere(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (documentIds.length === 0) return new Set()
  // locked, so that who forgets one of them waits, and then finds these events
  const rows = await tx.query<{ id: number }>(
    `select document_id as id from documents where bank_id = $1 and document_id = any($2::bigint[])
     order by document_id for key share`,
    [bankId, documentIds],
  )
  return new Set(rows.map((row) => row.id))
}

async function tracesForgotten(
  tx: Queryable,
  bankId: number,
  events: readonly TraceEvent[],
): Promise<readonly string[]> {
  const receipts = events.flatMap(receiptsOf)
  if (receipts.length === 0) return []
  const rows = await tx.query<{ id: string }>(
    `select receipt_id as id from receipts
     where bank_id = $1 and receipt_id = any($2::text[]) and request = $3::text::jsonb`,
    [bankId, receipts, JSON.stringify(FORGOTTEN_REQUEST)],
  )
  const gone = new Set(rows.map((row) => row.id))
  return events.flatMap((event) => (receiptsOf(event).some((id) => gone.has(id)) ? [event.traceId] : []))
}

function receiptsOf(event: TraceEvent): readonly string[] {
  if (event.type === 'answer') return event.receiptIds
  return event.type === 'recall' && event.receiptId !== null ? [event.receiptId] : []
}

function rowOf(event: TraceEvent): Record<string, unknown> {
  const members: Readonly<Record<string, unknown>> = { ...event }
  const type: TraceType = event.type
  const row: Record<string, unknown> = { event_id: event.eventId }
  for (const { name, field } of TRACE_TABLES[type].columns) row[name] = members[field] ?? null
  return row
}
