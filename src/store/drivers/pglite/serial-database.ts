import { AsyncLocalStorage } from 'node:async_hooks'
import { ProlepsisError, throwIfAborted } from '../../../domain/errors.ts'
import { copyStatement, encodeCopy } from '../../binary-copy.ts'
import type { CopyColumn, CopyValue, Database, Queryable, QueryOptions, SqlValue } from '../../database.ts'
import { toStoreError } from '../../database-error.ts'
import { encodeParameter } from '../../sql-values.ts'
import type { PgliteEngine, RawResult } from './engine.ts'
import { SerialQueue } from './serial-queue.ts'

export interface SerialDatabaseOptions {
  /** Longest time one statement may run. @default 60,000 */
  readonly deadlineMs?: number | undefined
  /** Called after rows were changed: idle maintenance counts them. */
  readonly onChange?: ((rows: number) => void) | undefined
}

const DEFAULT_DEADLINE_MS = 60_000
// PostgreSQL parses about 20,000 rows a second of COPY in WebAssembly; a piece of this size takes well under a second.
const COPY_PIECE_BYTES = 4 * 1024 * 1024

/** A `Database` over one embedded session: statements and transactions wait in one line, first come first served. */
export function createSerialDatabase(engine: PgliteEngine, options: SerialDatabaseOptions = {}): Database {
  return new SerialDatabase(engine, options)
}

class SerialDatabase implements Database {
  readonly engine = 'pglite'
  readonly #engine: PgliteEngine
  readonly #options: SerialDatabaseOptions
  readonly #line = new SerialQueue()
  readonly #scope = new AsyncLocalStorage<TransactionScope>()
  #closing: Promise<void> | undefined

  constructor(engine: PgliteEngine, options: SerialDatabaseOptions) {
    this.#engine = engine
    this.#options = options
  }

