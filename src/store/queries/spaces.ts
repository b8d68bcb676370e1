import type { SpaceSettings } from '../../domain/embedder.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { VectorSpace } from '../bank-store.ts'
import type { Database, Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { bitsTable, integerLiteral, vectorsTable } from './space-tables.ts'
import { codeLength } from './vector-code.ts'

const COLUMNS = `space_id as "spaceId", model_id as "modelId", dimension`

/** Any number: all makers of spaces wait for one another. */
const SPACE_LOCK = 733_201_001

/** Largest dimension whose vector fits a table page, so that it can lie beside its key instead of in a TOAST table. */
const LARGEST_INLINE_DIMENSION = 1_950

export function listSpaces(q: Queryable): Promise<VectorSpace[]> {
  return q.query<VectorSpace>(`select ${COLUMNS} from spaces order by space_id`)
}

/** Finds the space of a model at a dimension, or makes it with its two tables. Safe to call from many processes at once. */
export async function ensureSpace(
  db: Database,
  space: { readonly modelId: string; readonly dimension: number; readonly now: Date },
): Promise<VectorSpace> {
  if (!Number.isInteger(space.dimension) || space.dimension < 1 || space.dimension > 16_000) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      `A vector space cannot have ${space.dimension} dimensions.`,
      {
        hint: 'Use an embedding model of 1 to 16,000 dimensions.',
        details: { option: 'dimension' },
      },
    )
  }
  const found = await findSpace(db, space.modelId, space.dimension)
  if (found !== null) return found
  return db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [SPACE_LOCK])
    const before = await findSpace(tx, space.modelId, space.dimension)
    if (before !== null) return before
    const rows = await tx.query<VectorSpace>(
      `insert into spaces (model_id, dimension, created_at) values ($1, $2, $3) returning ${COLUMNS}`,
      [space.modelId, space.dimension, space.now],
    )
    const made = rows[0]
    if (made === undefined) throw new ProlepsisError('STORE_FAILED', 'The vector space was not written.')
    for (const statement of spaceTablesDdl(made)) await tx.execute(statement)
    return made
  })
}

async function findSpace(q: Queryable, modelId: string, dimension: number): Promise<VectorSpace | null> {
  const rows = await q.query<VectorSpace>(
    `select ${COLUMNS} from spaces where model_id = $1 and dimension = $2`,
    [modelId, dimension],
  )
  return rows[0] ?? null
}

/**
 * The tables of a space. `vectors_N` is wide (a vector a row), reached by key; `bits_N` holds short codes of the same
 * vectors (vector-code.ts), eight times narrower: what a search looks through. Rows begin outside the HNSW index of
 * their bank and kind (`indexed` false) and are read from end to end; maintenance takes them in (vector-indexes.ts).
 */
export function spaceTablesDdl(space: VectorSpace): readonly string[] {
  const vectors = quoteIdentifier(vectorsTable(space))
  const bits = quoteIdentifier(bitsTable(space))
  const dimension = integerLiteral(space.dimension)
  return [
    `create table ${vectors} (
       bank_id integer not null,
       chunk_id bigint not null,
       kind smallint not null,
       ordinal smallint not null,
       text_hash bytea not null check (octet_length(text_hash) = 16),
       embedding vector(${dimension}) not null,
       primary key (bank_id, chunk_id, kind, ordinal)
     )`,
    `create index ${quoteIdentifier(`${vectorsTable(space)}_by_hash`)} on ${vectors} (bank_id, text_hash)`,
    ...(space.dimension <= LARGEST_INLINE_DIMENSION
      ? [`alter table ${vectors} alter column embedding set storage plain`]
      : []),
    `create table ${bits} (
       bank_id integer not null,
       kind smallint not null,
       chunk_id bigint not null,
       ordinal smallint not null,
       indexed boolean not null default false,
       bits bit(${integerLiteral(codeLength(space.dimension))}) not null,
       primary key (bank_id, kind, chunk_id, ordinal)
     )`,
    `create index ${quoteIdentifier(`${bitsTable(space)}_waiting`)} on ${bits} (bank_id, kind) where not indexed`,
    `alter table ${bits} alter column bits set storage plain`,
  ]
}

/** The space that the bank's recalls use, or null before the first write. */
export async function activeSpace(q: Queryable, bankId: number): Promise<VectorSpace | null> {
  const rows = await q.query<VectorSpace>(
    `select s.space_id as "spaceId", s.model_id as "modelId", s.dimension
     from bank_spaces b join spaces s on s.space_id = b.space_id
     where b.bank_id = $1 and b.state = 'active'`,
    [bankId],
  )
  return rows[0] ?? null
}

/** What a handle on a bank relies on, in one statement: its active space and its settings. Null when the bank is gone. */
export async function bankStanding(
  q: Queryable,
  bankId: number,
): Promise<{ readonly spaceId: number; readonly settings: Readonly<Record<string, unknown>> } | null> {
  const rows = await q.query<{ spaceId: number; settings: Readonly<Record<string, unknown>> }>(
    `select s.space_id as "spaceId", b.settings
     from bank_spaces s join banks b on b.bank_id = s.bank_id
     where s.bank_id = $1 and b.bank_id = $1 and s.state = 'active'`,
    [bankId],
  )
  return rows[0] ?? null
}

/** The space that the bank is being moved to, or null. */
export async function shadowSpace(q: Queryable, bankId: number): Promise<VectorSpace | null> {
  const rows = await q.query<VectorSpace>(
    `select s.space_id as "spaceId", s.model_id as "modelId", s.dimension
     from bank_spaces b join spaces s on s.space_id = b.space_id
     where b.bank_id = $1 and b.state = 'shadow' order by b.since desc limit 1`,
    [bankId],
  )
  return rows[0] ?? null
}

/** Spaces in which the bank has, or may have, vectors. */
export function spacesOfBank(q: Queryable, bankId: number): Promise<VectorSpace[]> {
  return q.query<VectorSpace>(
    `select s.space_id as "spaceId", s.model_id as "modelId", s.dimension
     from bank_spaces b join spaces s on s.space_id = b.space_id
     where b.bank_id = $1 order by s.space_id`,
    [bankId],
  )
}

/**
 * Makes the space the bank's active one; the former active space is retired: it keeps its vectors, to go back to, and is told under which
 * settings a memory has its model. Run it in a transaction.
 */
export async function setActiveSpace(
  tx: Queryable,
  bankId: number,
  spaceId: number,
  how: { readonly now?: Date; readonly formerSettings?: SpaceSettings | null } = {},
): Promise<void> {
  const { now = null, formerSettings = null } = how
  await tx.execute(
    `update bank_spaces set state = 'retired', since = $3, settings = $4::text::jsonb
     where bank_id = $1 and state = 'active' and space_id <> $2`,
    [bankId, spaceId, now, formerSettings === null ? null : JSON.stringify(formerSettings)],
  )
  await tx.execute(
    `insert into bank_spaces (bank_id, space_id, state, since) values ($1, $2, 'active', $3)
     on conflict (bank_id, space_id) do update set state = 'active', since = excluded.since`,
    [bankId, spaceId, now],
  )
}
