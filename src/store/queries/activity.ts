import type { Queryable } from '../database.ts'

export interface Activity {
  readonly chunkId: number
  /** 0 to 1. */
  readonly significance: number
  readonly uses: number
  readonly lastUsedAt: Date | null
  readonly pinned: boolean
}

/** By chunk id; chunks that were never used or marked are absent. */
export async function activityOf(
  q: Queryable,
  bankId: number,
  chunkIds: readonly number[],
): Promise<Map<number, Activity>> {
  if (chunkIds.length === 0) return new Map()
  const rows = await q.query<Activity>(
    `select chunk_id as "chunkId", significance, uses, last_used_at as "lastUsedAt", pinned
     from activity where bank_id = $1 and chunk_id = any($2::bigint[])`,
    [bankId, chunkIds],
  )
  return new Map(rows.map((row) => [row.chunkId, row]))
}

/** One use more of each chunk. Chunks that are gone are passed over. */
export async function recordUse(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
  usedAt: Date,
): Promise<void> {
  if (chunkIds.length === 0) return
  await tx.execute(
    `insert into activity (bank_id, chunk_id, uses, last_used_at)
     select $1, c.chunk_id, 1, $3 from chunks c
     where c.bank_id = $1 and c.chunk_id = any($2::bigint[]) order by c.chunk_id
     on conflict (bank_id, chunk_id) do update
       set uses = activity.uses + 1, last_used_at = greatest(activity.last_used_at, excluded.last_used_at)`,
    [bankId, chunkIds, usedAt],
  )
}

/** Sets the whole state of chunks, as an import brings it. */
export async function writeActivity(
  tx: Queryable,
  bankId: number,
  activities: readonly Activity[],
): Promise<void> {
  if (activities.length === 0) return
  await tx.execute(
    `insert into activity (bank_id, chunk_id, significance, uses, last_used_at, pinned)
     select $1, t.* from unnest($2::bigint[], $3::real[], $4::integer[], $5::timestamptz[], $6::boolean[])
       as t(chunk_id, significance, uses, last_used_at, pinned) order by chunk_id
     on conflict (bank_id, chunk_id) do update
       set significance = excluded.significance, uses = excluded.uses, last_used_at = excluded.last_used_at,
           pinned = excluded.pinned`,
    [
      bankId,
      activities.map((a) => a.chunkId),
      activities.map((a) => a.significance),
      activities.map((a) => a.uses),
      activities.map((a) => a.lastUsedAt?.toISOString() ?? null),
      activities.map((a) => String(a.pinned)),
    ],
  )
}
