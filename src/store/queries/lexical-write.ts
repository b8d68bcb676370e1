import type { CopyColumn, CopyValue, Queryable } from '../database.ts'
import { lockDerived } from './derived-lock.ts'

/** A chunk's terms in one field. */
export interface TermEntry {
  readonly chunkId: number
  /** 0 body, 1 cue. */
  readonly field: 0 | 1
  /** Occurrences by term. */
  readonly counts: ReadonlyMap<string, number>
  /** Terms with repetitions. */
  readonly length: number
}

/** Frequencies and lengths are kept in two bytes; BM25 is flat long before. */
const LARGEST_COUNT = 32_767

const POSTING_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'term_id', type: 'int4' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'frequency', type: 'int2' },
  { name: 'length', type: 'int2' },
]
const CHUNK_TERM_COLUMNS: readonly CopyColumn[] = [
  { name: 'bank_id', type: 'int4' },
  { name: 'chunk_id', type: 'int8' },
  { name: 'field', type: 'int2' },
  { name: 'length', type: 'int2' },
  { name: 'term_ids', type: 'int4[]' },
  { name: 'frequencies', type: 'int2[]' },
]

/**
 * Writes terms of chunks of a current document. Writers of a bank queue from here to the end of their transactions
 * (derived-lock.ts).
 */
export async function writeTerms(
  tx: Queryable,
  bankId: number,
  entries: readonly TermEntry[],
): Promise<void> {
  const filled = entries.filter((entry) => entry.counts.size > 0)
  if (filled.length === 0) return
  await lockDerived(tx, bankId)
  const totals = [0, 0]
  const chunks = [0, 0]
  const frequencies: [Map<string, number>, Map<string, number>] = [new Map(), new Map()]
  for (const entry of filled) {
    // as it is kept, so that taking it out again takes out as much
    totals[entry.field]! += Math.min(entry.length, LARGEST_COUNT)
    chunks[entry.field]! += 1
    const ofField = frequencies[entry.field]
    for (const term of entry.counts.keys()) ofField.set(term, (ofField.get(term) ?? 0) + 1)
  }
  await tx.execute(
    `insert into field_statistics (bank_id, field, chunk_count, total_length)
     select $1, f, c, l from unnest($2::smallint[], $3::bigint[], $4::bigint[]) as t(f, c, l) order by f
     on conflict (bank_id, field) do update
       set chunk_count = field_statistics.chunk_count + excluded.chunk_count,
           total_length = field_statistics.total_length + excluded.total_length`,
    [bankId, [0, 1], chunks, totals],
  )
  const ids: [Map<string, number>, Map<string, number>] = [
    await countTerms(tx, bankId, 0, frequencies[0]),
    await countTerms(tx, bankId, 1, frequencies[1]),
  ]
  await copyPostings(tx, bankId, filled, ids)
}

/** Adds to the document frequencies and gives every term its id. Ids are taken only for new terms: the sequence is finite. */
async function countTerms(
  tx: Queryable,
  bankId: number,
  field: 0 | 1,
  frequencies: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const ids = new Map<string, number>()
  if (frequencies.size === 0) return ids
  const terms = [...frequencies.keys()].sort()
  const counts = terms.map((term) => frequencies.get(term)!)
  const known = await tx.query<{ term: string; id: number }>(
    `update terms t set document_frequency = t.document_frequency + n.count
     from unnest($3::text[], $4::integer[]) as n(term, count)
     where t.bank_id = $1 and t.field = $2 and t.term = n.term
     returning t.term, t.term_id as id`,
    [bankId, field, terms, counts],
  )
  for (const row of known) ids.set(row.term, row.id)
  const fresh = terms.filter((term) => !ids.has(term))
  if (fresh.length === 0) return ids
  const made = await tx.query<{ term: string; id: number }>(
    `insert into terms (bank_id, field, term, term_id, document_frequency)
     select $1, $2, term, nextval('term_ids'), count from unnest($3::text[], $4::integer[]) as n(term, count)
     on conflict (bank_id, field, term) do update
       set document_frequency = terms.document_frequency + excluded.document_frequency
     returning term, term_id as id`,
    [bankId, field, fresh, fresh.map((term) => frequencies.get(term)!)],
  )
  for (const row of made) ids.set(row.term, row.id)
  return ids
}

