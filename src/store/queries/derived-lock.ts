import type { Queryable } from '../database.ts'

/** Apart from the locks of sources, which take one number. */
const DERIVED_LOCK = 733_201_002

/**
 * Holds what is derived and counted in a bank (terms, vectors, mentions) until the transaction ends. Every writer of such
 * rows takes it first, in whatever order it writes: writers of one bank meet at common terms, people and counts anyhow,
 * and queue here instead of deadlocking there. Writers of different banks never meet.
 */
export async function lockDerived(tx: Queryable, bankId: number): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($2::integer, $1::integer)', [bankId, DERIVED_LOCK])
}
