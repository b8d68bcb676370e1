import type { Queryable } from '../database.ts'

/** Makes a transaction see the store as it is at its next statement, whatever others commit meanwhile. Call it first. */
export async function readSnapshot(tx: Queryable): Promise<void> {
  await tx.script('set transaction isolation level repeatable read, read only')
}
