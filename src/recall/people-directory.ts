import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import { type Person, peopleOfBank } from '../store/queries/entities.ts'

/** The people each bank knows, kept for a moment so that a recall need not ask for them every time. */
export interface PeopleDirectory {
  /** Most mentioned first. */
  of(store: BankStore): Promise<readonly Person[]>
  /** Forgets what is kept of a bank: call it after a write. Writes of other processes show after `maxAgeMs`. */
  invalidate(bankId: number): void
}

/** @param options.maxAgeMs longest time a list is kept. @default 2,000 */
export function createPeopleDirectory(
  clock: Clock,
  options: { readonly maxAgeMs?: number } = {},
): PeopleDirectory {
  const { maxAgeMs = 2_000 } = options
  const kept = new Map<number, { readonly readAt: number; readonly people: Promise<readonly Person[]> }>()
  return {
    of(store) {
      const found = kept.get(store.bankId)
      const now = clock.now()
      if (found !== undefined && now - found.readAt < maxAgeMs && now >= found.readAt) return found.people
      const people = peopleOfBank(store.database, store.bankId)
      const entry = { readAt: now, people }
      kept.set(store.bankId, entry)
      // A failed read is not kept; whoever awaits `people` sees the error.
      people.catch(() => {
        if (kept.get(store.bankId) === entry) kept.delete(store.bankId)
      })
      return people
    },
    invalidate(bankId) {
      kept.delete(bankId)
    },
  }
}
