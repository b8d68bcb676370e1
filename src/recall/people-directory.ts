import type { VectorKind } from '../domain/cue.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import { kindsOfBank } from '../store/queries/candidate-chunks.ts'
import { type Person, peopleOfBank } from '../store/queries/entities.ts'

/** What a recall has to know of a bank before it asks anything of it. */
export interface BankOutline {
  /** Most mentioned first. */
  readonly people: readonly Person[]
  /** Kinds of vector of which there is any: the others need not be searched. */
  readonly kinds: ReadonlySet<VectorKind>
}

/** The people and the kinds of vector of each bank, kept for a moment so that a recall need not ask for them every time. */
export interface PeopleDirectory {
  of(store: BankStore): Promise<BankOutline>
  /** Forgets what is kept of a bank: call it after a write. Writes of other processes show after `maxAgeMs`. */
  invalidate(bankId: number): void
}

/** @param options.maxAgeMs longest time an outline is kept. @default 2,000 */
export function createPeopleDirectory(
  clock: Clock,
  options: { readonly maxAgeMs?: number } = {},
): PeopleDirectory {
  const { maxAgeMs = 2_000 } = options
  const kept = new Map<number, { readonly readAt: number; readonly outline: Promise<BankOutline> }>()
  return {
    of(store) {
      const found = kept.get(store.bankId)
      const now = clock.now()
      if (found !== undefined && now - found.readAt < maxAgeMs && now >= found.readAt) return found.outline
      const outline = readOutline(store)
      const entry = { readAt: now, outline }
      kept.set(store.bankId, entry)
      // A failed read is not kept; whoever awaits the outline sees the error.
      outline.catch(() => {
        if (kept.get(store.bankId) === entry) kept.delete(store.bankId)
      })
      return outline
    },
    invalidate(bankId) {
      kept.delete(bankId)
    },
  }
}

async function readOutline(store: BankStore): Promise<BankOutline> {
  const { database, bankId, space } = store
  const [people, kinds] = await Promise.all([
    peopleOfBank(database, bankId),
    kindsOfBank(database, bankId, space),
  ])
  return { people, kinds }
}
