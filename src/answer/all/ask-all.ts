import type { AskAllEstimate, AskAllOptions, AskAllProgress, AskAllResult } from '../../domain/answer.ts'
import { errorCodeOf } from '../../domain/error-code.ts'
import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { StoredChunk } from '../../store/queries/chunks.ts'
import type { AnswerDeps } from '../answer-deps.ts'
import { questionBlock } from '../evidence-block.ts'
import { acceptedOf, droppedOf } from '../judge.ts'
import { createModelRun, type ModelRun, requireModel } from '../model-run.ts'
import { answerText, markedAnswer } from '../render-answer.ts'
import { createTally } from '../spending.ts'
import { type AskAllRequest, type ReadFilter, readAskAllOptions } from './all-options.ts'
import { checkFacts } from './check-facts.ts'
import { estimateOf } from './estimate.ts'
import { joinFacts, joinSame } from './join-facts.ts'
import { mapBatches } from './map-batches.ts'
import { allDocuments, type PlannedBatch, planBatches, readBatch } from './plan-batches.ts'

export interface AskAllDeps extends Omit<AnswerDeps, 'recall' | 'reportCited'> {
  readonly readFilter: ReadFilter
  /** US dollars for a million tokens; null where it is not known. */
  readonly prices: { readonly input: number | null; readonly output: number | null }
}

/** What `askAll` would read and spend. Asks no model. @throws ProlepsisError for options that do not fit */
export async function estimateAskAll(
  deps: AskAllDeps,
  question: string,
  options: AskAllOptions = {},
): Promise<AskAllEstimate> {
  return (await planned(deps, readAskAllOptions(question, options, deps.readFilter))).estimate
}

async function planned(
  { store, prices }: AskAllDeps,
  { filter, batchTokens }: AskAllRequest,
): Promise<{ readonly batches: readonly PlannedBatch[]; readonly estimate: AskAllEstimate }> {
  const documents = await allDocuments(store, filter)
  const batches = planBatches(documents, batchTokens)
  return { batches, estimate: estimateOf(documents, batches, prices) }
}

/**
 * Answers a question from every document that passes a filter.
 *
 *     estimate → confirm → map (facts with quotes, by batch) → join → check
 *
 * Nothing is left out silently: what could not be read is told in `incomplete`. When a budget is spent on the way, the result is what was
 * found until then, with the rest in `incomplete`.
 *
 * @throws ProlepsisError MODEL_NOT_CONFIGURED; CANCELLED by the signal, or when `confirm` says no; the model's error when it could read nothing
 */
export async function askAll(
  deps: AskAllDeps,
  question: string,
  options: AskAllOptions = {},
): Promise<AskAllResult> {
  const request = readAskAllOptions(question, options, deps.readFilter)
  const startedAt = deps.clock.now()
  const traceId = deps.ids.next()
  const trace = (ended: {
    errorCode: string | null
    status: AskAllResult['status'] | 'failed'
    answer: string | null
    citations: number
  }): void =>
    deps.trace.record(deps.store, {
      ...{ type: 'answer', traceId, at: new Date(startedAt), durationMs: deps.clock.now() - startedAt },
      ...{ receiptIds: [], question: request.question, hops: 0, ...ended },
    })
  try {
    const model = requireModel(await deps.model())
    const { signal, prompts } = request
    const run = createModelRun(
      {
        model,
        traceId,
        signal,
        tally: createTally(),
        question: request.question,
        assertOpen: deps.assertOpen,
      },
      prompts,
      deps.store.settings,
    )
    const found = await readAll(deps, request, run)
    const citations = found.sentences.reduce((sum, one) => sum + one.citations.length, 0)
    trace({ errorCode: null, status: found.status, answer: found.text, citations })
    return { ...found, traceId, tookMs: deps.clock.now() - startedAt }
  } catch (error) {
    trace({ errorCode: errorCodeOf(error) ?? 'UNEXPECTED', status: 'failed', answer: null, citations: 0 })
    throw error
  }
}

async function readAll(
  deps: AskAllDeps,
  request: AskAllRequest,
  run: ModelRun,
): Promise<Omit<AskAllResult, 'traceId' | 'tookMs'>> {
  const { batchTokens, question } = request
  const { batches, estimate } = await planned(deps, request)
  if (request.confirm !== undefined && !(await request.confirm(estimate))) {
    throw new ProlepsisError('CANCELLED', 'Reading everything was not confirmed.', {
      hint: 'No model was asked.',
    })
  }
  let facts = 0
  const tell =
    (stage: AskAllProgress['stage']) =>
    (done: number, total: number): void =>
      request.onProgress?.({
        ...{ stage, done, total: Math.max(done, total), facts, costUsd: run.tally.total().costUsd },
      })
  const asked = questionBlock(question, [], new Date(deps.clock.now()).toISOString().slice(0, 10))
  let done = 0
  const parts = partsOf(deps, batches, request)
  const mapped = await mapBatches(run, asked, parts, request.concurrency, (count) => {
    facts = count
    done += 1
    tell('map')(done, estimate.batches)
  })
  if (mapped.stoppedBy !== null) run.degraded.push(`map: ${mapped.stoppedBy}`)
  const joined =
    mapped.stoppedBy === null
      ? await joinFacts(run, asked, mapped.facts, tell('reduce'))
      : joinSame(mapped.facts)
  const judged = await checkFacts(run, joined, deps.analyser, batchTokens, tell('check'))
  const sentences = acceptedOf(judged)
  const status = sentences.length > 0 ? 'answered' : 'not-in-memory'
  const withoutQuote = mapped.withoutQuote.map((text) => ({ text, why: 'no-citation' as const }))
  return {
    ...{ status, text: answerText(status, sentences, 'list'), sentences },
    dropped: [...droppedOf(judged), ...withoutQuote],
    ...{ documents: estimate.documents, batches: mapped.batches, facts: mapped.facts.length },
    ...{ incomplete: mapped.incomplete, estimate, usage: run.tally.total(), degraded: run.degraded },
    toString: () => markedAnswer({ status, sentences }, 'list'),
  }
}

/** What each call reads, loaded when its turn comes. */
async function* partsOf(
  { store }: AskAllDeps,
  batches: readonly PlannedBatch[],
  { filter, batchTokens, signal }: AskAllRequest,
): AsyncGenerator<readonly StoredChunk[]> {
  for (const batch of batches) {
    throwIfAborted(signal)
    yield* await readBatch(store, batch, filter.during, batchTokens)
  }
}
