import type { Document } from '../../domain/document.ts'
import { isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
import type { TokenUsage } from '../../providers/language-model.ts'
import type { ModelCall, ModelCalls, Spending } from '../../providers/model-calls.ts'
import type { Answered } from './accept-reply.ts'
import { passagesPrompt } from './questions-prompt.ts'
import type { ShownChunk } from './shown-chunk.ts'
import { WRITER_REPLY } from './writer-reply.ts'

/** One call of the writer: what it is asked about, and the chunks around. */
export interface WriterBatch {
  readonly asked: readonly ShownChunk[]
  readonly around: readonly ShownChunk[]
}

/** What it took and what came of it. */
export interface WriterAnswer {
  /** Chunks of the batch that the reply tells of. Ids that were not asked for are passed over. */
  readonly answered: readonly Answered[]
  /** Chunks of the batch that it leaves out. */
  readonly missing: readonly ShownChunk[]
  readonly calls: number
  readonly usage: TokenUsage
}

export type WriterCall = Pick<
  ModelCall,
  'system' | 'signal' | 'traceId' | 'documentIds' | 'jobId' | 'remaining'
>

/** Tokens of a question, of a statement with concepts, and of the form around them. */
const QUESTION_TOKENS = 30
const REST_TOKENS = 200

/** Asks for one batch. @throws ProlepsisError as `ModelCalls.generateObject` */
export async function askWriter(
  model: ModelCalls,
  document: Pick<Document, 'title' | 'occurredAt'>,
  { asked, around }: WriterBatch,
  call: WriterCall,
): Promise<WriterAnswer> {
  const { value, calls, usage } = await model.generateObject({
    ...call,
    purpose: 'questions',
    prompt: passagesPrompt(document, asked, around),
    schema: WRITER_REPLY,
    maxOutputTokens: asked.reduce((sum, { most }) => sum + most * QUESTION_TOKENS + REST_TOKENS, 0),
  })
  // of two entries with one number the first counts
  const byId = new Map([...value.passages].reverse().map((passage) => [passage.id, passage]))
  const answered = asked.flatMap((chunk, at) => {
    const passage = byId.get(at + 1)
    return passage === undefined ? [] : [{ chunk, passage }]
  })
  const missing = asked.filter((_, at) => !byId.has(at + 1))
  return { answered, missing, calls, usage }
}

/** Whether an error is of what this batch holds (a reply of no use, one that a provider's filter held back), so that a smaller one may go well. */
export function isOfReply(error: unknown): error is ProlepsisError {
  if (!isProlepsisError(error)) return false
  return error.code === 'MODEL_REPLY_INVALID' || error.details.finishReason === 'content-filter'
}

/** What a call that failed took, as far as it says so. */
export function spentOf(error: ProlepsisError): { readonly calls: number; readonly usage: TokenUsage } {
  const spent: Record<string, unknown> = Object(error.details.spent)
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
  return {
    calls: number(spent.calls) ?? 0,
    usage: {
      inputTokens: number(spent.inputTokens),
      outputTokens: number(spent.outputTokens),
      reasoningTokens: number(spent.reasoningTokens),
      costUsd: number(spent.costUsd),
    },
  }
}

/** A reply that can be read and tells of none of the passages. */
export function noPassages(): ProlepsisError {
  return new ProlepsisError(
    'MODEL_REPLY_INVALID',
    'The reply tells of none of the passages that were asked about.',
    {
      hint: 'The model may be too small for the task, or a replaced prompt may lead away from it.',
      retryable: true,
      details: { errorKind: 'schema' },
    },
  )
}

/** What is left to spend on the document. */
export function afterSpending(left: Spending | undefined, usage: TokenUsage): Spending | undefined {
  if (left === undefined) return undefined
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0)
  return {
    tokens: left.tokens === null ? null : Math.max(0, left.tokens - tokens),
    costUsd: left.costUsd === null ? null : Math.max(0, left.costUsd - (usage.costUsd ?? 0)),
  }
}
