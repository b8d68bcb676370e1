import type { Queryable } from '../database.ts'

/** How the note begins of a document whose chunks have gaps by right. Only forgetting may write it. */
export const FORGOTTEN_NOTE = 'a chunk was forgotten'

/** A chunk to be forgotten, and whether its terms count in the statistics. */
export interface ForgettableChunk {
  readonly chunkId: number
  readonly documentId: number
  readonly current: boolean
}

/** The chunk and every other of the same source, in whatever version, that says the same. */
export function chunksOfSameText(q: Queryable, bankId: number, chunkId: number): Promise<ForgettableChunk[]> {
  return q.query<ForgettableChunk>(
    `select c.chunk_id as "chunkId", c.document_id as "documentId", d.state = 'current' as current
     from chunks wanted
     join documents its on its.bank_id = $1 and its.document_id = wanted.document_id
     join documents d on d.bank_id = $1 and d.source = its.source
     join chunks c on c.bank_id = $1 and c.document_id = d.document_id and c.text = wanted.text
     where wanted.bank_id = $1 and wanted.chunk_id = $2
     order by c.chunk_id`,
    [bankId, chunkId],
  )
}

/** Counts documents' chunks and bytes anew after some of them went, and adds a note. Gives those that have none left. */
export async function noteForgottenChunks(
  tx: Queryable,
  bankId: number,
  documentIds: readonly number[],
  note: string,
): Promise<number[]> {
  const rows = await tx.query<{ id: number; left: number }>(
    `update documents d set chunk_count = n.chunks, byte_length = n.bytes, text_hash = n.hash, notes = array_append(d.notes, $3)
     from (select o.document_id, count(c.chunk_id)::integer as chunks,
             coalesce(sum(c.end_byte - c.start_byte), 0)::bigint as bytes,
             case when o.text_hash is not null
               then sha256(convert_to(coalesce(string_agg(c.text, '' order by c.ordinal), ''), 'UTF8')) end as hash
           from documents o left join chunks c on c.bank_id = $1 and c.document_id = o.document_id
           where o.bank_id = $1 and o.document_id = any($2::bigint[]) group by o.document_id, o.text_hash) n
     where d.bank_id = $1 and d.document_id = n.document_id
     returning d.document_id as id, d.chunk_count as left`,
    [bankId, documentIds, note],
  )
  return rows.filter((row) => row.left === 0).map((row) => row.id)
}

/** Removes every receipt of the bank. */
export function deleteReceipts(q: Queryable, bankId: number): Promise<number> {
  return q.execute('delete from receipts where bank_id = $1', [bankId])
}
