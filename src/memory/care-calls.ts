import { requireBank } from '../maintain/banks.ts'
import type { VectorWitness } from '../maintain/check-vectors.ts'
import { doctor } from '../maintain/doctor.ts'
import { forget, startForgetting } from '../maintain/forget.ts'
import { type RebuildOptions, type Rebuilt, rebuildIndex } from '../maintain/rebuild-index.ts'
import { removeSource } from '../maintain/remove.ts'
import { readStats } from '../maintain/stats.ts'
import type { Memory } from '../memory-api.ts'
import type { ChunkProgress } from '../retain/forget-chunk.ts'
import { moveToOwnModel } from './embedder-calls.ts'
import { assertWritable, type BankDeps, callOn, depsFor, depsOf, makeUnnamed, type Scope } from './scope.ts'

type Care = 'remove' | 'forget' | 'rebuildIndex' | 'stats' | 'doctor'

/** The calls that look after a bank. */
export function careCalls(scope: Scope): Pick<Memory, Care> {
  const { engine, opener, name } = scope
  const rebuild = async (deps: BankDeps, options?: RebuildOptions): Promise<Rebuilt> => {
    const { rederive } = await import('../retain/rederive.ts')
    // a bank that this memory has moved keeps the model that it was moved to
    const there = await engine.embedders.of(deps.store.space).catch(() => null)
    const model = there === null ? await engine.embedder.identity() : deps.store.space
    const rebuilt = await rebuildIndex(
      {
        ...deps,
        model,
        moveToModel: (moveOptions) => moveToOwnModel(scope, deps, moveOptions),
        rederive: async (store, documentId, how) =>
          (await rederive(await depsFor(engine, store), documentId, how))?.chunks ?? null,
      },
      options,
    )
    opener.invalidate(name)
    engine.people.invalidate(deps.store.bankId)
    // a change of model has put the bank into another space
    await engine.upkeep.afterBulk((await depsOf(scope, 'read')).store, rebuilt.chunks, options?.signal)
    return rebuilt
  }
  return {
    remove: (source) => {
      const seen = { found: false }
      return callOn(scope, 'change', async (deps) => {
        const removed = await removeSource(deps, source, seen)
        engine.people.invalidate(deps.store.bankId)
        return removed
      })
    },
    forget: (selector) => {
      const progress = startForgetting()
      const ofChunk: ChunkProgress = { unsure: null }
      return callOn(scope, 'change', async (deps) => {
        // receipts and events that wait to be written must not come after what they name
        await engine.receipts.flush()
        await engine.trace.flush()
        const { forgetChunk } = await import('../retain/forget-chunk.ts')
        const gone = await forget(deps, selector, (ref) => forgetChunk(deps, ref, ofChunk), progress)
        engine.people.invalidate(deps.store.bankId)
        engine.formulations.clear(deps.store.bankId)
        if (gone.documents + gone.chunks > 0 || ('all' in selector && selector.all === true))
          await engine.upkeep.afterForget()
        return gone
      })
    },
    rebuildIndex: (options) =>
      callOn(scope, options?.reembed === true ? 'change' : 'write', (deps) => rebuild(deps, options)),
    stats: () =>
      callOn(scope, 'read', async (deps) => {
        await engine.receipts.flush()
        await engine.trace.flush()
        return readStats(deps)
      }),
    doctor: (options) =>
      engine.calls.run(async () => {
        const { database, clock } = engine
        if (options?.mend === true) assertWritable(engine)
        await engine.receipts.flush()
        await makeUnnamed(scope)
        const bank = await requireBank(database, name)
        const analyser = await engine.analysers.of(bank.language)
        const report = await doctor(
          {
            database,
            bank,
            model: () => engine.embedder.identity(),
            now: new Date(clock.now()),
            rebuild: async ({ reembed }) => rebuild(await depsOf(scope, 'write'), { reembed }),
            hasTerms: (text) => analyser.terms(text).length > 0,
            witness: () => witnessOf(scope),
          },
          options,
        )
        engine.people.invalidate(bank.bankId)
        return report
      }),
  }
}

/** The bank's model, to embed texts again; null when this memory has another or none. */
async function witnessOf(scope: Scope): Promise<VectorWitness | null> {
  const deps = await depsOf(scope, 'read')
  const { modelOfBank } = await import('../retain/embed-remains.ts')
  const embedder = await modelOfBank(deps)
  if (embedder === null) return null
  const { plannedVectors } = await import('../retain/planned-vectors.ts')
  return { embedder, textsOf: (documentId) => plannedVectors(deps, documentId) }
}
