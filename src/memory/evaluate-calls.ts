import type { Memory } from '../memory-api.ts'
import { createFormulationCache } from '../recall/formulate/formulation-cache.ts'
import { measureRecall } from '../recall/measure-recall.ts'
import { recallKind } from './read-calls.ts'
import { callOn, depsOf, type Scope } from './scope.ts'

/** The calls that measure recall on questions whose sources are known. */
export function evaluateCalls(scope: Scope): Pick<Memory, 'evaluate' | 'draftEvaluation'> {
  const { engine } = scope
  return {
    async evaluate(cases, options) {
      engine.calls.assertOpen()
      const { evaluate } = await import('../maintain/evaluate/evaluate.ts')
      const traceId = engine.ids.next()
      // what was formulated for others a moment ago would look free
      const cache = createFormulationCache(engine.clock)
      const kind = recallKind(options?.recall)
      // each recall is a call of its own: closing waits for one of them, not for all
      return evaluate(
        {
          traceId,
          look: (work) => callOn(scope, 'read', ({ store }) => work(store)),
          measure: (query, recallOptions) =>
            callOn(scope, kind, (deps) =>
              measureRecall(
                {
                  ...deps,
                  trace: { record: () => undefined },
                  formulation: { ...deps.formulation, cache },
                },
                query,
                recallOptions,
                traceId,
              ),
            ),
          hear: engine.trace.hear,
        },
        cases,
        options,
      )
    },
    draftEvaluation: (options) =>
      // not repeated when the store's owner is lost: its model calls would be paid twice
      engine.calls.run(async () => {
        const deps = await depsOf(scope, 'read')
        const { draftCases } = await import('../maintain/evaluate/draft-cases.ts')
        const { store, model } = deps
        return draftCases({ store, model, traceId: engine.ids.next(), hear: engine.trace.hear }, options)
      }),
  }
}
