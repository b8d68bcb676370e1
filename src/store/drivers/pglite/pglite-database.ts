import { AsyncLocalStorage } from 'node:async_hooks'
import { isProlepsisError, ProlepsisError, throwIfAborted } from '../../../domain/errors.ts'
import { copyStatement, encodeCopy } from '../../binary-copy.ts'
import {
  BULK_DEADLINE_MS,
  type CopyColumn,
  type CopyValue,
  type Database,
  type Queryable,
  type QueryOptions,
  type SharedServices,
  type SqlValue,
} from '../../database.ts'
import { encodeParameter, requireLocalSettings } from '../../sql-values.ts'
import type { RawDatabase, RawResult, RawStatements, RawTransaction } from './raw-database.ts'

// WebAssembly takes about 20,000 rows a second of COPY: a piece of this size stays well under a second.
const COPY_PIECE_BYTES = 4 * 1024 * 1024
const MAX_ATTEMPTS = 5

/** The embedded `Database`, wherever its engine runs. */
export class PgliteDatabase implements Database {
  readonly engine = 'pglite'
  readonly services: SharedServices | undefined
  readonly #raw: RawDatabase
  #closed: (() => void) | undefined
  readonly #scope = new AsyncLocalStorage<{ open: boolean }>()

  constructor(raw: RawDatabase, services?: SharedServices) {
    this.#raw = raw
    this.services = services
  }

  async query<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    requireLocalSettings(sql)
    return toRows<Row>(await this.#outside().run(sql, params.map(encodeParameter), options))
  }

  async execute(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<number> {
    requireLocalSettings(sql)
    return (await this.#outside().run(sql, params.map(encodeParameter), options)).affected
  }

  /** Rows go in pieces, so that memory stays bounded; together they are one. */
  async copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options: QueryOptions = {},
  ): Promise<number> {
    this.#outside()
    // Once: the rows may be a generator, which cannot be read a second time.
    return this.#attempt((tx) => tx.copy(table, columns, rows, options), options).then((outcome) =>
      outcome.unwrap(),
    )
  }

  async script(sql: string, options: QueryOptions = {}): Promise<void> {
    requireLocalSettings(sql)
    await this.#outside().script(sql, bulk(options))
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: QueryOptions = {}): Promise<T> {
    this.#outside()
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.#attempt(work, options)
      if (attempt === MAX_ATTEMPTS || !outcome.mayRepeat) return outcome.unwrap()
    }
  }

  async #attempt<T>(work: (tx: Queryable) => Promise<T>, options: QueryOptions): Promise<Outcome<T>> {
    const raw = await this.#raw.begin(options)
    const tx = new PgliteTransaction(raw, options)
    const scope = { open: true }
    let committing = false
    try {
      const result = await this.#scope.run(scope, () => work(tx))
      await tx.settle()
      throwIfAborted(options.signal)
      committing = true
      await raw.commit()
      return { mayRepeat: false, unwrap: () => result }
    } catch (error) {
      // The owner that went away has rolled back by that; any other failure of the rollback is worth less than the error.
      if (!committing) await raw.rollback().catch(() => undefined)
      const lost = isProlepsisError(error) && error.code === 'STORE_OWNER_LOST'
      return {
        mayRepeat: lost && !committing,
        unwrap: () => {
          throw error
        },
      }
    } finally {
      tx.end()
      scope.open = false
    }
  }

  async *dump(): AsyncIterable<Uint8Array> {
    yield* this.#outside().dump()
  }

  async maintain(): Promise<void> {
    // A single-user engine reports its counts only when it is told to.
    await this.query('select pg_stat_force_next_flush()')
    // Only tables that changed much: a vacuum of all takes seconds on a large store.
    const worn = await this.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_stat_user_tables
       where n_mod_since_analyze + n_dead_tup > 500 + 0.1 * n_live_tup
          or (last_analyze is null and n_mod_since_analyze > 0)`,
    )
    for (const table of worn) await this.script(`vacuum (analyze) ${table.name}`)
    await this.script('checkpoint')
  }

  close(): Promise<void> {
    this.#closed?.()
    this.#closed = undefined
    return this.#raw.close()
  }

  /** Told once, when closing begins. */
  onClose(listener: () => void): void {
    this.#closed = listener
  }

  async describe(): Promise<Readonly<Record<string, unknown>>> {
    const [row] = await this.query<{ version: string; vector: string | null }>(
      `select current_setting('server_version') as version,
              (select extversion from pg_extension where extname = 'vector') as vector`,
    )
    return { engine: 'pglite', version: row?.version, pgvector: row?.vector ?? null, ...this.#raw.describe() }
  }

  #outside(): RawDatabase {
    if (this.#scope.getStore()?.open) {
      throw new ProlepsisError(
        'STORE_MISUSE',
        'The database was used from inside its own open transaction.',
        {
          hint: 'Use the transaction that was handed to the work function.',
        },
      )
    }
    return this.#raw
  }
}

interface Outcome<T> {
  /** It is certain that nothing of it stayed, and that another try may succeed. */
  readonly mayRepeat: boolean
  /** The result, or throws. */
  unwrap(): T
}

/** A transaction for the work function: refuses to commit after a failure, and everything after its end. */
class PgliteTransaction implements Queryable {
  readonly #raw: RawTransaction
  readonly #defaults: QueryOptions
  readonly #pending = new Set<Promise<unknown>>()
  #failure: unknown
  #ended = false

  constructor(raw: RawTransaction, defaults: QueryOptions) {
    this.#raw = raw
    this.#defaults = defaults
  }

  async query<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    return toRows<Row>(await this.#run(sql, params, options))
  }

  async execute(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<number> {
    return (await this.#run(sql, params, options)).affected
  }

  copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options: QueryOptions = {},
  ): Promise<number> {
    const sql = copyStatement(table, columns, "'/dev/blob'")
    return this.#step(async () => {
      let count = 0
      for (const piece of encodeCopy(columns, rows, { whole: true, pieceBytes: COPY_PIECE_BYTES })) {
        count += await this.#raw.copyIn(sql, piece.bytes, bulk({ ...this.#defaults, ...options }))
      }
      return count
    })
  }

  script(sql: string, options: QueryOptions = {}): Promise<void> {
    return this.#step(async () => {
      requireLocalSettings(sql)
      await this.#raw.script(sql, bulk({ ...this.#defaults, ...options }))
    })
  }

  #run(sql: string, params: readonly SqlValue[], options: QueryOptions): Promise<RawResult> {
    const statements: RawStatements = this.#raw
    return this.#step(() =>
      statements.run(sql, params.map(encodeParameter), { ...this.#defaults, ...options }),
    )
  }

  async #step<T>(call: () => Promise<T>): Promise<T> {
    if (this.#ended) {
      throw new ProlepsisError('STORE_MISUSE', 'The transaction has ended.', {
        hint: 'Await every statement inside the work function.',
      })
    }
    const running = call()
    this.#pending.add(running)
    try {
      return await running
    } catch (error) {
      this.#failure ??= error
      throw error
    } finally {
      this.#pending.delete(running)
    }
  }

  /** @throws the first failure: PostgreSQL would turn the commit into a rollback without a word. */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#pending)
    if (this.#failure !== undefined) throw this.#failure
  }

  end(): void {
    this.#ended = true
  }
}

function bulk(options: QueryOptions): QueryOptions {
  return { ...options, deadlineMs: options.deadlineMs ?? BULK_DEADLINE_MS }
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
