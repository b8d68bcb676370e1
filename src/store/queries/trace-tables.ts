import { TRACE_CONTENT, type TraceType } from '../../observability/trace.ts'

export interface TraceColumn {
  readonly name: string
  readonly type: string
  /** Member of the record. */
  readonly field: string
}

export interface TraceTable {
  readonly name: string
  /** Without bank and event id. */
  readonly columns: readonly TraceColumn[]
}

/** The tables of the trace with the members of their records, as `migrations/` makes them. */
export const TRACE_TABLES: Readonly<Record<TraceType, TraceTable>> = {
  retain: table('retain_events', {
    document_id: 'bigint',
    source: 'text',
    status: 'text',
    chunks: 'integer',
    cues: 'integer',
    vectors: 'integer',
    caller_questions: 'boolean',
  }),
  recall: table('recall_events', {
    receipt_id: 'text',
    message: 'text',
    queries: 'text[]',
    passages: 'integer',
    degraded: 'text[]',
    stages: 'jsonb',
  }),
  formulate: table('formulate_events', {
    message: 'text',
    by: 'text',
    queries: 'text[]',
    error_kind: 'text',
  }),
  'model-call': table('model_calls', {
    call_id: 'text',
    purpose: 'text',
    model_id: 'text',
    attempt: 'smallint',
    system: 'text',
    prompt: 'text',
    reply: 'text',
    finish_reason: 'text',
    input_tokens: 'integer',
    output_tokens: 'integer',
    reasoning_tokens: 'integer',
    cost_usd: 'double precision',
    error: 'text',
    document_ids: 'bigint[]',
    job_id: 'bigint',
  }),
  answer: table('answer_events', {
    receipt_ids: 'text[]',
    question: 'text',
    status: 'text',
    answer: 'text',
    citations: 'integer',
    hops: 'integer',
  }),
  job: table('job_events', {
    job_id: 'bigint',
    kind: 'text',
    document_id: 'bigint',
    event: 'text',
    attempt: 'smallint',
    error: 'text',
  }),
  sweep: table('sweep_events', {
    root: 'text',
    seen: 'integer',
    created: 'integer',
    updated: 'integer',
    moved: 'integer',
    deleted: 'integer',
    failed: 'jsonb',
  }),
}

/** Columns of a table that hold what was said, asked or answered. */
export function contentColumns(one: TraceTable): readonly string[] {
  const content: readonly string[] = TRACE_CONTENT
  return one.columns.map((column) => column.name).filter((name) => content.includes(name))
}

function table(name: string, own: Readonly<Record<string, string>>): TraceTable {
  const common = { trace_id: 'text', at: 'timestamptz', duration_ms: 'real', error_code: 'text' }
  const columns = Object.entries({ ...common, ...own }).map(([column, type]) => ({
    ...{ name: column, type },
    field: column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))
  return { name, columns }
}
