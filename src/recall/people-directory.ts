import { VECTOR_KINDS, type VectorKind } from '../domain/cue.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import { hasEnriched, kindsOfBank } from '../store/queries/candidate-chunks.ts'
import { type DocumentStatistics, documentStatistics } from '../store/queries/document-matches.ts'
import { type Person, peopleOfBank } from '../store/queries/entities.ts'

/** What a recall has to know of a bank before it asks anything of it. */
export interface BankOutline {
  /** Most mentioned first. */
  readonly people: readonly Person[]
  /** Kinds of vector of which there is any: the others need not be searched. */
  readonly kinds: ReadonlySet<VectorKind>
  /** Counted anew once a minute: they change little, and counting reads every document. */
  readonly documents: DocumentStatistics
  /** Whether any chunk has questions of the caller or of a model. */
  readonly enriched: boolean
}

/** An outline of a bank that could not be read: search everything, know nobody. */
export const UNKNOWN_OUTLINE: BankOutline = {
  people: [],
  kinds: new Set(VECTOR_KINDS),
  documents: { count: 0, averageBytes: 0 },
  enriched: true,
}

const DOCUMENTS_MAX_AGE_MS = 60_000
/** Banks of fewer documents are counted each time: it costs nothing, and they may grow a lot in a minute. */
const SMALL_BANK = 2_000

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
  const counted = new Map<
    number,
    { readonly readAt: number; readonly documents: Promise<DocumentStatistics> }
  >()
  const documentsOf = (store: BankStore, now: number): Promise<DocumentStatistics> => {
    const found = counted.get(store.bankId)
    if (found !== undefined && now - found.readAt < DOCUMENTS_MAX_AGE_MS && now >= found.readAt) {
      return found.documents
    }
    const entry = { readAt: now, documents: documentStatistics(store.database, store.bankId) }
    counted.set(store.bankId, entry)
    entry.documents.then(
      ({ count }) => {
        if (count < SMALL_BANK) counted.delete(store.bankId)
      },
      () => counted.delete(store.bankId),
    )
    return entry.documents
  }
  return {
    of(store) {
      const found = kept.get(store.bankId)
      const now = clock.now()
      if (found !== undefined && now - found.readAt < maxAgeMs && now >= found.readAt) return found.outline
      const outline = readOutline(store, documentsOf(store, now))
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

async function readOutline(store: BankStore, documents: Promise<DocumentStatistics>): Promise<BankOutline> {
  const { database, bankId, space } = store
  const [people, kinds, counts, enriched] = await Promise.all([
    peopleOfBank(database, bankId),
    kindsOfBank(database, bankId, space),
    documents,
    hasEnriched(database, bankId),
  ])
  return { people, kinds, documents: counts, enriched }
}
