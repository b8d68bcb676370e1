import type { Database } from '../../database.ts'
import { PgliteDatabase } from './pglite-database.ts'
import { SerialStatements } from './serial-statements.ts'
import { createPgliteSession } from './session.ts'

/** A store in this thread's memory. */
export async function openMemoryDatabase(
  options: { readonly deadlineMs?: number | undefined } = {},
): Promise<Database> {
  return new PgliteDatabase(new SerialStatements(await createPgliteSession({}), options))
}
