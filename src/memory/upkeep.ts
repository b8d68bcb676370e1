import type { EventSink } from '../domain/events.ts'
import type { Clock } from '../domain/ports.ts'
import type { BankStore } from '../store/bank-store.ts'
import type { Database } from '../store/database.ts'
import { listBanks } from '../store/queries/banks.ts'
import { deleteJobsBefore } from '../store/queries/jobs.ts'
import { deleteReceiptsBefore } from '../store/queries/receipts.ts'
import { deleteTraceBefore, deleteTraceOver, traceExtent } from '../store/queries/trace-prune.ts'
import { vacuumForgotten } from '../store/queries/vacuum-forgotten.ts'
import { buildEveryIndex, buildIndexes } from '../store/queries/vector-indexes.ts'
import type { CallLine } from './engine.ts'

/** A bulk of so many chunks is worth a VACUUM at once: full-text search then reads the index alone. */
const BULK_CHUNKS = 1_000
const IDLE_MS = 20_000
/** Forgetting many texts one by one does not rewrite the tables each time. */
const FORGET_PAUSE_MS = 10_000
const DAY_MS = 86_400_000
/** How often the trace of all banks is measured. */
const TRACE_PAUSE_MS = 3_600_000

/** Keeps in shape what searches rely on: vector indexes of large banks, visibility maps, no receipts and no trace older or larger than the settings say. */
export interface Upkeep {
  /** After many writes, at once; the texts are safe already, so a failure is a warning. */
  afterBulk(store: BankStore, chunks: number, signal?: AbortSignal): Promise<void>
  /** After forgetting, or the deletion of a bank: what was deleted leaves the disk, at once or, of many calls, after the last. A failure is a warning. */
  afterForget(): Promise<void>
  /** After any write: some time later, when nothing runs. */
  noteWrite(): void
  /** After events of the trace were written: when nothing runs, or at the end, what is too old or too much of it goes. */
  noteTrace(bankIds: Iterable<number>): void
  /** Ends what runs at its next step; what was forgotten leaves the disk first. */
  stop(): Promise<void>
}

export interface UpkeepOptions {
  readonly database: Database
  readonly clock: Clock
  readonly events: EventSink
  readonly calls: Pick<CallLine, 'isBusy'>
  /** Receipts older than this are removed; 0 keeps them for ever. */
  readonly receiptDays: number
  /** The trace older than this is removed, and so are jobs that ended; 0 keeps it for ever. @default 0 */
  readonly traceDays?: number
  /** The oldest of a bank's trace past this size is removed; 0: no limit. @default 0 */
  readonly traceMegabytes?: number
  /** Most vectors of a kind that may stay outside an index. @default the store's own */
  readonly mostWaiting?: number | undefined
}

export function createUpkeep(options: UpkeepOptions): Upkeep {
  const { database, clock, events, calls, mostWaiting } = options
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let isForgottenOnDisk = false
  let forgottenSweptAt = Number.NEGATIVE_INFINITY
  let receiptsSweptAt = Number.NEGATIVE_INFINITY
  let jobsSweptAt = Number.NEGATIVE_INFINITY
  let traceSweptAt = Number.NEGATIVE_INFINITY
  /** Banks whose trace has grown since it was last looked at. */
  const traced = new Set<number>()

  const attempt = async (task: string, work: () => Promise<void>): Promise<void> => {
    const started = clock.now()
    try {
      await work()
      events.emit({ type: 'maintenance-end', task, durationMs: clock.now() - started })
    } catch (error) {
      if (stopped) return
      const reason = error instanceof Error ? error.message : String(error)
      events.emit({ type: 'warning', code: 'UPKEEP', message: `${task} did not finish: ${reason}` })
    }
  }

  const sweepReceipts = async (): Promise<void> => {
    const now = clock.now()
    if (options.receiptDays === 0 || now - receiptsSweptAt < DAY_MS) return
    receiptsSweptAt = now
    const before = new Date(now - options.receiptDays * DAY_MS)
    for (const bank of await listBanks(database)) await deleteReceiptsBefore(database, bank.bankId, before)
  }

  const sweepJobs = async (): Promise<void> => {
    const now = clock.now()
    const { traceDays = 0 } = options
    if (traceDays === 0 || now - jobsSweptAt < DAY_MS) return
    jobsSweptAt = now
    const before = new Date(now - traceDays * DAY_MS)
    for (const bank of await listBanks(database)) await deleteJobsBefore(database, bank.bankId, before)
  }

  const sweepTrace = async (bankIds: Iterable<number>): Promise<void> => {
    const { traceDays = 0, traceMegabytes = 0 } = options
    const before = traceDays === 0 ? null : new Date(clock.now() - traceDays * DAY_MS)
    const most = traceMegabytes === 0 ? Number.POSITIVE_INFINITY : traceMegabytes * 1024 ** 2
    traceSweptAt = clock.now()
    for (const bankId of bankIds) {
      // only what is old or large is looked at row by row
      const { oldest, storeBytes } = await traceExtent(database, bankId)
      if (before !== null && oldest !== null && oldest < before)
        await deleteTraceBefore(database, bankId, before)
      if (storeBytes > most) await deleteTraceOver(database, bankId, most)
    }
  }

  const sweepWholeTrace = async (): Promise<void> => {
    if (clock.now() - traceSweptAt < TRACE_PAUSE_MS) return
    await sweepTrace((await listBanks(database)).map(({ bankId }) => bankId))
    traced.clear()
  }

  const sweepForgotten = async (): Promise<void> => {
    if (!isForgottenOnDisk) return
    isForgottenOnDisk = false
    await attempt('vacuum of what was forgotten', () => vacuumForgotten(database))
    forgottenSweptAt = clock.now()
  }

  const whenIdle = async (): Promise<void> => {
    const shouldStop = (): boolean => stopped || calls.isBusy()
    await attempt(
      'vector indexes',
      async () => void (await buildEveryIndex(database, { mostWaiting, shouldStop })),
    )
    if (!stopped) await attempt('old receipts', sweepReceipts)
    if (!stopped) await attempt('old jobs', sweepJobs)
    if (!stopped) await attempt('old trace', sweepWholeTrace)
    if (!stopped) await sweepForgotten()
  }

  /** Only the process that holds an embedded store looks after it. */
  const isKeeper = (): boolean => database.services?.isOwner() !== false

  const arm = (): void => {
    clearTimeout(timer)
    if (stopped) return
    timer = setTimeout(() => {
      timer = undefined
      if (!isKeeper()) return
      if (calls.isBusy()) arm()
      else running = running.then(whenIdle)
    }, IDLE_MS)
    timer.unref()
  }

  return {
    async afterBulk(store, chunks, signal) {
      const shouldStop = (): boolean => stopped || signal?.aborted === true
      await attempt('vector indexes', async () => {
        await buildIndexes(database, store.space, { bankId: store.bankId, mostWaiting, shouldStop })
      })
      if (chunks >= BULK_CHUNKS && !shouldStop()) await attempt('vacuum', () => database.maintain())
    },
    async afterForget() {
      isForgottenOnDisk = true
      // one call after the other: the last of them is followed up when nothing runs, or at the end
      if (clock.now() - forgottenSweptAt < FORGET_PAUSE_MS) arm()
      else await sweepForgotten()
    },
    noteWrite: arm,
    noteTrace(bankIds) {
      for (const bankId of bankIds) traced.add(bankId)
      if (timer === undefined) arm()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
      // who calls once and ends, again and again, never has an idle moment
      if (traced.size > 0 && isKeeper()) await attempt('old trace', () => sweepTrace(traced))
      await sweepForgotten()
    },
  }
}
