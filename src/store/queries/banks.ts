import type { Queryable } from '../database.ts'
import { quoteIdentifier } from '../sql-values.ts'
import { bitsTable, vectorsTable } from './space-tables.ts'
import { listSpaces } from './spaces.ts'
import { dropCodeIndexes } from './vector-indexes.ts'

export interface BankRow {
  readonly bankId: number
  readonly name: string
  readonly language: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly createdAt: Date
}

const COLUMNS = `bank_id as "bankId", name, language, settings, created_at as "createdAt"`

export async function findBank(q: Queryable, name: string): Promise<BankRow | null> {
  const rows = await q.query<BankRow>(`select ${COLUMNS} from banks where name = $1`, [name])
  return rows[0] ?? null
}

/** By name. */
export function listBanks(q: Queryable): Promise<BankRow[]> {
  return q.query<BankRow>(`select ${COLUMNS} from banks order by name`)
}

/** Null when a bank of this name exists already. */
export async function insertBank(
  q: Queryable,
  bank: {
    readonly name: string
    readonly language: string
    readonly settings: Readonly<Record<string, unknown>>
    readonly now: Date
  },
): Promise<BankRow | null> {
  const rows = await q.query<BankRow>(
    `insert into banks (name, language, settings, created_at) values ($1, $2, $3::text::jsonb, $4)
     on conflict (name) do nothing returning ${COLUMNS}`,
    [bank.name, bank.language, JSON.stringify(bank.settings), bank.now],
  )
  return rows[0] ?? null
}

/** Replaces the settings. Null when there is no such bank. */
export async function updateBankSettings(
  q: Queryable,
  bankId: number,
  settings: Readonly<Record<string, unknown>>,
): Promise<BankRow | null> {
  const rows = await q.query<BankRow>(
    `update banks set settings = $2::text::jsonb where bank_id = $1 returning ${COLUMNS}`,
    [bankId, JSON.stringify(settings)],
  )
  return rows[0] ?? null
}

/** Tables without foreign keys, which the cascade from `banks` does not reach. */
const UNLINKED_TABLES = ['postings', 'chunk_terms', 'terms', 'field_statistics', 'vector_statistics'] as const

/** Removes the bank with all that it holds, in every space. Run it in a transaction. False when there is no such bank. */
export async function deleteBank(tx: Queryable, bankId: number): Promise<boolean> {
  // Waits for writers that are under way, and lets no new one begin: rows without foreign keys would outlive the bank.
  await tx.query('select from banks where bank_id = $1 for update', [bankId])
  for (const space of await listSpaces(tx)) {
    await dropCodeIndexes(tx, space, bankId)
    for (const table of [vectorsTable(space), bitsTable(space)]) {
      await tx.execute(`delete from ${quoteIdentifier(table)} where bank_id = $1`, [bankId])
    }
  }
  for (const table of UNLINKED_TABLES) await tx.execute(`delete from ${table} where bank_id = $1`, [bankId])
  return (await tx.execute('delete from banks where bank_id = $1', [bankId])) > 0
}
