import { isProlepsisError } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'
import type { BankStore } from '../store/bank-store.ts'
import { insertReceipts, type NewReceipt } from '../store/queries/receipts.ts'

/** Writes receipts behind the recalls that made them, many in one transaction. */
export interface ReceiptWriter {
  /** Takes a receipt; it is written within `delayMs`, or at the next flush. */
  add(store: BankStore, receipt: NewReceipt): void
  /** Resolves when everything added before the call is written. Rejects when the store refuses for good. */
  flush(): Promise<void>
  /** The same for who cannot do anything about a failure: it becomes a warning. */
  flushBehind(): Promise<void>
  /** Flushes and takes no more. Idempotent. */
  close(): Promise<void>
}

interface Pending {
  readonly store: BankStore
  readonly receipt: NewReceipt
}

/** @param options.delayMs longest wait of a receipt in memory. @default 200 */
export function createReceiptWriter(
  events: EventSink,
  options: { readonly delayMs?: number } = {},
): ReceiptWriter {
  const { delayMs = 200 } = options
  let waiting: Pending[] = []
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  let closed = false

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const batch = waiting
    waiting = []
    // One batch after the other; a batch that failed does not stop the next.
    const written = writing.then(
      () => writeBatch(batch),
      () => writeBatch(batch),
    )
    writing = written
    return written
  }

  const flushBehind = async (): Promise<void> => {
    await flush().catch((error: unknown) => {
      events.emit({ type: 'warning', code: codeOf(error), message: `Receipts were lost: ${String(error)}` })
    })
  }

  return {
    add(store, receipt) {
      if (closed) return
      waiting.push({ store, receipt })
      if (timer === null) {
        timer = setTimeout(() => void flushBehind(), delayMs)
        // A process that has nothing else to do may end: close() writes what waits.
        timer.unref()
      }
    },
    flush,
    flushBehind,
    close() {
      closed = true
      return flush()
    },
  }
}

async function writeBatch(batch: readonly Pending[]): Promise<void> {
  const banks = new Map<number, { store: BankStore; receipts: NewReceipt[] }>()
  for (const { store, receipt } of batch) {
    const group = banks.get(store.bankId)
    if (group === undefined) banks.set(store.bankId, { store, receipts: [receipt] })
    else group.receipts.push(receipt)
  }
  const failures: unknown[] = []
  for (const { store, receipts } of banks.values()) {
    try {
      await store.database.transaction((tx) => insertReceipts(tx, store.bankId, receipts))
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

function codeOf(error: unknown): string {
  return isProlepsisError(error) ? error.code : 'STORE_FAILED'
}
