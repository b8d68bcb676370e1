import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { bitsTable, vectorsTable } from './space-tables.ts'

/** Lets a bank have vectors in a second space beside its active one, so that what is forgotten meanwhile goes there too. */
export async function joinSpace(tx: Queryable, bankId: number, spaceId: number): Promise<void> {
  await tx.execute(
    `insert into bank_spaces (bank_id, space_id, state) values ($1, $2, 'shadow') on conflict do nothing`,
    [bankId, spaceId],
  )
}

/** Removes all vectors of a bank in a space that is not its active one. Run it in a transaction. */
export async function leaveSpace(tx: Queryable, bankId: number, space: VectorSpace): Promise<void> {
  for (const table of [vectorsTable(space), bitsTable(space)]) {
    await tx.execute(`delete from ${quoteIdentifier(table)} where bank_id = $1`, [bankId])
  }
  await tx.execute('delete from vector_statistics where bank_id = $1 and space_id = $2', [
    bankId,
    space.spaceId,
  ])
  await tx.execute(`delete from bank_spaces where bank_id = $1 and space_id = $2 and state = 'shadow'`, [
    bankId,
    space.spaceId,
  ])
}

/** Documents that have chunks without a content vector in the space, by id. */
export async function documentsWithoutVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select distinct c.document_id as id from chunks c
     where c.bank_id = $1 and not exists (
       select from ${quoteIdentifier(vectorsTable(space))} v
       where v.bank_id = $1 and v.chunk_id = c.chunk_id and v.kind = 0)
     order by 1`,
    [bankId],
  )
  return rows.map((row) => row.id)
}