  async query<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    const parameters = params.map(encodeParameter)
    return this.#alone(options, async () => toRows<Row>(await this.#run(sql, parameters, options)))
  }

  async execute(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<number> {
    const parameters = params.map(encodeParameter)
    return this.#alone(options, async () => (await this.#run(sql, parameters, options)).affected)
  }

  async copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options: QueryOptions = {},
  ): Promise<number> {
    // Rows go in pieces, so that memory stays bounded: together they must be one.
    return this.transaction((tx) => tx.copy(table, columns, rows, options), options)
  }

  async script(sql: string): Promise<void> {
    await this.#alone({}, () => this.#guarded({}, () => this.#engine.script(sql)))
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: QueryOptions = {}): Promise<T> {
    return this.#alone(options, async () => {
      await this.#guarded({}, () => this.#engine.script('begin'))
      const tx = new SerialTransaction(this.#engine.generation, {
        run: (sql, parameters, own) => this.#run(sql, parameters, { ...options, ...own }),
        copyIn: (sql, bytes, own) =>
          this.#guarded({ ...options, ...own }, () => this.#engine.copyIn(sql, bytes)),
        script: (sql) => this.#guarded(options, () => this.#engine.script(sql)),
        generation: () => this.#engine.generation,
      })
      const scope: TransactionScope = { open: true }
      try {
        const result = await this.#scope.run(scope, () => work(tx))
        await tx.settle()
        throwIfAborted(options.signal)
        await this.#guarded({}, () => this.#engine.script('commit'))
        this.#options.onChange?.(tx.changed)
        return result
      } catch (error) {
        await this.#rollback(tx)
        throw error
      } finally {
        tx.end()
        scope.open = false
      }
    })
  }

  async #rollback(tx: SerialTransaction): Promise<void> {
    await tx.drain()
    // A restarted engine has rolled back already.
    if (tx.generation === this.#engine.generation)
      await this.#guarded({}, () => this.#engine.script('rollback'))
  }

  async *dump(): AsyncIterable<Uint8Array> {
    this.#requireOutside()
    const release = await this.#line.enter()
    try {
      yield* this.#engine.dump()
    } catch (error) {
      throw toStoreError(error)
    } finally {
      release()
    }
  }

  async maintain(): Promise<void> {
    // Only tables that changed much: a vacuum of all takes seconds on a large store.
    const worn = await this.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_stat_user_tables
       where n_mod_since_analyze + n_dead_tup > 500 + 0.1 * n_live_tup or (last_analyze is null and n_mod_since_analyze > 0)`,
    )
    for (const table of worn) await this.script(`vacuum (analyze) ${table.name}`)
    await this.script('checkpoint')
  }

  close(): Promise<void> {
    this.#closing ??= this.#line.close(() => this.#engine.close())
    return this.#closing
  }

  async describe(): Promise<Readonly<Record<string, unknown>>> {
    const rows = await this.query<{ version: string; vector: string | null }>(
      `select current_setting('server_version') as version,
              (select extversion from pg_extension where extname = 'vector') as vector`,
    )
    return {
      engine: 'pglite',
      version: rows[0]?.version,
      pgvector: rows[0]?.vector ?? null,
      ...this.#engine.describe(),
    }
  }

  async #run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult> {
    return this.#guarded(options, () => this.#engine.run(sql, parameters))
  }

  #requireOutside(): void {
    if (this.#scope.getStore()?.open) {
      throw new ProlepsisError(
        'STORE_MISUSE',
        'The database was used from inside its own open transaction.',
        {
          hint: 'Use the transaction that was handed to the work function.',
        },
      )
    }
  }

  async #alone<T>(options: QueryOptions, work: () => Promise<T>): Promise<T> {
    this.#requireOutside()
    const release = await this.#line.enter(options.signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Runs one engine call under its deadline and signal; both stop the engine where it can be stopped. */
  async #guarded<T>(options: QueryOptions, call: () => Promise<T>): Promise<T> {
    throwIfAborted(options.signal)
    const deadlineMs = options.deadlineMs ?? this.#options.deadlineMs ?? DEFAULT_DEADLINE_MS
    const engine = this.#engine
    let restarted: Promise<void> | undefined
    const stop = (reason: ProlepsisError): void => {
      restarted ??= engine.interrupt?.(reason)
    }
    const timer = setTimeout(
      () =>
        stop(
          new ProlepsisError(
            'DEADLINE_EXCEEDED',
            `The statement ran longer than ${deadlineMs} ms and was stopped.`,
            {
              hint: 'Narrow the question or raise the deadline.',
              details: { deadlineMs },
            },
          ),
        ),
      deadlineMs,
    )
    const onAbort = (): void =>
      stop(new ProlepsisError('CANCELLED', 'The call was cancelled.', { cause: options.signal?.reason }))
    options.signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await call()
    } catch (error) {
      throw toStoreError(error)
    } finally {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      await restarted
    }
  }
}

interface TransactionScope {
  open: boolean
}

interface TransactionCalls {
  run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult>
  copyIn(sql: string, bytes: Uint8Array<ArrayBuffer>, options: QueryOptions): Promise<number>
  script(sql: string): Promise<void>
  generation(): number
}

class SerialTransaction implements Queryable {
  readonly generation: number
  readonly #calls: TransactionCalls
  readonly #line = new SerialQueue()
  #ended = false
  #failure: unknown
  changed = 0

  constructor(generation: number, calls: TransactionCalls) {
    this.generation = generation
    this.#calls = calls
  }

  async query<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    const parameters = params.map(encodeParameter)
    const result = await this.#step(() => this.#calls.run(sql, parameters, options))
    this.changed += result.affected
    return toRows<Row>(result)
  }

  async execute(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<number> {
    const parameters = params.map(encodeParameter)
    const result = await this.#step(() => this.#calls.run(sql, parameters, options))
    this.changed += result.affected
    return result.affected
  }

  async copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options: QueryOptions = {},
  ): Promise<number> {
    const sql = copyStatement(table, columns, "'/dev/blob'")
    const copied = await this.#step(async () => {
      let count = 0
      for (const piece of encodeCopy(columns, rows, { whole: true, pieceBytes: COPY_PIECE_BYTES })) {
        count += await this.#calls.copyIn(sql, piece.bytes, options)
      }
      return count
    })
    this.changed += copied
    return copied
  }

  async script(sql: string): Promise<void> {
    await this.#step(() => this.#calls.script(sql))
  }

  async #step<T>(call: () => Promise<T>): Promise<T> {
    const release = await this.#line.enter()
    try {
      if (this.#ended) {
        throw new ProlepsisError('STORE_MISUSE', 'The transaction has ended.', {
          hint: 'Await every statement inside the work function.',
        })
      }
      if (this.#calls.generation() !== this.generation) throw restarted()
      try {
        return await call()
      } catch (error) {
        this.#failure ??= error
        throw error
      }
    } finally {
      release()
    }
  }

  /** Waits for statements that were not awaited. */
  async drain(): Promise<void> {
    const release = await this.#line.enter()
    release()
  }

  /** @throws when it must not be committed: PostgreSQL would turn the commit into a rollback without a word. */
  async settle(): Promise<void> {
    await this.drain()
    if (this.#failure !== undefined) throw this.#failure
    if (this.#calls.generation() !== this.generation) throw restarted()
  }

  end(): void {
    this.#ended = true
  }
}

function restarted(): ProlepsisError {
  return new ProlepsisError(
    'STORE_RESTARTED',
    'The embedded database was restarted; the transaction is gone.',
    {
      hint: 'Repeat it.',
      retryable: true,
    },
  )
}

function toRows<Row extends object>(result: RawResult): Row[] {
  const { fields } = result
  return result.rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < fields.length; index += 1) row[fields[index]!] = values[index]
    // The caller states the row type together with the SQL that yields it.
    return row as Row
  })
}
