import type { ChunkDraft } from '../../domain/chunk.ts'
import type { Queryable } from '../database.ts'

/** Writes what a chunker says of chunks whose text stays: everything but text and place. */
export async function updateChunkDrafts(
  tx: Queryable,
  bankId: number,
  chunks: readonly { readonly chunkId: number; readonly draft: ChunkDraft; readonly tokens: number }[],
): Promise<void> {
  for (const { chunkId, draft, tokens } of chunks) {
    await tx.execute(
      `update chunks set kind = $3, label = $4, speaker = $5, occurred_at = $6, content = $7,
         attributes = $8::text::jsonb, tokens = $9
       where bank_id = $1 and chunk_id = $2`,
      [
        bankId,
        chunkId,
        draft.kind,
        draft.label,
        draft.speaker,
        draft.occurredAt,
        draft.content,
        JSON.stringify(draft.attributes),
        tokens,
      ],
    )
  }
}

/**
 * Removes chunks with what hangs on them by foreign key: cues, activity, passages of receipts. Terms, vectors and
 * mentions are the caller's to remove first.
 */
export function deleteChunks(tx: Queryable, bankId: number, chunkIds: readonly number[]): Promise<number> {
  return tx.execute('delete from chunks where bank_id = $1 and chunk_id = any($2::bigint[])', [
    bankId,
    chunkIds,
  ])
}

/** What a document says of its chunks, when they are replaced or some of them are forgotten. */
export async function updateDocumentExtent(
  tx: Queryable,
  bankId: number,
  documentId: number,
  extent: { readonly chunkCount: number; readonly byteLength: number; readonly notes: readonly string[] },
): Promise<void> {
  await tx.execute(
    `update documents set chunk_count = $3, byte_length = $4, notes = $5::text[]
     where bank_id = $1 and document_id = $2`,
    [bankId, documentId, extent.chunkCount, extent.byteLength, extent.notes],
  )
}
