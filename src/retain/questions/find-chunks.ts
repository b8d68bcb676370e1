import type { Document } from '../../domain/document.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import { parseRef } from '../../domain/ref.ts'
import type { BankStore } from '../../store/bank-store.ts'
import { chunkByRef, chunksOfDocument, type StoredChunk } from '../../store/queries/chunks.ts'
import { findCurrentDocument, findDocument } from '../../store/queries/documents.ts'

/** A document, and those of its chunks that are meant. */
export interface Target {
  readonly document: Document
  readonly chunks: readonly StoredChunk[]
  /** Whether the whole document was named. */
  readonly whole: boolean
}

/** What a source (its current version) or a ref names; a source wins where both could be meant. @throws ProlepsisError NOT_FOUND, INVALID_ARGUMENT */
export async function findTarget({ database, bankId }: BankStore, target: unknown): Promise<Target> {
  if (typeof target !== 'string' || target.trim() === '') {
    throw new ProlepsisError('INVALID_ARGUMENT', 'A ref or a source is a text.', {
      hint: 'For example kelly.md#3, or kelly.md for all of it.',
      details: { option: 'target' },
    })
  }
  const document = await findCurrentDocument(database, bankId, target)
  if (document !== null) {
    return { document, chunks: await chunksOfDocument(database, bankId, document.documentId), whole: true }
  }
  const ref = parseRef(target)
  const chunk = ref && (await chunkByRef(database, bankId, { ...ref, version: ref.version ?? undefined }))
  const own = chunk && (await findDocument(database, bankId, chunk.documentId))
  if (chunk === null || own === null) {
    throw new ProlepsisError('NOT_FOUND', `There is no ${target.slice(0, 200)} in this bank.`, {
      hint: 'Refs look like source#3; prolepsis documents list (documents()) shows the sources.',
      details: { target: target.slice(0, 200) },
    })
  }
  return { document: own, chunks: [chunk], whole: false }
}
