import type { Database } from '../../database.ts'
import { createSerialDatabase } from './serial-database.ts'
import { createPgliteSession } from './session.ts'

/** A store in this thread's memory. */
export async function openMemoryDatabase(
  options: { readonly deadlineMs?: number | undefined } = {},
): Promise<Database> {
  return createSerialDatabase(await createPgliteSession({}), options)
}
