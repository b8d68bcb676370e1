import { isDeepStrictEqual } from 'node:util'
import { BANK_NAME } from '../domain/bank-name.ts'
import type { BankInfo } from '../domain/care.ts'
import { ProlepsisError } from '../domain/errors.ts'
import { didYouMean } from '../domain/nearest-name.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Database, Queryable } from '../store/database.ts'
import {
  type BankRow,
  deleteBank,
  findBank,
  insertBank,
  listBanks,
  updateBankSettings,
} from '../store/queries/banks.ts'
import { activeSpace, ensureSpace, setActiveSpace } from '../store/queries/spaces.ts'

export interface NewBank {
  readonly name: string
  readonly language: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly model: { readonly modelId: string; readonly dimension: number }
  readonly now: Date
}

/** @throws ProlepsisError INVALID_ARGUMENT */
export function checkBankName(name: unknown): string {
  if (typeof name === 'string' && BANK_NAME.test(name)) return name
  const shown = typeof name === 'string' ? JSON.stringify(name.slice(0, 80)) : typeof name
  throw new ProlepsisError('INVALID_ARGUMENT', `A bank cannot be named ${shown}.`, {
    hint: 'Use 1 to 63 letters, digits, "_", "-" or ".".',
    details: { option: 'bank' },
  })
}

/** Makes a bank with its vector space, its settings checked before. Null when there is one of this name already. */
export async function createBank(database: Database, bank: NewBank): Promise<BankRow | null> {
  checkBankName(bank.name)
  const space = await ensureSpace(database, { ...bank.model, now: bank.now })
  return database.transaction(async (tx) => {
    const row = await insertBank(tx, { ...bank, settings: withoutNulls(bank.settings) })
    if (row !== null) await setActiveSpace(tx, row.bankId, space.spaceId)
    return row
  })
}

/** @throws ProlepsisError BANK_NOT_FOUND naming the nearest name */
export async function requireBank(q: Queryable, name: string): Promise<BankRow> {
  const row = await findBank(q, checkBankName(name))
  if (row !== null) return row
  const names = (await listBanks(q)).map((bank) => bank.name)
  const create = `Create it with \`prolepsis bank create ${name}\` or banks.create(), or pass createIfMissing.`
  throw new ProlepsisError('BANK_NOT_FOUND', `There is no bank "${name}".`, {
    hint: didYouMean(name, names, create),
    details: { bank: name },
  })
}

/** The space of the bank's vectors. @throws ProlepsisError STORE_DAMAGED */
export async function requireSpace(q: Queryable, bank: BankRow): Promise<VectorSpace> {
  const space = await activeSpace(q, bank.bankId)
  if (space !== null) return space
  throw new ProlepsisError('STORE_DAMAGED', `The bank "${bank.name}" has no vector space.`, {
    hint: 'Run `prolepsis doctor --mend`, or restore a backup.',
    details: { bank: bank.name },
  })
}

export async function bankInfo(q: Queryable, bank: BankRow): Promise<BankInfo> {
  const { modelId, dimension } = await requireSpace(q, bank)
  const { name, language, settings, createdAt } = bank
  return { name, language, modelId, dimension, settings, createdAt }
}

export async function listBankInfos(q: Queryable): Promise<readonly BankInfo[]> {
  const infos: BankInfo[] = []
  for (const bank of await listBanks(q)) infos.push(await bankInfo(q, bank))
  return infos
}

/** Merges checked settings into those that the bank has; null removes a key. */
export async function configureBank(
  database: Database,
  name: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<BankInfo> {
  return database.transaction(async (tx) => {
    const bank = await requireBank(tx, name)
    const merged = withoutNulls({ ...bank.settings, ...settings })
    const row = await updateBankSettings(tx, bank.bankId, merged)
    return bankInfo(tx, row ?? bank)
  })
}

/** What the attempts of one call share: whether an earlier one found what it was to remove. */
export interface Seen {
  found: boolean
}

/** Removes a bank with all that it holds. False when there was none of this name, at this attempt nor at one before. */
export async function removeBank(database: Database, name: string, seen: Seen): Promise<boolean> {
  checkBankName(name)
  await database.transaction(async (tx) => {
    const bank = await findBank(tx, name)
    if (bank !== null) seen.found = (await deleteBank(tx, bank.bankId)) || seen.found
  })
  return seen.found
}

/** The bank of this name when it is just what was asked for, else null. */
export async function bankAsAsked(q: Queryable, asked: NewBank): Promise<BankInfo | null> {
  const row = await findBank(q, asked.name)
  if (row === null) return null
  const info = await bankInfo(q, row)
  const { modelId, dimension } = asked.model
  const same =
    info.language === asked.language &&
    info.modelId === modelId &&
    info.dimension === dimension &&
    isDeepStrictEqual(info.settings, withoutNulls(asked.settings))
  return same ? info : null
}

function withoutNulls(settings: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null))
}
