import type { ForgetResult, ForgetSelector } from '../domain/care.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { parseRef } from '../domain/ref.ts'
import { chunkByRef } from '../store/queries/chunks.ts'
import { deleteDocuments } from '../store/queries/delete-documents.ts'
import { findDocumentIds, lockSource } from '../store/queries/documents.ts'
import { deleteMentions } from '../store/queries/entities.ts'
import { chunksOfSameText, deleteReceipts, noteForgottenChunks } from '../store/queries/forget-chunks.ts'
import { deleteTerms } from '../store/queries/lexical-write.ts'
import { deleteChunks } from '../store/queries/rederive-chunks.ts'
import { spacesOfBank } from '../store/queries/spaces.ts'
import { deleteVectors } from '../store/queries/vectors-write.ts'
import { checkKeys, checkText } from './check-options.ts'
import type { MaintainDeps } from './maintain-deps.ts'

/** Documents deleted in one transaction: bounds its length; what was deleted stays deleted if the next one fails. */
const SLICE = 200
const SELECTORS = ['ref', 'source', 'sourcePrefix', 'tag', 'all'] as const

/**
 * Removes text for good, from every table, what others retain while it runs included: documents in all their versions by source, prefix, tag or all of them (then the
 * receipts too), or one chunk by ref (with its like in other versions of the source; the document's other chunks stay,
 * and the same text retained again stays without it). Zero counts when nothing matches.
 *
 * @throws ProlepsisError INVALID_ARGUMENT unless exactly one selector is given; UNKNOWN_OPTION
 */
export async function forget(deps: MaintainDeps, selector: ForgetSelector): Promise<ForgetResult> {
  checkSelector(selector)
  const result =
    'ref' in selector ? await forgetChunk(deps, selector.ref) : await forgetDocuments(deps, selector)
  deps.events.emit({ type: 'forget-end', bank: deps.store.bank, ...result })
  return result
}

function checkSelector(selector: ForgetSelector): void {
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
  if (only !== 'all') checkText(value, only)
  else if (value !== true) {
    throw new ProlepsisError('INVALID_ARGUMENT', 'all must be true.', {
      hint: 'Everything of the bank is forgotten only with { all: true }.',
      details: { option: 'all' },
    })
  }
}

async function forgetDocuments(
  { store }: MaintainDeps,
  selector: Exclude<ForgetSelector, { readonly ref: string }>,
): Promise<ForgetResult> {
  const { database, bankId } = store
  const everything = 'all' in selector
  let documents = 0
  let chunks = 0
  // again until there is nothing: a version that was committed meanwhile holds the same words
  for (;;) {
    const ids = await findDocumentIds(database, bankId, everything ? {} : selector)
    if (ids.length === 0) break
    for (let at = 0; at < ids.length; at += SLICE) {
      const gone = await database.transaction((tx) => deleteDocuments(tx, bankId, ids.slice(at, at + SLICE)))
      documents += gone.documents
      chunks += gone.chunks
    }
  }
  if (everything) await deleteReceipts(database, bankId)
  return { documents, chunks }
}

async function forgetChunk({ store, clock }: MaintainDeps, ref: string): Promise<ForgetResult> {
  const { database, bankId } = store
  const parsed = parseRef(ref)
  if (parsed === null) {
    throw new ProlepsisError('INVALID_ARGUMENT', `"${ref.slice(0, 100)}" is not a ref.`, {
      hint: 'A ref is a source, # and the chunk’s number from 1: kelly.md#3.',
      details: { option: 'ref' },
    })
  }
  const wanted = await chunkByRef(database, bankId, { ...parsed, version: parsed.version ?? undefined })
  if (wanted === null) return { documents: 0, chunks: 0 }
  return database.transaction(async (tx) => {
    // whoever derives this source anew must not bring the chunk back
    await lockSource(tx, bankId, parsed.source)
    const alike = await chunksOfSameText(tx, bankId, wanted.chunkId)
    const ids = alike.map((chunk) => chunk.chunkId)
    await deleteMentions(tx, bankId, ids)
    for (const space of await spacesOfBank(tx, bankId)) await deleteVectors(tx, bankId, space, ids)
    const counted = alike.filter((chunk) => chunk.current).map((chunk) => chunk.chunkId)
    const retired = alike.filter((chunk) => !chunk.current).map((chunk) => chunk.chunkId)
    await deleteTerms(tx, bankId, counted, { counted: true })
    await deleteTerms(tx, bankId, retired, { counted: false })
    const chunks = await deleteChunks(tx, bankId, ids)
    const documents = [...new Set(alike.map((chunk) => chunk.documentId))]
    const day = new Date(clock.now()).toISOString().slice(0, 10)
    const emptied = await noteForgottenChunks(tx, bankId, documents, `a chunk was forgotten on ${day}`)
    await deleteDocuments(tx, bankId, emptied)
    return { documents: emptied.length, chunks }
  })
}
