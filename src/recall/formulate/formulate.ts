import { createHash } from 'node:crypto'
import { isProlepsisError, ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import { choosePrompt, fillPrompt, loadPrompt } from '../../domain/prompt-files.ts'
import type { FormulationReport } from '../../domain/recall.ts'
import { type Degradation, isFatal, reasonOf } from '../degrade.ts'
import type { RecallDeps } from '../deps.ts'
import type { RecallRequest } from '../request.ts'
import { askModel } from './ask-model.ts'
import { MOST_QUESTIONS } from './clean-questions.ts'
import { conversationPrompt } from './conversation.ts'
import { failureKind } from './failure-kind.ts'
import { withinTime } from './within-time.ts'

export interface Formulated {
  /** Stand-alone questions beside the message: the caller's, or a model's; none when the rules formulate. */
  readonly queries: readonly string[]
  readonly report: FormulationReport
}

type FormulateDeps = Pick<RecallDeps, 'store' | 'clock' | 'model' | 'trace' | 'formulation'>

/**
 * Decides who formulates: the caller who gave questions, the rules, or the model. Whatever keeps a model from answering in time, the rules
 * stand in, `degraded` says so, and the trace has a record of it.
 *
 * @param meanwhile what is begun before a model is waited for
 * @throws ProlepsisError CANCELLED, CLOSED
 */
export async function formulate(
  deps: FormulateDeps,
  request: RecallRequest,
  degradation: Degradation,
  traceId: string,
  meanwhile: () => void,
): Promise<Formulated> {
  const at = deps.clock.now()
  let errorCode: string | null = null
  let errorKind: FormulationReport['errorKind'] = null
  let answer: Pick<Formulated, 'queries'> & Pick<FormulationReport, 'by'>
  try {
    answer = await chosenQueries(deps, request, degradation, traceId, meanwhile)
  } catch (error) {
    if (isFatal(error)) throw error
    errorCode = isProlepsisError(error) ? error.code : 'MODEL_UNAVAILABLE'
    errorKind = failureKind(error)
    degradation.note(`formulate: the rules stood in (${errorKind}): ${reasonOf(error)}`)
    answer = { queries: [], by: 'rules' }
  }
  const { queries, by } = answer
  const durationMs = Math.max(0, deps.clock.now() - at)
  deps.trace.record(deps.store, {
    ...{ type: 'formulate', traceId, at: new Date(at), durationMs, errorCode },
    ...{ message: request.message, by, queries, errorKind },
  })
  return { queries, report: { by, errorKind, tookMs: durationMs } }
}

async function chosenQueries(
  deps: FormulateDeps,
  request: RecallRequest,
  degradation: Degradation,
  traceId: string,
  meanwhile: () => void,
): Promise<Pick<Formulated, 'queries'> & Pick<FormulationReport, 'by'>> {
  if (request.queries.length > 0) return { queries: request.queries, by: 'caller' }
  if ((request.formulator ?? deps.formulation.by) === 'rules') return { queries: [], by: 'rules' }
  meanwhile()
  const startedAt = deps.clock.now()
  // the limit holds for making the model ready too
  const calls = await withinTime(deps.model(), deps.formulation.timeoutMs)
  throwIfAborted(request.signal)
  if (calls === null) {
    if (request.formulator === 'model') throw noModel()
    return { queries: [], by: 'rules' }
  }
  const { message, history, signal } = request
  const { prompt, notes } = conversationPrompt(message, history, new Date(deps.clock.now()))
  const system = await systemText(deps, request)
  const key = hashOf([calls.modelId, system, prompt])
  const slot = deps.formulation.cache.open(deps.store.bankId, key)
  if (slot.queries !== null) return { queries: slot.queries, by: 'cache' }
  const timeoutMs = Math.max(1, deps.formulation.timeoutMs - Math.max(0, deps.clock.now() - startedAt))
  const { questions, surplus } = await askModel(calls, {
    system,
    prompt,
    message,
    timeoutMs,
    traceId,
    signal,
  })
  for (const note of notes) degradation.note(note)
  if (surplus > 0) {
    degradation.note(
      `formulate: ${questions.length + surplus} questions came, the first ${questions.length} used`,
    )
  }
  slot.keep(questions)
  return { queries: questions, by: 'model' }
}

async function systemText({ store }: FormulateDeps, { prompts }: RecallRequest): Promise<string> {
  const [task, reply] = await Promise.all([
    choosePrompt('formulate', prompts, store.settings),
    loadPrompt('formulate-reply'),
  ])
  return `${fillPrompt(task.text, { most: MOST_QUESTIONS })}\n\n${reply.text}`
}

function noModel(): ProlepsisError {
  return new ProlepsisError('MODEL_NOT_CONFIGURED', 'The memory has no language model.', {
    hint: 'Set model (provider:model) or give createMemory a model; without one the rules formulate.',
  })
}

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}
