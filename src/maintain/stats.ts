import type { BankStats } from '../domain/care.ts'
import { formulationCounts } from '../store/queries/formulation-counts.ts'
import { modelUsageOf } from '../store/queries/model-usage.ts'
import { bankStatistics } from '../store/queries/statistics.ts'
import { traceCounts } from '../store/queries/trace-counts.ts'
import { bankInfo, requireBank } from './banks.ts'
import type { MaintainDeps } from './maintain-deps.ts'

const DAY_MS = 86_400_000

/** What the bank and its store hold, counted. */
export async function readStats({ store, clock }: Pick<MaintainDeps, 'store' | 'clock'>): Promise<BankStats> {
  const { database, bankId } = store
  const bank = await bankInfo(database, await requireBank(database, store.bank))
  const since = new Date(clock.now() - DAY_MS)
  const lastDay = {
    ...(await traceCounts(database, bankId, since)),
    ...(await formulationCounts(database, bankId, since)),
  }
  const modelUsage = await modelUsageOf(database, bankId, new Date(clock.now()).toISOString().slice(0, 10))
  const counts = await bankStatistics(database, bankId)
  return { bank, ...counts, lastDay, modelUsage, store: await database.describe() }
}
