import { followTrace } from '../maintain/trace/follow-trace.ts'
import { exchangeOf, tailOfTrace } from '../maintain/trace/read-trace.ts'
import type { Memory } from '../memory-api.ts'
import { tailTrace } from '../store/queries/trace-read.ts'
import { type BankDeps, callOn, type Scope } from './scope.ts'

/** The calls that read the trace. What this memory has noted is written first. */
export function eventCalls(scope: Scope): Pick<Memory, 'events'> {
  const { engine } = scope
  const read = <T>(work: (deps: BankDeps) => Promise<T>): Promise<T> =>
    callOn(scope, 'read', async (deps) => {
      await engine.trace.flush()
      return work(deps)
    })
  return {
    events: {
      tail: (options) => read((deps) => tailOfTrace(deps, options)),
      follow: (options) =>
        followTrace(
          (request) => read(({ store }) => tailTrace(store.database, store.bankId, request)),
          options,
        ),
      trace: (id) => read((deps) => exchangeOf(deps, id)),
    },
  }
}
