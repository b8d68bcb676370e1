import type { VectorSpace } from '../bank-store.ts'
import type { Database, Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { lockDerived } from './derived-lock.ts'
import { bitsTable } from './space-tables.ts'
import { listSpaces } from './spaces.ts'
import { codeIndexName, indexedCondition } from './vector-search-sql.ts'

/**
 * So many vectors of a kind may wait outside the index: reading 2,000 codes takes about 2.5 ms in PGlite (5,000: 5 ms), a walk in
 * the graph 2 to 4 ms whatever the size. With fewer, each of many small banks would have indexes, which the planner looks through.
 */
const MOST_WAITING = 2_000
/** Vectors taken into an existing index at a time, 1 ms each in PGlite: a recall waits no longer than this. */
const STEP = 200
/** Building takes minutes for some hundred thousand vectors: not a statement that hangs. */
const PATIENT = { deadlineMs: 3_600_000 }

export interface BuildIndexesOptions {
  /** Only this bank's. @default every bank's */
  readonly bankId?: number | undefined
  /** Most vectors of a kind that may stay outside. @default 2,000 */
  readonly mostWaiting?: number | undefined
  /** Asked between steps; true ends the work, which can be taken up again at any time. */
  readonly shouldStop?: (() => boolean) | undefined
}

export interface BuildIndexesResult {
  readonly built: readonly string[]
  /** Vectors that were taken in. */
  readonly indexed: number
  /** True when nothing is left to do. */
  readonly done: boolean
}

/**
 * Takes the vectors of large banks into their HNSW indexes: one partial index a bank and kind, so that small banks pay
 * nothing and no bank walks through another's vectors. Call it after bulk loads and when idle.
 *
 * The first time, or when most wait, the index is built over all at once (0.5 ms a vector in PGlite, against 0.8 to
 * 1.0 ms one by one); else in steps of 200. Measured at 384 dimensions and four levels, 150 candidates
 * (vector-search-sql.ts has what 200 give):
 *
 *   vectors of the kind    scan    HNSW walk   re-rank   recall@30   build    index
 *   10,000                 5.8 ms  3.5 ms      1.2 ms    0.965       3.6 s     4 MB
 *   50,000                 –       3.8 ms      2.0 ms    0.951       24.6 s   23 MB
 *
 * Tried and left: HNSW over the vectors themselves (ef 100: recall 0.972 and 0.926, 5.0 and 5.7 ms, build 8.7 and 58 s,
 * 19 and 97 MB); IVFFlat over the codes (recall 0.78 at 15 % of the lists); exact cosine over all (50 ms at 10,000
 * where the table fits the buffers, 500 ms where it does not).
 */
export async function buildIndexes(
  db: Database,
  space: VectorSpace,
  options: BuildIndexesOptions = {},
): Promise<BuildIndexesResult> {
  const mostWaiting = options.mostWaiting ?? MOST_WAITING
  const kinds = await db.query<{ bankId: number; kind: number; waiting: number; indexed: number }>(
    `select bank_id as "bankId", kind, vector_count - indexed_count as waiting, indexed_count as indexed
     from vector_statistics
     where space_id = $1 and vector_count - indexed_count > $2 and ($3::integer is null or bank_id = $3)
     order by bank_id, kind`,
    [space.spaceId, mostWaiting, options.bankId ?? null],
  )
  const built = await mendIndexes(db, space, options)
  let indexed = 0
  for (const { bankId, kind, waiting, indexed: before } of kinds) {
    if (options.shouldStop?.() === true) return { built, indexed, done: false }
    const name = codeIndexName(space, bankId, kind)
    if (waiting >= before) {
      await db.execute(`drop index if exists ${quoteIdentifier(name)}`)
      indexed += await takeIn(db, space, bankId, kind, null)
      await createCodeIndex(db, space, bankId, kind)
      built.push(name)
      continue
    }
    for (let left = waiting; left > mostWaiting / 2; ) {
      if (options.shouldStop?.() === true) return { built, indexed, done: false }
      const taken = await takeIn(db, space, bankId, kind, STEP)
      if (taken === 0) break
      indexed += taken
      left -= taken
    }
  }
  return { built, indexed, done: true }
}

/** Builds what an interrupted run left behind: vectors that count as indexed while their index is absent or half made. */
async function mendIndexes(
  db: Database,
  space: VectorSpace,
  { bankId: only, shouldStop }: BuildIndexesOptions,
): Promise<string[]> {
  const valid = new Set((await listCodeIndexes(db, space)).filter((one) => one.valid).map((one) => one.name))
  const kinds = await db.query<{ bankId: number; kind: number }>(
    `select bank_id as "bankId", kind from vector_statistics
     where space_id = $1 and indexed_count > 0 and ($2::integer is null or bank_id = $2) order by bank_id, kind`,
    [space.spaceId, only ?? null],
  )
  const built: string[] = []
  for (const { bankId, kind } of kinds) {
    const name = codeIndexName(space, bankId, kind)
    if (valid.has(name) || shouldStop?.() === true) continue
    await db.execute(`drop index if exists ${quoteIdentifier(name)}`)
    await createCodeIndex(db, space, bankId, kind)
    built.push(name)
  }
  return built
}

/** `buildIndexes` for every space: what idle maintenance calls. */
export async function buildEveryIndex(
  db: Database,
  options: BuildIndexesOptions = {},
): Promise<BuildIndexesResult> {
  const built: string[] = []
  let indexed = 0
  let done = true
  for (const space of await listSpaces(db)) {
    const result = await buildIndexes(db, space, options)
    built.push(...result.built)
    indexed += result.indexed
    done &&= result.done
  }
  return { built, indexed, done }
}

/** Marks waiting rows (all when `most` is null) as indexed, and counts them, in one transaction. */
async function takeIn(
  db: Database,
  space: VectorSpace,
  bankId: number,
  kind: number,
  most: number | null,
): Promise<number> {
  const bits = quoteIdentifier(bitsTable(space))
  return db.transaction(async (tx) => {
    await lockDerived(tx, bankId)
    // By place: a join planned without statistics of the new rows compared each with each (28 s for 12,000).
    const taken = await tx.execute(
      `update ${bits} set indexed = true
       where bank_id = $1 and kind = $2 and ctid = any(array(
         select ctid from ${bits} where bank_id = $1 and kind = $2 and not indexed limit $3 for update skip locked))`,
      [bankId, kind, most],
      PATIENT,
    )
    await tx.execute(
      `update vector_statistics set indexed_count = indexed_count + $4
       where bank_id = $1 and space_id = $2 and kind = $3`,
      [bankId, space.spaceId, kind, taken],
    )
    return taken
  })
}

async function createCodeIndex(
  db: Database,
  space: VectorSpace,
  bankId: number,
  kind: number,
): Promise<void> {
  // On a server writers go on meanwhile. PGlite has one session, and a partitioned table does not know the word.
  const plain = await db.query<{ plain: boolean }>(
    `select relkind = 'r' as plain from pg_class where oid = to_regclass($1::text)`,
    [quoteIdentifier(bitsTable(space))],
  )
  const concurrently = db.engine === 'postgres' && plain[0]?.plain === true ? 'concurrently' : ''
  const create = `create index ${concurrently} ${quoteIdentifier(codeIndexName(space, bankId, kind))}
    on ${quoteIdentifier(bitsTable(space))} using hnsw (bits bit_hamming_ops)
    where ${indexedCondition(bankId, kind)}`
  if (concurrently !== '') {
    await db.execute(create, [], PATIENT)
    return
  }
  await db.transaction(async (tx) => {
    // 0.75 kB a vector in WebAssembly; what does not fit is put in one by one. The engine never gives memory back.
    if (db.engine === 'pglite') await tx.execute(`set local maintenance_work_mem = '128MB'`)
    await tx.execute(create, [], PATIENT)
  }, PATIENT)
}

export interface CodeIndex {
  readonly name: string
  readonly bankId: number
  readonly kind: number
  readonly valid: boolean
}

/** The HNSW indexes of a space. */
export async function listCodeIndexes(q: Queryable, space: VectorSpace): Promise<CodeIndex[]> {
  const prefix = `${bitsTable(space)}_hnsw_`
  const rows = await q.query<{ name: string; valid: boolean }>(
    `select c.relname as name, i.indisvalid as valid
     from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = to_regclass($1::text) and starts_with(c.relname, $2) order by 1`,
    [quoteIdentifier(bitsTable(space)), prefix],
  )
  return rows.map((row) => {
    const [bankId, kind] = row.name.slice(prefix.length).split('_').map(Number)
    return { name: row.name, bankId: bankId ?? 0, kind: kind ?? 0, valid: row.valid }
  })
}

/** Drops the bank's HNSW indexes. Its rows are then read from end to end, once `indexed` is taken back. */
export async function dropCodeIndexes(tx: Queryable, space: VectorSpace, bankId: number): Promise<void> {
  for (const index of await listCodeIndexes(tx, space)) {
    if (index.bankId === bankId) await tx.execute(`drop index if exists ${quoteIdentifier(index.name)}`)
  }
}
