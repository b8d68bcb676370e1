import { chunkIdsOfDocuments } from '../store/queries/chunk-ids.ts'
import { closeDocument, findCurrentDocument, lockSource } from '../store/queries/documents.ts'
import { cancelEnrichment } from '../store/queries/job-leases.ts'
import { retireTerms } from '../store/queries/lexical-write.ts'
import type { Seen } from './banks.ts'
import { checkText } from './check-options.ts'
import type { MaintainDeps } from './maintain-deps.ts'

/**
 * Marks the text at a source as deleted: it leaves recall and stays visible as of an earlier time. False when there is no
 * current text at the source.
 *
 * @param seen shared by the attempts of one call: the one before may have removed it, and lost its answer
 */
export async function removeSource(
  { store, clock }: Pick<MaintainDeps, 'store' | 'clock'>,
  source: string,
  seen: Seen,
): Promise<boolean> {
  checkText(source, 'source')
  const { database, bankId } = store
  await database.transaction(async (tx) => {
    await lockSource(tx, bankId, source)
    const document = await findCurrentDocument(tx, bankId, source)
    if (document === null) return
    seen.found = true
    const now = new Date(clock.now())
    await closeDocument(tx, bankId, document.documentId, 'deleted', now)
    await cancelEnrichment(tx, bankId, [document.documentId], now)
    await retireTerms(tx, bankId, await chunkIdsOfDocuments(tx, bankId, [document.documentId]))
  })
  return seen.found
}
