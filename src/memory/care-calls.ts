import { forget } from '../maintain/forget.ts'
import { rebuildIndex } from '../maintain/rebuild-index.ts'
import { removeSource } from '../maintain/remove.ts'
import { readStats } from '../maintain/stats.ts'
import type { Memory } from '../memory-api.ts'
import { rederive } from '../retain/rederive.ts'
import { callOn, depsFor, type Scope } from './scope.ts'

type Care = 'remove' | 'forget' | 'rebuildIndex' | 'stats'

/** The calls that look after a bank. */
export function careCalls(scope: Scope): Pick<Memory, Care> {
  const { engine, opener, name } = scope
  return {
    remove: (source) =>
      callOn(scope, 'care', async (deps) => {
        const removed = await removeSource(deps, source)
        engine.people.invalidate(deps.store.bankId)
        return removed
      }),
    forget: (selector) =>
      callOn(scope, 'care', async (deps) => {
        // receipts that wait to be written must not come after what they name
        await engine.receipts.flush()
        const gone = await forget(deps, selector)
        engine.people.invalidate(deps.store.bankId)
        return gone
      }),
    rebuildIndex: (options) =>
      callOn(scope, options?.reembed === true ? 'care' : 'recall', async (deps) => {
        const model = await engine.embedder.identity()
        const rebuilt = await rebuildIndex(
          {
            ...deps,
            model,
            rederive: async (store, documentId, signal) =>
              (await rederive(depsFor(engine, store), documentId, { signal }))?.chunks.length ?? null,
          },
          options,
        )
        opener.invalidate(name)
        engine.people.invalidate(deps.store.bankId)
        return rebuilt
      }),
    stats: () => callOn(scope, 'care', (deps) => readStats(deps)),
  }
}
