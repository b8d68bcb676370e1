import type { EventSink } from '../domain/events.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'

/** What the care of a bank works with. */
export interface MaintainDeps {
  readonly store: BankStore
  readonly clock: Clock
  readonly events: EventSink
}
