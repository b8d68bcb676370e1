import type { AnswerDeps } from '../answer/answer-deps.ts'
import { ask } from '../answer/ask.ts'
import { signalOption } from '../answer/ask-options.ts'
import { eventStream } from '../answer/event-stream.ts'
import type { AskEvent, AskOptions } from '../domain/answer.ts'
import type { RecallQuery } from '../domain/recall.ts'
import type { Ask, Memory } from '../memory-api.ts'
import { feedback } from '../recall/feedback.ts'
import { recall } from '../recall/recall.ts'
import { repeatable } from '../store/repeat.ts'
import { recallKind } from './read-calls.ts'
import { depsOf, type Scope } from './scope.ts'

/** The calls of a bank that answer questions. */
export function answerCalls(scope: Scope): Pick<Memory, 'ask' | 'recallSynth'> {
  const { calls } = scope.engine
  const asked = (query: RecallQuery, options: AskOptions = {}): ReturnType<Ask> =>
    calls.run(async () => ask(await answerDeps(scope), query, options))
  const stream = (query: RecallQuery, options: AskOptions = {}): AsyncIterable<AskEvent> =>
    eventStream<AskEvent>(
      (emit, signal) =>
        calls.run(async () => ask(await answerDeps(scope), query, { ...options, signal }, emit)),
      signalOption(options?.signal),
    )
  const both: Ask = Object.assign(asked, { stream })
  return { ask: both, recallSynth: both }
}

/**
 * What answering needs of this bank. Its parts are repeated by themselves when the store's owner was lost; the whole is not: a model that was
 * asked and paid is not asked again.
 */
async function answerDeps(scope: Scope): Promise<AnswerDeps> {
  const { engine } = scope
  const { database, resolved } = engine
  const deps = await repeatable(database, () => depsOf(scope, 'read'))
  return {
    ...{ store: deps.store, analyser: deps.analyser, clock: deps.clock, ids: deps.ids, trace: deps.trace },
    model: deps.model,
    recall: (query, options, traceId) =>
      repeatable(database, async () =>
        recall(await depsOf(scope, recallKind(options)), query, options, traceId),
      ),
    reportCited: resolved.settings.readOnly
      ? null
      : (receipt, refs) =>
          repeatable(database, async () => feedback(await depsOf(scope, 'change'), receipt, { cited: refs })),
    prices: { input: resolved.settings.inputPrice, output: resolved.settings.outputPrice },
  }
}
