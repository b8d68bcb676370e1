import { ProlepsisError } from '../domain/errors.ts'
import { backupStore } from '../maintain/backup.ts'
import {
  bankAsAsked,
  bankInfo,
  checkBankName,
  configureBank,
  createBank,
  listBankInfos,
  removeBank,
} from '../maintain/banks.ts'
import { checkKeys } from '../maintain/check-options.ts'
import type { Memory } from '../memory-api.ts'
import { checkBankSettings } from '../recall/bank-settings.ts'
import { findBank } from '../store/queries/banks.ts'
import { repeatable } from '../store/repeat.ts'
import type { BankOpener } from './bank-opener.ts'
import type { Engine } from './engine.ts'
import { assertWritable } from './scope.ts'

/** The calls that concern the store as a whole. */
export function storeCalls(engine: Engine, opener: BankOpener): Pick<Memory, 'banks' | 'backup'> {
  const { database, calls } = engine
  const call = <T>(work: (attempt: number) => Promise<T>): Promise<T> =>
    calls.run(() => repeatable(database, (_database, attempt) => work(attempt)))
  const change = <T>(work: (attempt: number) => Promise<T>): Promise<T> =>
    call(async (attempt) => {
      assertWritable(engine)
      return work(attempt)
    })
  return {
    banks: {
      list: () => call(() => listBankInfos(database)),
      create: (name, options = {}) =>
        change(async (attempt) => {
          checkKeys(options, ['language', 'settings'], 'banks.create')
          const { language = engine.resolved.settings.language, settings = {} } = options
          // an unknown language is refused here, not at the first retain
          await engine.analysers.of(language)
          const { modelId, dimension } = await engine.embedder.identity()
          const now = new Date(engine.clock.now())
          const bank = {
            name,
            language,
            settings: checkBankSettings(settings),
            model: { modelId, dimension },
            now,
          }
          const row = await createBank(database, bank)
          if (row !== null) return bankInfo(database, row)
          // the attempt before may have made it, and lost its answer
          const there = attempt > 1 ? await bankAsAsked(database, bank) : null
          if (there !== null) return there
          throw new ProlepsisError('BANK_EXISTS', `There is a bank "${name}" already.`, {
            hint: 'Use it, or choose another name.',
            details: { bank: name },
          })
        }),
      delete: (name) => {
        const seen = { found: false }
        return change(async () => {
          await engine.receipts.flush()
          await engine.trace.flush()
          // afterwards: a call that runs meanwhile would remember the bank that goes
          const gone = await removeBank(database, name, seen).finally(() => opener.invalidate(name))
          // its rows are still in their pages
          if (gone) await engine.upkeep.afterForget()
          return gone
        })
      },
      info: (name) =>
        call(async () => {
          const row = await findBank(database, checkBankName(name))
          return row === null ? null : bankInfo(database, row)
        }),
      configure: (name, settings) =>
        change(() => {
          const checked = checkBankSettings(settings)
          // afterwards: a call that runs meanwhile would remember the settings that go
          return configureBank(database, name, checked).finally(() => opener.invalidate(name))
        }),
    },
    backup: (path) =>
      calls.run(async () => {
        await engine.receipts.flush()
        return backupStore(database, path)
      }),
  }
}
