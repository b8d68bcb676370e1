import * as z from 'zod'
import { ProlepsisError } from '../../domain/errors.ts'
import type { ModelCalls } from '../../providers/model-calls.ts'
import { type CleanQuestions, cleanQuestions } from './clean-questions.ts'

/** What a model is told and shown. */
export interface FormulateTask {
  readonly system: string
  readonly prompt: string
  readonly message: string
  readonly timeoutMs: number
  readonly traceId: string
  readonly signal: AbortSignal | undefined
}

/** Five questions of a long sentence each. */
const MAX_OUTPUT_TOKENS = 600

const REPLY = z.object({ questions: z.array(z.string()) })

/**
 * One call, one attempt: somebody waits.
 *
 * @throws ProlepsisError as `generateObject`; MODEL_REPLY_INVALID too when nothing in the reply can be asked
 */
export async function askModel(
  calls: ModelCalls,
  { message, ...task }: FormulateTask,
): Promise<CleanQuestions> {
  const reply = await calls.generateObject({
    ...{ purpose: 'formulate', maxOutputTokens: MAX_OUTPUT_TOKENS, attempts: 1, schema: REPLY },
    ...task,
  })
  const clean = cleanQuestions(reply.value.questions, { message, system: task.system })
  if (clean.questions.length === 0 && (clean.refused > 0 || reply.value.questions.length === 0)) {
    throw new ProlepsisError('MODEL_REPLY_INVALID', 'The model wrote nothing that can be asked.', {
      hint: 'A larger model keeps to what it is asked for; the rules do without one (formulator: "rules").',
      details: { errorKind: 'schema' },
    })
  }
  return clean
}
