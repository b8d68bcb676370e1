import { homedir, hostname } from 'node:os'
import type { Sweeper, SweepOptions, SweepPass, SweepWatchOptions, SweptFolder } from '../domain/sweep.ts'
import type { Memory } from '../memory-api.ts'
import type { SweepDeps } from '../retain/sweep/sweep-folder.ts'
import { listSweepRoots } from '../store/queries/sweep.ts'
import { awaitEnriched, gather, gathering, readAwait } from './await-enriched.ts'
import type { Engine } from './engine.ts'
import { type BankDeps, callOn, type Scope } from './scope.ts'

/** The calls that keep a folder and its documents in step. */
export function sweepCalls(scope: Scope): Pick<Memory, 'sweep'> {
  const { engine } = scope
  const sweep = async (dir: string, options?: SweepOptions): Promise<SweepPass> => {
    const { waits, onProgress } = readAwait(options, 'onJobProgress')
    const gathered = gather()
    // of the call, so that its repetition finds the folder its own
    const holder = holderName(engine)
    const swept = await callOn(scope, 'write', async (deps) => {
      const { sweepFolder } = await import('../retain/sweep/sweep-folder.ts')
      const onDocument = (documentId: number): void => void gathered.documentIds.push(documentId)
      const own = { ...sweepDeps(engine, gathering(deps, gathered), holder), onDocument }
      const pass = await sweepFolder(own, dir, options)
      await followUp(engine, deps, pass, options?.signal)
      return pass
    })
    if (!waits) return swept
    const enrichment = await awaitEnriched(scope, gathered, { signal: options?.signal, onProgress })
    return { ...swept, enrichment }
  }
  return {
    sweep: Object.assign(sweep, {
      watch: async (dir: string, options?: SweepWatchOptions): Promise<Sweeper> => {
        engine.calls.assertOpen()
        const { watchFolder } = await import('../retain/sweep/watch-folder.ts')
        const holder = holderName(engine)
        const run = <T>(work: (deps: SweepDeps) => Promise<T>): Promise<T> =>
          callOn(scope, 'write', (deps) => work(sweepDeps(engine, deps, holder)))
        const sweeper: Sweeper = await watchFolder(
          {
            ...{ run, events: engine.events },
            followUp: (deps, pass, signal) => followUp(engine, deps, pass, signal),
            onEnd: () => void engine.sweepers.delete(sweeper),
          },
          dir,
          options,
        )
        engine.sweepers.add(sweeper)
        // closed meanwhile: nobody else ends it
        if (engine.calls.hasEnded()) await sweeper.stop()
        return sweeper
      },
      status: (): Promise<readonly SweptFolder[]> =>
        callOn(scope, 'read', async ({ store }) =>
          (await listSweepRoots(store.database, store.bankId)).map(
            ({ rootId: _rootId, device: _device, labels: _labels, ...folder }) => folder,
          ),
        ),
    }),
  }
}

async function followUp(
  engine: Engine,
  { store }: Pick<BankDeps, 'store'>,
  pass: SweepPass,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { created, updated, moved, deleted, chunks } = pass
  if (created + updated + moved.length + deleted.length === 0) return
  engine.people.invalidate(store.bankId)
  await engine.upkeep.afterBulk(store, chunks, signal)
}

function sweepDeps(engine: Engine, deps: BankDeps, holder: string): SweepDeps {
  const { settings, location } = engine.resolved
  const dataDir = 'dataDir' in location ? location.dataDir : null
  return {
    ...deps,
    maxFileBytes: settings.maxFileBytes,
    exclude: dataDir === null ? [] : [dataDir],
    dataDir,
    home: homedir(),
    holder,
    isGone,
  }
}

/** Process, machine, and what tells two sweepers of one process apart. */
function holderName({ ids }: Engine): string {
  return `process ${process.pid} on ${hostname()} (${ids.next()})`
}

/** Whether a holder is a process of this machine that has ended. */
function isGone(holder: string): boolean {
  const [, pid, host] = /^process (\d+) on (.+) \([^()]*\)$/.exec(holder) ?? []
  if (pid === undefined || host !== hostname()) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    // EPERM: it is there, and another user's
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
