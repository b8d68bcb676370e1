import type { Queryable } from '../database.ts'
import { deleteMentions } from './entities.ts'
import { forgetInReceipts } from './forget-receipts.ts'
import { forgetInTrace } from './forget-trace.ts'
import { deleteTerms } from './lexical-write.ts'
import { spacesOfBank } from './spaces.ts'
import { deleteVectors } from './vectors-write.ts'

/**
 * Removes documents for good, with everything that was derived from them: chunks, cues, vectors of all spaces of the
 * bank, bits, terms and postings, mentions and entities that nothing else mentions, activity, passages of receipts.
 * Receipts stay, without their question where it may tell of the documents (`forgetInReceipts`). Run it in a transaction; a document that is not there is passed over.
 */
export async function deleteDocuments(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
): Promise<{ readonly documents: number; readonly chunks: number }> {
  if (documentIds.length === 0) return { documents: 0, chunks: 0 }
  const documents = await tx.query<{ id: number; current: boolean }>(
    `select document_id as id, state = 'current' as current from documents
     where bank_id = $1 and document_id = any($2::bigint[]) order by document_id for update`,
    [bankId, documentIds],
  )
  const chunks = await tx.query<{ id: number; documentId: number }>(
    `select chunk_id as id, document_id as "documentId" from chunks
     where bank_id = $1 and document_id = any($2::bigint[]) order by chunk_id`,
    [bankId, documents.map((document) => document.id)],
  )
  const current = new Set(documents.filter((document) => document.current).map((document) => document.id))
  const ids = chunks.map((chunk) => chunk.id)
  await forgetInTrace(tx, bankId, { documentIds, chunkIds: ids, whole: true })
  await forgetInReceipts(tx, bankId, ids)
  await deleteMentions(tx, bankId, ids)
  for (const space of await spacesOfBank(tx, bankId)) await deleteVectors(tx, bankId, space, ids)
  const counted = chunks.filter((chunk) => current.has(chunk.documentId)).map((chunk) => chunk.id)
  const retired = chunks.filter((chunk) => !current.has(chunk.documentId)).map((chunk) => chunk.id)
  await deleteTerms(tx, bankId, counted, { counted: true })
  await deleteTerms(tx, bankId, retired, { counted: false })
  // Cues, activity, passages of receipts go with their chunks by foreign key.
  await tx.execute('delete from documents where bank_id = $1 and document_id = any($2::bigint[])', [
    bankId,
    documents.map((document) => document.id),
  ])
  return { documents: documents.length, chunks: chunks.length }
}
