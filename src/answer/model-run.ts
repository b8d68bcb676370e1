import { errorCodeOf } from '../domain/error-code.ts'
import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import {
  choosePrompt,
  fillPrompt,
  loadPrompt,
  type PromptName,
  type PromptTexts,
} from '../domain/prompt-files.ts'
import { NO_USAGE, type TokenUsage } from '../providers/language-model.ts'
import type { ModelCall, ModelCalls, ModelReply } from '../providers/model-calls.ts'
import type { Evidence } from './evidence.ts'
import type { SpendingTally } from './spending.ts'

/** The calls of one answer: what they share, and what they came to. */
export interface ModelRun {
  readonly model: ModelCalls
  readonly traceId: string
  readonly signal: AbortSignal | undefined
  readonly tally: SpendingTally
  readonly degraded: string[]
  /** What was asked: what a sentence takes from it needs no source. */
  readonly question: string
  /** Raises CLOSED when the memory is closing: no further call is begun. */
  readonly assertOpen: () => void
  /** The prompt that counts, with the form of the reply that the engine reads. */
  system(name: PromptName): Promise<string>
}

export function createModelRun(
  parts: Pick<ModelRun, 'model' | 'traceId' | 'signal' | 'tally' | 'question' | 'assertOpen'>,
  prompts: PromptTexts | undefined,
  bankSettings: Readonly<Record<string, unknown>> | undefined,
): ModelRun {
  return {
    ...parts,
    degraded: [],
    system: async (name) => {
      const [prompt, reply] = await Promise.all([
        choosePrompt(name, prompts, bankSettings),
        loadPrompt(`${name}-reply`),
      ])
      return `${fillPrompt(prompt.text, {})}\n\n${reply.text}`
    },
  }
}

/** What every call of an answer has. */
export async function callOf(
  run: ModelRun,
  purpose: PromptName,
  prompt: string,
  evidence: readonly Evidence[],
  maxOutputTokens: number,
): Promise<ModelCall> {
  run.assertOpen()
  return {
    ...{ purpose, prompt, maxOutputTokens, traceId: run.traceId, signal: run.signal },
    system: await run.system(purpose),
    documentIds: [...new Set(evidence.map((one) => one.documentId))],
  }
}

/** Counts what a reply took, also one that did not come. */
export async function counted<T>(run: ModelRun, reply: Promise<ModelReply<T>>): Promise<T> {
  try {
    const { value, usage, calls } = await reply
    run.tally.add(usage, calls)
    return value
  } catch (error) {
    const spent = isProlepsisError(error) ? error.details.spent : undefined
    const { calls, ...usage }: Partial<TokenUsage> & { calls?: number } = Object(spent)
    if (calls !== undefined) run.tally.add({ ...NO_USAGE, ...usage }, calls)
    throw error
  }
}

/** Whether an error ends the whole call: it was cancelled, the memory was closed, or it is none of ours. */
export function isFatal(error: unknown): boolean {
  const code = errorCodeOf(error)
  return code === undefined || code === 'CANCELLED' || code === 'CLOSED'
}

/** @throws ProlepsisError MODEL_NOT_CONFIGURED */
export function requireModel(model: ModelCalls | null): ModelCalls {
  if (model !== null) return model
  throw new ProlepsisError(
    'MODEL_NOT_CONFIGURED',
    'Answers need a language model, and this memory has none.',
    {
      hint: 'Set model (PROLEPSIS_MODEL, provider:model), or use recall and answer from its passages yourself.',
    },
  )
}
