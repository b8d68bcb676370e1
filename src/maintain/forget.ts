import type { ForgetResult, ForgetSelector } from '../domain/care.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { deleteDocuments } from '../store/queries/delete-documents.ts'
import { findDocumentIds } from '../store/queries/documents.ts'
import { deleteReceipts } from '../store/queries/forget-chunks.ts'
import { deleteSweepRoots } from '../store/queries/sweep.ts'
import { deleteTrace } from '../store/queries/trace-prune.ts'
import { checkKeys, checkText } from './check-options.ts'
import type { MaintainDeps } from './maintain-deps.ts'

/** What the attempts of one call share, so that its answer counts what an earlier one removed. */
export interface ForgetProgress {
  documents: number
  chunks: number
  /** Documents that a transaction removed whose end was not heard of. */
  unsure: { readonly ids: readonly number[]; readonly gone: ForgetResult } | null
}

export function startForgetting(): ForgetProgress {
  return { documents: 0, chunks: 0, unsure: null }
}

/** Documents deleted in one transaction: bounds its length; what was deleted stays deleted if the next one fails. */
const SLICE = 200
const SELECTORS = ['ref', 'source', 'sourcePrefix', 'tag', 'all'] as const

/**
 * Removes text for good, from every table, what others retain while it runs included: documents in all their versions by source, prefix, tag or all of them (then the
 * receipts and the trace too), or one chunk by ref (with its like in other versions of the source; the document's other chunks stay,
 * and the same text retained again stays without it). Zero counts when nothing matches.
 *
 * @param progress of this call, given again when it is repeated
 * @param forgetChunk removes a chunk by ref with what its neighbours derive from it
 * @throws ProlepsisError INVALID_ARGUMENT unless exactly one selector is given; UNKNOWN_OPTION
 */
export async function forget(
  deps: MaintainDeps,
  selector: ForgetSelector,
  forgetChunk: (ref: string) => Promise<ForgetResult>,
  progress: ForgetProgress,
): Promise<ForgetResult> {
  const one = readSelector(selector)
  const result = 'ref' in one ? await forgetChunk(one.ref) : await forgetDocuments(deps, one, progress)
  deps.events.emit({ type: 'forget-end', bank: deps.store.bank, ...result })
  return result
}

/** The one selector alone: a member that is undefined, `all` above all, must say nothing. */
function readSelector(selector: ForgetSelector): ForgetSelector {
  checkKeys(selector, SELECTORS, 'forget')
  const given = SELECTORS.filter((name) =>
    Object.entries(selector).some(([key, value]) => key === name && value !== undefined),
  )
  const [only] = given
  if (given.length !== 1 || only === undefined) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'forget takes exactly one selector.', {
      hint: `Give one of ${SELECTORS.join(', ')}.`,
      details: { given },
    })
  }
  const value: unknown = Object.values(selector).find((one) => one !== undefined)
  // a selector with the one name that was checked
  if (only !== 'all') return { [only]: checkText(value, only) } as unknown as ForgetSelector
  if (value !== true) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'all must be true.', {
      hint: 'Everything of the bank is forgotten only with { all: true }.',
      details: { option: 'all' },
    })
  }
  return { all: true }
}

async function forgetDocuments(
  { store }: MaintainDeps,
  selector: Exclude<ForgetSelector, { readonly ref: string }>,
  progress: ForgetProgress,
): Promise<ForgetResult> {
  const { database, bankId } = store
  const everything = 'all' in selector
  // before the documents: each of them need not be looked for in it
  if (everything) await deleteTrace(database, bankId)
  // again until there is nothing: a version that was committed meanwhile holds the same words
  for (;;) {
    const ids = await findDocumentIds(database, bankId, everything ? {} : selector)
    settle(progress, ids)
    if (ids.length === 0) break
    for (let at = 0; at < ids.length; at += SLICE) {
      const slice = ids.slice(at, at + SLICE)
      await database.transaction(async (tx) => {
        progress.unsure = { ids: slice, gone: await deleteDocuments(tx, bankId, slice) }
      })
      settle(progress, [])
    }
  }
  if (everything) {
    await deleteReceipts(database, bankId)
    // what others noted meanwhile
    await deleteTrace(database, bankId)
    await deleteSweepRoots(database, bankId)
  }
  const { documents, chunks } = progress
  return { documents, chunks }
}

/** Counts the slice whose commit was not heard of, unless its documents are there still. */
function settle(progress: ForgetProgress, there: readonly number[]): void {
  const { unsure } = progress
  progress.unsure = null
  if (unsure === null || unsure.ids.some((id) => there.includes(id))) return
  progress.documents += unsure.gone.documents
  progress.chunks += unsure.gone.chunks
}
