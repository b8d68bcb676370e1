import type { Queryable } from '../database.ts'

/** Ids of the chunks of documents, by document and place; nothing of their text is read. */
export async function chunkIdsOfDocuments(
  q: Queryable,
  bankId: number,
  documentIds: readonly number[],
): Promise<number[]> {
  if (documentIds.length === 0) return []
  const rows = await q.query<{ id: number }>(
    `select chunk_id as id from chunks
     where bank_id = $1 and document_id = any($2::bigint[]) order by document_id, ordinal`,
    [bankId, documentIds],
  )
  return rows.map((row) => row.id)
}
