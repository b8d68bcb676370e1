import { type AskAllDeps, askAll, estimateAskAll } from '../answer/all/ask-all.ts'
import type { AnswerDeps } from '../answer/answer-deps.ts'
import { ask } from '../answer/ask.ts'
import { signalOption } from '../answer/ask-options.ts'
import { eventStream } from '../answer/event-stream.ts'
import type {
  AskAllEstimate,
  AskAllOptions,
  AskAllResult,
  AskEvent,
  AskOptions,
  AskResult,
} from '../domain/answer.ts'
import type { RecallQuery } from '../domain/recall.ts'
import type { Ask, Memory } from '../memory-api.ts'
import { feedback } from '../recall/feedback.ts'
import { recall } from '../recall/recall.ts'
import { readFilter } from '../recall/validate.ts'
import { repeatable } from '../store/repeat.ts'
import { recallKind } from './read-calls.ts'
import { depsOf, type Scope } from './scope.ts'

/** The calls of a bank that answer questions. */
export function answerCalls(scope: Scope): Pick<Memory, 'ask' | 'recallSynth' | 'askAll'> {
  const { calls } = scope.engine
  const asked = (query: RecallQuery, options?: AskOptions): Promise<AskResult> =>
    calls.run(async () => ask(await answerDeps(scope), query, options))
  const stream = (query: RecallQuery, options?: AskOptions): AsyncIterable<AskEvent> =>
    eventStream<AskEvent>(
      (emit, signal) =>
        calls.run(async () => ask(await answerDeps(scope), query, { ...options, signal }, emit)),
      signalOption(options?.signal),
    )
  const both: Ask = Object.assign(asked, { stream })
  const allAsked = (question: string, options?: AskAllOptions): Promise<AskAllResult> =>
    calls.run(async () => askAll(await askAllDeps(scope), question, options))
  const estimate = (question: string, options?: AskAllOptions): Promise<AskAllEstimate> =>
    calls.run(async () => estimateAskAll(await askAllDeps(scope), question, options))
  return { ask: both, recallSynth: both, askAll: Object.assign(allAsked, { estimate }) }
}

/**
 * What answering needs of this bank. Its parts are repeated by themselves when the store's owner was lost; the whole is not: a model that was
 * asked and paid is not asked again.
 */
async function answerDeps(scope: Scope): Promise<AnswerDeps> {
  const { database, resolved } = scope.engine
  const { store, analyser, clock, ids, trace, model } = await repeatable(database, () =>
    depsOf(scope, 'read'),
  )
  return {
    ...{ store, analyser, clock, ids, trace, model, assertOpen: scope.engine.calls.assertOpen },
    recall: (query, options, traceId) =>
      repeatable(database, async () =>
        recall(await depsOf(scope, recallKind(options)), query, options, traceId),
      ),
    reportCited: resolved.settings.readOnly
      ? null
      : (receipt, refs) =>
          repeatable(database, async () => feedback(await depsOf(scope, 'change'), receipt, { cited: refs })),
  }
}

async function askAllDeps(scope: Scope): Promise<AskAllDeps> {
  const { inputPrice, outputPrice } = scope.engine.resolved.settings
  return { ...(await answerDeps(scope)), readFilter, prices: { input: inputPrice, output: outputPrice } }
}