async function copyPostings(
  tx: Queryable,
  bankId: number,
  entries: readonly TermEntry[],
  ids: readonly [ReadonlyMap<string, number>, ReadonlyMap<string, number>],
): Promise<void> {
  const postings: [number, number, number, number, number][] = []
  const forward: CopyValue[][] = []
  for (const entry of entries) {
    const length = Math.min(entry.length, LARGEST_COUNT)
    const pairs = [...entry.counts]
      .map(([term, count]): [number, number] => [ids[entry.field].get(term)!, Math.min(count, LARGEST_COUNT)])
      .sort((a, b) => a[0] - b[0])
    for (const [termId, count] of pairs) postings.push([bankId, termId, entry.chunkId, count, length])
    forward.push([
      bankId,
      entry.chunkId,
      entry.field,
      length,
      pairs.map((pair) => pair[0]),
      pairs.map((pair) => pair[1]),
    ])
  }
  // In key order, so that neighbours land on the same pages.
  postings.sort((a, b) => a[1] - b[1] || a[2] - b[2])
  await tx.copy('postings', POSTING_COLUMNS, postings)
  await tx.copy('chunk_terms', CHUNK_TERM_COLUMNS, forward)
}

/** Takes chunks of a version that is no longer current out of the statistics; their postings stay, for recalls as of then. */
export function retireTerms(tx: Queryable, bankId: number, chunkIds: readonly number[]): Promise<void> {
  return uncount(tx, bankId, chunkIds, ALL_FIELDS)
}

const ALL_FIELDS: readonly number[] = [0, 1]

async function uncount(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
  fields: readonly number[],
): Promise<void> {
  if (chunkIds.length === 0) return
  await lockDerived(tx, bankId)
  await tx.execute(
    `update field_statistics s
     set chunk_count = s.chunk_count - n.chunks, total_length = s.total_length - n.length
     from (select field, count(*) as chunks, sum(length) as length from chunk_terms
           where bank_id = $1 and chunk_id = any($2::bigint[]) and field = any($3::smallint[]) group by field) n
     where s.bank_id = $1 and s.field = n.field`,
    [bankId, chunkIds, fields],
  )
  await tx.execute(
    `update terms t set document_frequency = t.document_frequency - n.count
     from (select u.term_id, count(*)::integer as count
           from chunk_terms x cross join unnest(x.term_ids) as u(term_id)
           where x.bank_id = $1 and x.chunk_id = any($2::bigint[]) and x.field = any($3::smallint[])
           group by u.term_id) n
     where t.bank_id = $1 and t.term_id = n.term_id`,
    [bankId, chunkIds, fields],
  )
}

/**
 * Removes the terms of chunks, and every term that then has no posting left. `counted`: the chunks are of current
 * documents, and so in the statistics. `field`: only that field.
 */
export async function deleteTerms(
  tx: Queryable,
  bankId: number,
  chunkIds: readonly number[],
  options: { readonly counted: boolean; readonly field?: 0 | 1 | undefined },
): Promise<void> {
  if (chunkIds.length === 0) return
  await lockDerived(tx, bankId)
  const fields = options.field === undefined ? ALL_FIELDS : [options.field]
  if (options.counted) await uncount(tx, bankId, chunkIds, fields)
  const touched = await tx.query<{ id: number }>(
    `with forward as (
       delete from chunk_terms where bank_id = $1 and chunk_id = any($2::bigint[]) and field = any($3::smallint[])
       returning chunk_id, term_ids
     ), gone as (
       delete from postings p using (
         select f.chunk_id, u.term_id from forward f cross join unnest(f.term_ids) as u(term_id)
       ) k
       where p.bank_id = $1 and p.term_id = k.term_id and p.chunk_id = k.chunk_id
     )
     select distinct u.term_id as id from forward f cross join unnest(f.term_ids) as u(term_id)`,
    [bankId, chunkIds, fields],
  )
  await tx.execute(
    `delete from terms t where t.bank_id = $1 and t.term_id = any($2::integer[])
     and not exists (select from postings p where p.bank_id = $1 and p.term_id = t.term_id)`,
    [bankId, touched.map((row) => row.id)],
  )
}
