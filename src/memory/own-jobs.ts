import type { Job, QueuedJob } from '../domain/jobs.ts'
import type { BankStore } from '../store/bank-store.ts'
import { jobsByIds } from '../store/queries/jobs.ts'
import { repeatable } from '../store/repeat.ts'

const ASKED_AT_ONCE = 500

/** Jobs that this memory put in line and has not seen end. */
export interface OwnJobs {
  add(store: BankStore, jobs: readonly QueuedJob[]): void
  ended(bankId: number, jobId: number, outcome: string): void
  /** Reads some of those that may be due. False when none is: then none runs or waits for a slot. */
  haveDue(now: number): Promise<boolean>
  /** Those that are in line still, with a reason of one that failed. */
  left(): Promise<{ readonly count: number; readonly reason: string | null }>
}

export function createOwnJobs(): OwnJobs {
  const banks = new Map<
    number,
    { readonly store: BankStore; readonly due: Set<number>; readonly later: Set<number> }
  >()
  const read = async (
    bank: { readonly store: BankStore },
    ids: Iterable<number>,
  ): Promise<readonly Job[]> => {
    const { database, bankId } = bank.store
    return repeatable(database, (db) => jobsByIds(db, bankId, [...ids].slice(0, ASKED_AT_ONCE)))
  }
  const isOpen = (job: Job): boolean => job.state === 'waiting' || job.state === 'running'
  return {
    add(store, jobs) {
      const bank = banks.get(store.bankId) ?? { store, due: new Set(), later: new Set() }
      banks.set(store.bankId, bank)
      for (const { jobId } of jobs) bank.due.add(jobId)
    },
    ended(bankId, jobId, outcome) {
      if (outcome === 'lost' || outcome === 'released') return
      const bank = banks.get(bankId)
      if (bank?.due.delete(jobId) === true && outcome === 'waiting') bank.later.add(jobId)
      if (outcome !== 'waiting') bank?.later.delete(jobId)
    },
    async haveDue(now) {
      for (const bank of banks.values()) {
        while (bank.due.size > 0) {
          const asked = [...bank.due].slice(0, ASKED_AT_ONCE)
          const jobs = new Map((await read(bank, asked)).map((job) => [job.jobId, job]))
          for (const jobId of asked) {
            const job = jobs.get(jobId)
            if (
              job !== undefined &&
              isOpen(job) &&
              (job.state === 'running' || job.runAfter.getTime() <= now)
            )
              return true
            bank.due.delete(jobId)
            if (job !== undefined && isOpen(job)) bank.later.add(jobId)
          }
        }
      }
      return false
    },
    async left() {
      let count = 0
      let reason: string | null = null
      for (const bank of banks.values()) {
        const ids = [...bank.due, ...bank.later]
        for (let at = 0; at < ids.length; at += ASKED_AT_ONCE) {
          const open = (await read(bank, ids.slice(at, at + ASKED_AT_ONCE))).filter(isOpen)
          count += open.length
          const failed = open.find((job) => job.error !== null)
          reason ??= failed === undefined ? null : `${failed.error} (${failed.errorCode})`
        }
      }
      return { count, reason }
    },
  }
}
