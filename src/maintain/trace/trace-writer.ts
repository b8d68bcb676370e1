import { isProlepsisError } from '../../domain/errors.ts'
import type { EventSink } from '../../domain/events.ts'
import type { IdGenerator } from '../../domain/ports.ts'
import type { TraceEvent, TraceRecord, Tracer, TraceSink } from '../../observability/trace.ts'
import type { Database } from '../../store/database.ts'
import { insertTrace } from '../../store/queries/trace-write.ts'
import { repeatable } from '../../store/repeat.ts'
import { createRedaction, withoutContent } from './redaction.ts'

/** Writes the trace behind the calls that it tells of, many records in one transaction. */
export interface TraceWriter extends TraceSink {
  /** Tells a part of the engine of every record, unredacted, whatever is kept; gives the function that ends it. It must not throw. */
  hear(listener: (record: TraceRecord) => void): () => void
  /** Resolves when everything recorded before the call is written or given up. Never rejects. */
  flush(): Promise<void>
  /** Flushes and takes no more for the store. Idempotent. */
  close(): Promise<void>
}

export interface TraceWriterOptions {
  readonly database: Database
  readonly ids: IdGenerator
  readonly events: EventSink
  /** Write to the store; tracers hear everything all the same. */
  readonly keep: boolean
  /** Write content too: messages, prompts, replies, answers. */
  readonly keepText: boolean
  /** The caller's part of redaction, after the masking of what looks like secrets. @default none */
  readonly redact?: ((text: string) => string) | undefined
  /** @default none */
  readonly tracers?: readonly Tracer[]
  /** Called before events of banks are written, to write what they refer to: receipts. Never rejects. @default nothing */
  readonly before?: (bankIds: ReadonlySet<number>) => Promise<void>
  /** Longest wait of a record in memory. @default 200 */
  readonly delayMs?: number
  /** Most bytes of records in memory, about; past it the oldest are dropped. @default 16 MiB */
  readonly mostBytes?: number
}

interface Waiting {
  readonly bankId: number
  readonly event: TraceEvent
  readonly bytes: number
}

type Trouble = 'TRACE_DROPPED' | 'TRACE_LOST' | 'TRACER_FAILED' | 'REDACTION_FAILED'

/** A store that fails, a tracer or a redaction that throws: a warning tells of the first of its kind, and nobody else notices. */
export function createTraceWriter(options: TraceWriterOptions): TraceWriter {
  const { database, ids, events, keep, keepText, tracers = [], delayMs = 200 } = options
  const mostBytes = options.mostBytes ?? 16 * 1024 ** 2
  const told = new Set<Trouble>()
  const listeners = new Set<(record: TraceRecord) => void>()
  let waiting: Waiting[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  let closed = false

  const warn = (code: Trouble, message: string): void => {
    if (told.has(code)) return
    told.add(code)
    events.emit({ type: 'warning', code, message })
  }
  const redact = createRedaction(options.redact, (error) =>
    warn('REDACTION_FAILED', `redactTrace threw, so what it was given is left out of the trace: ${error}`),
  )

  const write = async (): Promise<void> => {
    const batch = waiting
    waiting = []
    bytes = 0
    if (batch.length === 0) return
    isWriting = true
    try {
      const banks = new Set(batch.map((one) => one.bankId))
      await options.before?.(banks)
      for (const bankId of banks) {
        const own = batch.filter((one) => one.bankId === bankId).map(({ event }) => event)
        const lost = await writeBank(database, bankId, own)
        if (lost.error !== null)
          warn('TRACE_LOST', `${lost.count} events of the trace were lost: ${String(lost.error)}`)
      }
    } finally {
      isWriting = false
    }
    if (waiting.length > 0) arm()
  }

  const flush = (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    writing = writing.then(write)
    return writing
  }

  const arm = (): void => {
    // what is noted while a batch is written waits for its end
    if (timer !== null || isWriting || closed) return
    timer = setTimeout(() => void flush(), delayMs)
    // A process that has nothing else to do may end: close() writes what waits.
    timer.unref()
  }

  const add = (bankId: number, record: TraceRecord): void => {
    const stored = keepText ? record : withoutContent(record)
    // the store fills in what is left out of a record
    const event = { eventId: ids.next(), ...stored } as TraceEvent
    const size = sizeOf(event)
    waiting.push({ bankId, event, bytes: size })
    bytes += size
    if (bytes > mostBytes) {
      let at = 0
      while (bytes > mostBytes && at < waiting.length - 1) bytes -= waiting[at++]!.bytes
      waiting = waiting.slice(at)
      warn(
        'TRACE_DROPPED',
        'The store takes the trace more slowly than it grows: the oldest of it is dropped.',
      )
    }
    arm()
  }

  const tell = (bank: string, record: TraceRecord): void => {
    const failed = (error: unknown): void => warn('TRACER_FAILED', `A tracer threw: ${String(error)}`)
    for (const tracer of tracers) {
      try {
        // one that is async may fail later
        Promise.resolve(tracer(record, bank)).catch(failed)
      } catch (error) {
        failed(error)
      }
    }
  }

  return {
    hear(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    record({ bankId, bank }, record) {
      for (const listener of listeners) listener(record)
      const keeps = keep && !closed
      if (!keeps && tracers.length === 0) return
      try {
        const redacted = redact(record)
        if (keeps) add(bankId, redacted)
        tell(bank, redacted)
      } catch (error) {
        warn('TRACE_LOST', `An event of the trace was lost: ${String(error)}`)
      }
    },
    flush,
    close() {
      closed = true
      return flush()
    },
  }
}

/** Writes the events of a bank in one transaction; when it refuses them, each by itself, so that one bad event costs no other. */
async function writeBank(
  database: Database,
  bankId: number,
  events: readonly TraceEvent[],
): Promise<{ readonly count: number; readonly error: unknown }> {
  const insert = (some: readonly TraceEvent[]): Promise<void> =>
    repeatable(database, () => database.transaction((tx) => insertTrace(tx, bankId, some)))
  try {
    await insert(events)
    return { count: 0, error: null }
  } catch (error) {
    if (events.length === 1 || !isRefusal(error)) return { count: events.length, error }
  }
  let count = 0
  let first: unknown = null
  for (const event of events) {
    try {
      await insert([event])
    } catch (error) {
      count += 1
      first ??= error
    }
  }
  return { count, error: first }
}

/** The store works, but not with this. */
const isRefusal = (error: unknown): boolean =>
  isProlepsisError(error) && (error.code === 'STORE_FAILED' || error.code === 'INVALID_TEXT')

const EVENT_BYTES = 500

function sizeOf(event: TraceEvent): number {
  let size = EVENT_BYTES
  for (const value of Object.values(event)) {
    if (typeof value === 'string') size += 2 * value.length
    else if (Array.isArray(value)) {
      for (const item of value) size += typeof item === 'string' ? 2 * item.length : 16
    }
  }
  return size
}
