import type { TraceEvent } from '../../src/observability/trace.ts'

/** One event of each type, of one trace `t`, that tell of a document and a receipt. */
export function everyTraceEvent(of: {
  readonly documentId: number | null
  readonly receiptId: string | null
}): TraceEvent[] {
  const { documentId, receiptId } = of
  const documentIds = documentId === null ? [] : [documentId]
  const receiptIds = receiptId === null ? [] : [receiptId]
  const frame = (n: number) => ({
    ...{ eventId: `e${n}`, traceId: 't', at: new Date(Date.UTC(2024, 0, 1, 0, 0, n)) },
    ...{ durationMs: 1.5, errorCode: null },
  })
  const counts = { chunks: 1, cues: 2, vectors: 3 }
  const model = { purpose: 'formulate', modelId: 'fake:model', attempt: 1, error: null, jobId: null }
  const usage = { inputTokens: 10, outputTokens: 5, reasoningTokens: null, costUsd: 0.001 }
  const files = { seen: 3, created: 1, updated: 0, moved: 0, deleted: 0 }
  return [
    {
      ...{ type: 'retain', ...frame(1), documentId, source: 'a/one', status: 'created' },
      ...{ ...counts, callerQuestions: true },
    },
    {
      ...{ type: 'recall', ...frame(2), receiptId, message: 'Where is the walnut?', queries: ['Walnut?'] },
      ...{ passages: 1, degraded: ['window: STORE_FAILED'], stages: { formulate: 1.5, channels: 2 } },
    },
    {
      ...{ type: 'formulate', ...frame(3), message: 'Where is the walnut?', by: 'model' },
      ...{ queries: ['Walnut?'], errorKind: null },
    },
    {
      ...{ type: 'model-call', ...frame(4), callId: 'c', ...model, ...usage, documentIds },
      ...{ system: 'Write questions.', prompt: 'walnut harbour', reply: '["Walnut?"]', finishReason: 'stop' },
    },
    {
      ...{ type: 'answer', ...frame(5), receiptIds, question: 'Where is the walnut?', status: 'answered' },
      ...{ answer: 'At the harbour.', citations: 1, hops: 0 },
    },
    {
      ...{ type: 'job', ...frame(6), jobId: 7, kind: 'enrich', documentId, event: 'done', attempt: 1 },
      ...{ error: null },
    },
    {
      ...{ type: 'sweep', ...frame(7), root: '/notes', ...files },
      failed: [{ path: 'one', code: 'UNREADABLE_FILE' }],
    },
  ]
}
