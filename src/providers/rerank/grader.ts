import { ProlepsisError } from '../../domain/errors.ts'
import { loadPrompt } from '../../domain/prompt-files.ts'
import { quotedLines } from '../../domain/quoted-lines.ts'
import type { ModelCalls } from '../model-calls.ts'
import type { RerankingModel } from '../reranking-model.ts'
import { GRADES, scoresOf } from './read-grades.ts'

export interface GraderOptions {
  /** Calls of a language model for the bank whose documents are graded. */
  readonly calls: ModelCalls
  /** Most documents of one call. @default 30 */
  readonly maxDocuments?: number
}

const MAX_DOCUMENTS = 30
/** Grade and place of one document in the reply. */
const TOKENS_A_DOCUMENT = 14
const TOKENS_AROUND = 100

/**
 * A language model as a reranker: it sees all documents at once and grades each, 0 to 3. One call, one attempt: somebody waits. The calls stay
 * the caller's to close.
 */
export function createGraderReranker({ calls, maxDocuments = MAX_DOCUMENTS }: GraderOptions): RerankingModel {
  return {
    modelId: `grader:${calls.modelId}`,
    maxDocuments,
    async rerank({ query, documents, signal, instructions, traceId = '', documentIds = [] }) {
      if (documents.length === 0) return []
      const [task, form] = await Promise.all([loadPrompt('rerank'), loadPrompt('rerank-reply')])
      const reply = await calls.generateObject({
        ...{ purpose: 'rerank', schema: GRADES, attempts: 1, signal, traceId, documentIds },
        system: `${instructions ?? task.text}\n\n${form.text}`,
        prompt: promptOf(query, documents),
        maxOutputTokens: TOKENS_AROUND + TOKENS_A_DOCUMENT * documents.length,
      })
      const scores = scoresOf(reply.value, documents.length)
      if (scores !== null) return scores
      throw new ProlepsisError('MODEL_REPLY_INVALID', 'The grading model graded none of the documents.', {
        hint: 'A larger model keeps to the form; without one, leave rerank off.',
        details: { errorKind: 'schema' },
      })
    },
    close: async () => undefined,
  }
}

function promptOf(query: string, documents: readonly string[]): string {
  const numbered = documents.map(
    (text, i) => `<document ${i + 1}>\n${quotedLines(text)}\n</document ${i + 1}>`,
  )
  return [`<question>\n${quotedLines(query)}\n</question>`, ...numbered].join('\n\n')
}
