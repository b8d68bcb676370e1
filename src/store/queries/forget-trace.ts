import type { TraceType } from '../../observability/trace.ts'
import type { Queryable } from '../database.ts'
import { contentColumns, TRACE_TABLES } from './trace-tables.ts'

/** Kinds of event that hold what was said. */
const TELLING = ['recall', 'formulate', 'model-call', 'answer'] as const satisfies readonly TraceType[]
/** Purposes of model calls of which nothing else of their trace tells: what was asked and answered has other words than the document. */
export const OF_DOCUMENTS_ALONE: readonly string[] = ['questions', 'draft']
const EVENTS_A_PAGE = 500

export interface ForgottenParts {
  readonly documentIds: readonly number[]
  readonly chunkIds: readonly number[]
  /** The documents go, and with them their sources' names; else chunks of them. */
  readonly whole: boolean
}

/**
 * Takes out of the trace what it holds of documents or chunks: model calls whose prompt had text of them go; of an exchange that had
 * returned a chunk or shown one to a model, what was asked and answered goes; with whole documents also what became of their retains, jobs and files. What the
 * words of the chunks tell is found by `forgetInReceipts`. Run it in the transaction that deletes them, before they go.
 */
export async function forgetInTrace(tx: Queryable, bankId: number, parts: ForgottenParts): Promise<void> {
  const { documentIds, chunkIds, whole } = parts
  if (documentIds.length === 0) return
  const shown = await tx.query<{ id: string }>(
    `with gone as (
       delete from model_calls where bank_id = $1 and document_ids && $2::bigint[] returning trace_id, purpose)
     select distinct trace_id as id from gone where purpose <> all($3::text[])`,
    [bankId, documentIds, OF_DOCUMENTS_ALONE],
  )
  const exchanges = await tx.query<{ id: string }>(
    `with returned as (
       select distinct receipt_id from receipt_passages where bank_id = $1 and chunk_id = any($2::bigint[]))
     select trace_id as id from recall_events where bank_id = $1 and receipt_id in (select receipt_id from returned)
     union
     select trace_id from answer_events where bank_id = $1
       and receipt_ids && (select coalesce(array_agg(receipt_id), '{}') from returned)`,
    [bankId, chunkIds],
  )
  await blankTraces(tx, bankId, [...new Set([...shown, ...exchanges].map(({ id }) => id))])
  if (whole) await forgetSources(tx, bankId, documentIds)
}

async function forgetSources(tx: Queryable, bankId: number, documentIds: readonly number[]): Promise<void> {
  const rows = await tx.query<{ source: string }>(
    'select distinct source from documents where bank_id = $1 and document_id = any($2::bigint[])',
    [bankId, documentIds],
  )
  const sources = rows.map(({ source }) => source)
  await tx.execute(
    `delete from retain_events where bank_id = $1
       and (document_id = any($2::bigint[]) or document_id is null and source = any($3::text[]))`,
    [bankId, documentIds, sources],
  )
  await tx.execute('delete from job_events where bank_id = $1 and document_id = any($2::bigint[])', [
    bankId,
    documentIds,
  ])
  await tx.execute(
    `update sweep_events set failed = (
       select coalesce(jsonb_agg(file), '[]') from jsonb_array_elements(failed) as file
       where not exists (select from unnest($2::text[]) as gone (source)
         where source = file->>'path' or right(source, length(file->>'path') + 1) = '/' || (file->>'path')))
     where bank_id = $1 and failed <> '[]'`,
    [bankId, sources],
  )
  // a name in letters alone may be any word
  const names = sources.filter((source) => /[^\p{L}\p{M}\s]/u.test(source) && source.length > 3)
  if (names.length > 0) await blankTelling(tx, bankId, (text) => names.some((name) => text.includes(name)))
}

/** Takes what was said out of every exchange with a text of which `tells` holds. */
export async function blankTelling(
  tx: Queryable,
  bankId: number,
  tells: (text: string) => boolean,
): Promise<void> {
  const traces = new Set<string>()
  for (const type of TELLING) {
    for await (const { traceId, texts } of tellingEvents(tx, bankId, type)) {
      if (!traces.has(traceId) && texts.some(tells)) traces.add(traceId)
    }
  }
  await blankTraces(tx, bankId, [...traces])
}

interface Telling {
  readonly traceId: string
  readonly texts: readonly string[]
}

async function* tellingEvents(tx: Queryable, bankId: number, type: TraceType): AsyncGenerator<Telling> {
  const { name, columns } = TRACE_TABLES[type]
  // instructions never hold stored text; calls that had a document's text in their prompt are found by it
  const content = contentColumns(TRACE_TABLES[type]).filter((column) => column !== 'system')
  const found = content.map((column) => {
    const isList = columns.some((one) => one.name === column && one.type === 'text[]')
    return isList ? `coalesce("${column}", '{}')` : `array["${column}"]`
  })
  const unnamed = type === 'model-call' ? `and document_ids = '{}'` : ''
  let after = ''
  for (;;) {
    const page = await tx.query<{ id: string; traceId: string; texts: readonly (string | null)[] }>(
      `select event_id as id, trace_id as "traceId", ${found.join(' || ')} as texts from ${name}
       where bank_id = $1 and event_id > $2 ${unnamed} order by event_id limit ${EVENTS_A_PAGE}`,
      [bankId, after],
    )
    for (const { traceId, texts } of page) yield { traceId, texts: texts.flatMap((text) => text ?? []) }
    const last = page.at(-1)
    if (last === undefined || page.length < EVENTS_A_PAGE) return
    after = last.id
  }
}

/** Takes what was said out of the events of traces; that they were stays. */
export async function blankTraces(tx: Queryable, bankId: number, traceIds: readonly string[]): Promise<void> {
  if (traceIds.length === 0) return
  for (const type of TELLING) {
    const table = TRACE_TABLES[type]
    const set = contentColumns(table).map((column) => `"${column}" = null`)
    await tx.execute(
      `update ${table.name} set ${set.join(', ')} where bank_id = $1 and trace_id = any($2::text[])`,
      [bankId, traceIds],
    )
  }
}

/** The same for the exchanges that gave receipts. */
export async function blankTracesOfReceipts(
  tx: Queryable,
  bankId: number,
  receiptIds: readonly string[],
): Promise<void> {
  if (receiptIds.length === 0) return
  const rows = await tx.query<{ id: string }>(
    'select trace_id as id from recall_events where bank_id = $1 and receipt_id = any($2::text[])',
    [bankId, receiptIds],
  )
  await blankTraces(
    tx,
    bankId,
    rows.map(({ id }) => id),
  )
}
