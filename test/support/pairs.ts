import type { Database } from '../../src/store/database.ts'

export interface PairReport {
  /** Numbers that were acknowledged and are not there. */
  readonly lost: readonly number[]
  /** Numbers that are there more than once. */
  readonly doubled: readonly number[]
  /** Numbers of which one half is there. */
  readonly halved: readonly number[]
  readonly present: number
}

/** Compares what a pair-writer said with what the store holds. */
export async function checkPairs(
  database: Database,
  writer: string,
  acknowledged: readonly number[],
): Promise<PairReport> {
  const rows = await database.query<{ number: number; a: number; b: number }>(
    `select number, count(*) filter (where side = 'a') as a, count(*) filter (where side = 'b') as b
     from (select writer, number, 'a' as side from halves_a union all select writer, number, 'b' from halves_b) as halves
     where writer = $1 group by number order by number`,
    [writer],
  )
  const present = new Set(rows.map((row) => row.number))
  return {
    lost: acknowledged.filter((number) => !present.has(number)),
    doubled: rows.filter((row) => row.a > 1 || row.b > 1).map((row) => row.number),
    halved: rows.filter((row) => row.a !== row.b).map((row) => row.number),
    present: rows.length,
  }
}
