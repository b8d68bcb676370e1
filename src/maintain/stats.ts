import type { BankStats } from '../domain/care.ts'
import { bankStatistics } from '../store/queries/statistics.ts'
import { bankInfo, requireBank } from './banks.ts'
import type { MaintainDeps } from './maintain-deps.ts'

/** What the bank and its store hold, counted. */
export async function readStats({ store }: Pick<MaintainDeps, 'store'>): Promise<BankStats> {
  const { database, bankId } = store
  const bank = await bankInfo(database, await requireBank(database, store.bank))
  return { bank, ...(await bankStatistics(database, bankId)), store: await database.describe() }
}
