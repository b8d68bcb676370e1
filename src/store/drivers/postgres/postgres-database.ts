import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import { ProlepsisError } from '../../../domain/errors.ts'
import type { CopyColumn, CopyValue, Database, Queryable, QueryOptions, SqlValue } from '../../database.ts'
import { isSerialisationFailure, toStoreError } from '../../database-error.ts'
import { SerialQueue } from '../serial-queue.ts'
import type { PostgresConnections } from './connections.ts'
import { PostgresStatements } from './statements.ts'

const MAX_ATTEMPTS = 5

/** A `Database` over a pool of connections to a PostgreSQL server. */
export class PostgresDatabase implements Database {
  readonly engine = 'postgres'
  readonly #connections: PostgresConnections
  readonly #scope = new AsyncLocalStorage<{ open: boolean }>()
  #closing: Promise<void> | undefined

  constructor(connections: PostgresConnections) {
    this.#connections = connections
  }

  query<Row extends object>(
    sql: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<Row[]> {
    return this.#with(options, (statements) => statements.query<Row>(sql, params, options))
  }

  execute(sql: string, params?: readonly SqlValue[], options?: QueryOptions): Promise<number> {
    return this.#with(options, (statements) => statements.execute(sql, params, options))
  }

  copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options?: QueryOptions,
  ): Promise<number> {
    return this.#with(options, (statements) => statements.copy(table, columns, rows, options))
  }

  script(sql: string, options?: QueryOptions): Promise<void> {
    return this.#with(options, (statements) => statements.script(sql, options))
  }

  async transaction<T>(work: (tx: Queryable) => Promise<T>, options: QueryOptions = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#with(options, (statements, client) =>
          this.#attempt(work, statements, client, options),
        )
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isSerialisationFailure(error)) throw error
        await pause(attempt * attempt * 10, options.signal)
      }
    }
  }

  async #attempt<T>(
    work: (tx: Queryable) => Promise<T>,
    statements: PostgresStatements,
    client: pg.PoolClient,
    options: QueryOptions,
  ): Promise<T> {
    await statements.execute('begin')
    const tx = new PostgresTransaction(this.#connections, client, options)
    const scope = { open: true }
    try {
      const result = await this.#scope.run(scope, () => work(tx))
      await tx.settle()
      await statements.execute('commit')
      return result
    } catch (error) {
      // On a connection that broke there is nothing to roll back, and the first error is the one that tells.
      await tx.drain()
      await statements.execute('rollback').catch(() => this.#connections.discard(client))
      throw error
    } finally {
      tx.end()
      scope.open = false
    }
  }

  // biome-ignore lint/correctness/useYield: a server is dumped by its own tool; the contract's type is a stream
  async *dump(): AsyncIterable<Uint8Array> {
    throw new ProlepsisError('INVALID_ARGUMENT', 'A PostgreSQL server is not backed up from here.', {
      hint: 'Use pg_dump, or `prolepsis export` for one bank.',
    })
  }

  /** Autovacuum does the work on a server; freshly filled tables get their statistics at once. */
  async maintain(): Promise<void> {
    const fresh = await this.query<{ name: string }>(
      `select format('%I.%I', schemaname, relname) as name from pg_stat_user_tables
       where schemaname = current_schema() and last_analyze is null and last_autoanalyze is null and n_mod_since_analyze > 0`,
    )
    for (const table of fresh) await this.script(`analyze ${table.name}`)
  }

  close(): Promise<void> {
    this.#closing ??= this.#connections.close()
    return this.#closing
  }

  async describe(): Promise<Readonly<Record<string, unknown>>> {
    const [row] = await this.query<{ version: string; vector: string | null }>(
      `select current_setting('server_version') as version,
              (select extversion from pg_extension where extname = 'vector') as vector`,
    )
    return {
      engine: 'postgres',
      version: row?.version,
      pgvector: row?.vector ?? null,
      ...this.#connections.describe(),
    }
  }

  async #with<T>(
    options: QueryOptions | undefined,
    work: (statements: PostgresStatements, client: pg.PoolClient) => Promise<T>,
  ): Promise<T> {
    if (this.#closing !== undefined) {
      throw new ProlepsisError('CLOSED', 'The store was closed.', { hint: 'Open it again.' })
    }
    if (this.#scope.getStore()?.open) {
      throw new ProlepsisError(
        'STORE_MISUSE',
        'The database was used from inside its own open transaction.',
        {
          hint: 'Use the transaction that was handed to the work function.',
        },
      )
    }
    const client = await this.#connections.take(options?.signal)
    try {
      return await work(new PostgresStatements(this.#connections, client), client)
    } finally {
      this.#connections.give(client)
    }
  }
}

/** The statements of one transaction: refuses to commit after a failure, and everything after its end. */
class PostgresTransaction implements Queryable {
  readonly #statements: PostgresStatements
  readonly #defaults: QueryOptions
  // Statements may come at once; the connection takes one after another.
  readonly #line = new SerialQueue()
  #failure: unknown
  #ended = false

  constructor(connections: PostgresConnections, client: pg.PoolClient, defaults: QueryOptions) {
    this.#statements = new PostgresStatements(connections, client, true)
    this.#defaults = defaults
  }

  query<Row extends object>(
    sql: string,
    params?: readonly SqlValue[],
    options?: QueryOptions,
  ): Promise<Row[]> {
    return this.#step(() => this.#statements.query<Row>(sql, params, { ...this.#defaults, ...options }))
  }

  execute(sql: string, params?: readonly SqlValue[], options?: QueryOptions): Promise<number> {
    return this.#step(() => this.#statements.execute(sql, params, { ...this.#defaults, ...options }))
  }

  copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options?: QueryOptions,
  ): Promise<number> {
    return this.#step(() => this.#statements.copy(table, columns, rows, { ...this.#defaults, ...options }))
  }

  script(sql: string, options?: QueryOptions): Promise<void> {
    return this.#step(() => this.#statements.script(sql, { ...this.#defaults, ...options }))
  }

  async #step<T>(call: () => Promise<T>): Promise<T> {
    const leave = await this.#line.enter()
    try {
      if (this.#ended) {
        throw new ProlepsisError('STORE_MISUSE', 'The transaction has ended.', {
          hint: 'Await every statement inside the work function.',
        })
      }
      return await call()
    } catch (error) {
      this.#failure ??= error
      throw error
    } finally {
      leave()
    }
  }

  /** Waits for statements that were not awaited. */
  async drain(): Promise<void> {
    const leave = await this.#line.enter()
    leave()
  }

  /** @throws the first failure: the commit would be a silent rollback. */
  async settle(): Promise<void> {
    await this.drain()
    if (this.#failure !== undefined) throw toStoreError(this.#failure)
  }

  end(): void {
    this.#ended = true
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(new ProlepsisError('CANCELLED', 'The call was cancelled.', { cause: signal.reason }))
      },
      { once: true },
    )
  })
}
