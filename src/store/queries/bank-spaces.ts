import type { SpaceSettings, SpaceState } from '../../domain/embedder.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { bitsTable, vectorsTable } from './space-tables.ts'
import { dropCodeIndexes } from './vector-indexes.ts'

/** A space that a bank has vectors in, or may have. */
export interface BankSpace extends VectorSpace {
  readonly state: SpaceState
  readonly since: Date | null
  readonly settings: SpaceSettings | null
  /** As they are counted. */
  readonly vectors: number
}

/** The active one first, then the shadow, then the retired ones, the latest first. */
export async function spaceStates(q: Queryable, bankId: number): Promise<BankSpace[]> {
  return q.query<BankSpace>(
    `select s.space_id as "spaceId", s.model_id as "modelId", s.dimension, b.state, b.since, b.settings,
       (select coalesce(sum(v.vector_count), 0)::bigint from vector_statistics v
        where v.bank_id = $1 and v.space_id = s.space_id) as vectors
     from bank_spaces b join spaces s on s.space_id = b.space_id
     where b.bank_id = $1
     order by array_position(array['active', 'shadow', 'retired'], b.state), b.since desc nulls last, s.space_id desc`,
    [bankId],
  )
}

/**
 * Lets a bank have vectors in a second space beside its active one, so that what is forgotten meanwhile goes there too. A retired space becomes a
 * shadow again.
 */
export async function joinSpace(
  tx: Queryable,
  bankId: number,
  spaceId: number,
  how: { readonly now: Date; readonly settings: SpaceSettings | null },
): Promise<void> {
  await tx.execute(
    `insert into bank_spaces (bank_id, space_id, state, since, settings) values ($1, $2, 'shadow', $3, $4::text::jsonb)
     on conflict (bank_id, space_id) do update
       set state = 'shadow', settings = excluded.settings,
           since = case when bank_spaces.state = 'shadow' then bank_spaces.since else excluded.since end
       where bank_spaces.state <> 'active'`,
    [bankId, spaceId, how.now, how.settings === null ? null : JSON.stringify(how.settings)],
  )
}

/** Removes all vectors of a bank in a space, with their indexes; how many there were. Run it in a transaction. */
export async function emptySpace(tx: Queryable, bankId: number, space: VectorSpace): Promise<number> {
  await dropCodeIndexes(tx, space, bankId)
  const gone = await tx.execute(`delete from ${quoteIdentifier(vectorsTable(space))} where bank_id = $1`, [
    bankId,
  ])
  await tx.execute(`delete from ${quoteIdentifier(bitsTable(space))} where bank_id = $1`, [bankId])
  await tx.execute('delete from vector_statistics where bank_id = $1 and space_id = $2', [
    bankId,
    space.spaceId,
  ])
  return gone
}

/** The same, and takes the space off those of the bank; the active one stays. Run it in a transaction. */
export async function leaveSpace(tx: Queryable, bankId: number, space: VectorSpace): Promise<number> {
  const gone = await emptySpace(tx, bankId, space)
  await tx.execute(`delete from bank_spaces where bank_id = $1 and space_id = $2 and state <> 'active'`, [
    bankId,
    space.spaceId,
  ])
  return gone
}
