import { throwIfAborted } from '../domain/errors.ts'
import type { BankStore, VectorSpace } from '../store/bank-store.ts'
import { findDocumentIds } from '../store/queries/documents.ts'
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
  /** Moves the bank to that model and drops the vectors of the old one (`embedder migrate` without looking back); resolves to its space. */
  readonly moveToModel: (options: RebuildOptions) => Promise<VectorSpace>
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
 * With `reembed`, every text is embedded again. Where the model is another one, the bank is first moved to this memory's model, as `embedder migrate`
 * does it, and the old vectors are dropped at once. A run cut short goes on where it ended.
 */
export async function rebuildIndex(deps: RebuildDeps, options: RebuildOptions = {}): Promise<Rebuilt> {
  checkKeys(options, ['reembed', 'onProgress', 'signal'], 'rebuildIndex')
  const startedAt = performance.now()
  const { space } = deps.store
  const moves =
    options.reembed === true &&
    (space.modelId !== deps.model.modelId || space.dimension !== deps.model.dimension)
  const store = moves ? { ...deps.store, space: await deps.moveToModel(options) } : deps.store
  // what was embedded for the move need not be embedded again
  const rebuilt = await rederiveEach(deps, store, { ...options, reembed: !moves && options.reembed === true })
  const durationMs = performance.now() - startedAt
  deps.events.emit({ type: 'maintenance-end', task: moves ? 'reembed' : 'rebuild-index', durationMs })
  return rebuilt
}

async function rederiveEach(deps: RebuildDeps, store: BankStore, options: RebuildOptions): Promise<Rebuilt> {
  const documentIds = await findDocumentIds(store.database, store.bankId, {})
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
