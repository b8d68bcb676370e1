import { chunksOfDocument } from '../store/queries/chunks.ts'
import { findDocument } from '../store/queries/documents.ts'
import { deriveAgain, isSameCut } from './derive-again.ts'
import { type PlannedVector, vectorsOf } from './embed-chunks.ts'
import type { RetainDeps } from './retain-deps.ts'

/** The text of every vector that a document's chunks have, derived anew; none when the chunker cuts it otherwise by now. */
export async function plannedVectors(
  deps: RetainDeps,
  documentId: number,
): Promise<(PlannedVector & { readonly chunkId: number })[]> {
  const { database, bankId } = deps.store
  const document = await findDocument(database, bankId, documentId)
  if (document === null) return []
  const stored = await chunksOfDocument(database, bankId, documentId)
  const { chunks } = await deriveAgain(deps, document, stored, document, {})
  if (!isSameCut(stored, chunks)) return []
  return [...chunks].flatMap((chunk, at) =>
    vectorsOf(chunk).map((planned) => ({ ...planned, chunkId: stored[at]!.chunkId })),
  )
}
