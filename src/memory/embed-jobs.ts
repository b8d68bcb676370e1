import { isModelError, ProlepsisError } from '../domain/errors.ts'
import type { Job } from '../domain/jobs.ts'
import type { JobContext } from '../jobs/job-handler.ts'
import type { BankStore } from '../store/bank-store.ts'
import { type BankSpace, spaceStates } from '../store/queries/bank-spaces.ts'
import type { Engine } from './engine.ts'
import { depsFor } from './scope.ts'

/** Gives a document its vectors in the space that the job names, with that space's model. */
export async function embedJob(
  engine: Engine,
  job: Job,
  { store, signal }: Pick<JobContext, 'store' | 'signal'>,
): Promise<{ readonly vectors: number }> {
  const spaces = await spaceStates(store.database, store.bankId)
  const space = spaces.find(({ spaceId }) => spaceId === job.payload.space)
  // dropped, or cut over meanwhile: there is nothing to do
  if (space === undefined || space.state === 'active' || job.documentId === null) return { vectors: 0 }
  const shelved = await engine.embedders.of(space)
  if (shelved === null) {
    throw new ProlepsisError('MODEL_MISMATCH', `This memory does not have the model ${space.modelId}.`, {
      hint: 'Run `prolepsis work` where it is at hand.',
    })
  }
  const embedder = await shelved.source.load()
  const { embedIntoSpace } = await import('../retain/embed-into-space.ts')
  const deps = await depsFor(engine, store)
  return { vectors: await embedIntoSpace(deps, job.documentId, { space, embedder, signal }) }
}

/** Spaces beside the bank's active one whose model this memory has. */
export async function spacesAtHand(engine: Engine, store: BankStore): Promise<readonly number[]> {
  const ids: number[] = []
  for (const space of await besideActive(store)) {
    const shelved = await engine.embedders.of(space).catch(passOverMissingModel)
    if (shelved !== null) ids.push(space.spaceId)
  }
  return ids
}

/**
 * The same, and those whose model can be loaded by the settings that the migration noted, with keys from the environment. One that cannot is
 * left to other processes.
 */
export async function spacesInReach(engine: Engine, store: BankStore): Promise<readonly number[]> {
  for (const space of await besideActive(store)) {
    const { settings } = space
    if (settings === null) continue
    if ((await engine.embedders.of(space).catch(passOverMissingModel)) !== null) continue
    try {
      const named = engine.embedders.under(settings)
      const { modelId, dimension } = await named.source.load()
      if (modelId === space.modelId && dimension === space.dimension) await engine.embedders.put(named)
      else await named.source.close()
    } catch (error) {
      passOverMissingModel(error)
    }
  }
  return spacesAtHand(engine, store)
}

async function besideActive(store: BankStore): Promise<readonly BankSpace[]> {
  return (await spaceStates(store.database, store.bankId)).filter(({ state }) => state !== 'active')
}

function passOverMissingModel(error: unknown): null {
  if (isModelError(error)) return null
  throw error
}
