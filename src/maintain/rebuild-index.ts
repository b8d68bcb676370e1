import { throwIfAborted } from '../domain/errors.ts'
import type { BankStore, VectorSpace } from '../store/bank-store.ts'
import { lockDerived } from '../store/queries/derived-lock.ts'
import { findDocumentIds } from '../store/queries/documents.ts'
import { documentsWithoutVectors, joinSpace, leaveSpace } from '../store/queries/leave-space.ts'
import { ensureSpace, setActiveSpace, spacesOfBank } from '../store/queries/spaces.ts'
import { repeatable } from '../store/repeat.ts'
import { checkKeys } from './check-options.ts'
import type { MaintainDeps } from './maintain-deps.ts'

export interface RebuildOptions {
  readonly reembed?: boolean
  readonly onProgress?: (done: number, total: number) => void
  readonly signal?: AbortSignal
}

export interface Rebuilt {
  readonly documents: number
  readonly chunks: number
}

export interface RebuildDeps extends MaintainDeps {
  /** The model of this memory. */
  readonly model: { readonly modelId: string; readonly dimension: number }
  /** Derives one document anew, with vectors in the store's space (`anew`: without those that are there); resolves to its chunks, or null when it is gone. */
  readonly rederive: (
    store: BankStore,
    documentId: number,
    how: { readonly anew: boolean; readonly signal: AbortSignal | undefined },
  ) => Promise<number | null>
}

/**
 * Derives chunks, cues, vectors and postings anew from the texts, document by document, each in a transaction of its own: the bank can
 * be searched throughout, and a run that was cut short is simply repeated. Texts embedded before are not embedded again.
 * With `reembed`, every text is embedded again. Where the model is another one, the vectors go to the space of this memory's model beside the old ones; when every document has them, the
 * bank is switched over and the old ones are removed in one transaction. A run cut short goes on where it ended.
 */
export async function rebuildIndex(deps: RebuildDeps, options: RebuildOptions = {}): Promise<Rebuilt> {
  checkKeys(options, ['reembed', 'onProgress', 'signal'], 'rebuildIndex')
  const startedAt = performance.now()
  const moves =
    options.reembed === true &&
    (deps.store.space.modelId !== deps.model.modelId || deps.store.space.dimension !== deps.model.dimension)
  const rebuilt = moves ? await moveToModel(deps, options) : await rebuildAll(deps, options)
  const durationMs = performance.now() - startedAt
  deps.events.emit({ type: 'maintenance-end', task: moves ? 'reembed' : 'rebuild-index', durationMs })
  return rebuilt
}

async function rebuildAll(deps: RebuildDeps, options: RebuildOptions): Promise<Rebuilt> {
  const { database, bankId } = deps.store
  return rederiveEach(deps, deps.store, await findDocumentIds(database, bankId, {}), options)
}

async function moveToModel(deps: RebuildDeps, options: RebuildOptions): Promise<Rebuilt> {
  const { database, bankId } = deps.store
  const space = await ensureSpace(database, { ...deps.model, now: new Date(deps.clock.now()) })
  await joinSpace(database, bankId, space.spaceId)
  const store = { ...deps.store, space }
  const total = { documents: 0, chunks: 0 }
  // what another process retains meanwhile has vectors of the old model only: go round until nothing is left
  for (;;) {
    const left = await documentsWithoutVectors(database, bankId, space)
    if (left.length === 0 && (await switchOver(deps, space))) return total
    const round = await rederiveEach(deps, store, left, { ...options, reembed: false })
    total.documents += round.documents
    total.chunks += round.chunks
  }
}

/** False when a document without vectors of the new space has come in. */
function switchOver({ store }: RebuildDeps, space: VectorSpace): Promise<boolean> {
  const { database, bankId } = store
  return database.transaction(async (tx) => {
    // writers hold it to their end: none can slip in between the look and the switch
    await lockDerived(tx, bankId)
    if ((await documentsWithoutVectors(tx, bankId, space)).length > 0) return false
    await setActiveSpace(tx, bankId, space.spaceId)
    for (const old of await spacesOfBank(tx, bankId)) {
      if (old.spaceId !== space.spaceId) await leaveSpace(tx, bankId, old)
    }
    return true
  })
}

async function rederiveEach(
  deps: RebuildDeps,
  store: BankStore,
  documentIds: readonly number[],
  options: RebuildOptions,
): Promise<Rebuilt> {
  let documents = 0
  let chunks = 0
  for (const [at, documentId] of documentIds.entries()) {
    throwIfAborted(options.signal)
    const made = await repeatable(store.database, () =>
      deps.rederive(store, documentId, { anew: options.reembed === true, signal: options.signal }),
    )
    if (made !== null) {
      documents++
      chunks += made
    }
    options.onProgress?.(at + 1, documentIds.length)
  }
  return { documents, chunks }
}
