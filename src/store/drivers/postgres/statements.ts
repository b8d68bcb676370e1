import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { errorCodeOf } from '../../../domain/error-code.ts'
import { ProlepsisError, throwIfAborted } from '../../../domain/errors.ts'
import { copyStatement, encodeCopy } from '../../binary-copy.ts'
import {
  BULK_DEADLINE_MS,
  type CopyColumn,
  type CopyValue,
  type Queryable,
  type QueryOptions,
  type SqlValue,
} from '../../database.ts'
import { toStoreError } from '../../database-error.ts'
import { encodeParameter, requireLocalSettings } from '../../sql-values.ts'
import type { PostgresConnections } from './connections.ts'

const CANCELLED_BY_SERVER = '57014'

/** Statements on one connection, each under its deadline and signal. */
export class PostgresStatements implements Queryable {
  readonly #connections: PostgresConnections
  readonly #client: pg.PoolClient
  readonly #inTransaction: boolean
  #localDeadlineMs: number | undefined

  constructor(connections: PostgresConnections, client: pg.PoolClient, inTransaction = false) {
    this.#connections = connections
    this.#client = client
    this.#inTransaction = inTransaction
  }

  async query<Row extends object>(
    sql: string,
    params: readonly SqlValue[] = [],
    options: QueryOptions = {},
  ): Promise<Row[]> {
    requireLocalSettings(sql)
    const values = params.map(encodeParameter)
    const result = await this.#guarded(options, () => this.#client.query<Row>({ text: sql, values }))
    return result.rows
  }

  async execute(sql: string, params: readonly SqlValue[] = [], options: QueryOptions = {}): Promise<number> {
    requireLocalSettings(sql)
    const values = params.map(encodeParameter)
    const result = await this.#guarded(options, () => this.#client.query({ text: sql, values }))
    return CHANGES.has(result.command) ? (result.rowCount ?? 0) : 0
  }

  async copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options: QueryOptions = {},
  ): Promise<number> {
    return this.#guarded(bulk(options), async () => {
      const idle = becomesIdle(this.#client)
      const stream = this.#client.query(copyFrom(copyStatement(table, columns, 'stdin')))
      try {
        await pipeline(Readable.from(pieces(columns, rows), { objectMode: true }), stream)
      } finally {
        // A broken stream ends before the server has taken back the COPY.
        await idle
      }
      return stream.rowCount
    })
  }

  async script(sql: string, options: QueryOptions = {}): Promise<void> {
    requireLocalSettings(sql)
    await this.#guarded(bulk(options), () => this.#client.query(sql))
  }

  async #guarded<T>(options: QueryOptions, call: () => Promise<T>): Promise<T> {
    throwIfAborted(options.signal)
    const deadlineMs = options.deadlineMs ?? this.#connections.deadlineMs
    let cancelling: Promise<void> | undefined
    const onAbort = (): void => {
      cancelling = this.#connections.cancel(this.#client)
    }
    try {
      await this.#setDeadline(deadlineMs)
      options.signal?.addEventListener('abort', onAbort, { once: true })
      return await call()
    } catch (error) {
      if (options.signal?.aborted) {
        throw new ProlepsisError('CANCELLED', 'The call was cancelled.', { cause: options.signal.reason })
      }
      if (errorCodeOf(error) === CANCELLED_BY_SERVER) {
        throw new ProlepsisError(
          'DEADLINE_EXCEEDED',
          `The statement ran longer than ${deadlineMs} ms and was stopped.`,
          { hint: 'Narrow the question or raise the deadline.', cause: error, details: { deadlineMs } },
        )
      }
      throw this.#connections.explain(toStoreError(error))
    } finally {
      options.signal?.removeEventListener('abort', onAbort)
      // Before the connection does anything else: a late cancellation would hit the next statement.
      await cancelling
    }
  }

  /** In a transaction only LOCAL, so that nothing stays behind; elsewhere the connection remembers its own. */
  async #setDeadline(deadlineMs: number): Promise<void> {
    if (this.#inTransaction) {
      if (deadlineMs === (this.#localDeadlineMs ?? this.#connections.deadlineOf(this.#client))) return
      await this.#client.query(`set local statement_timeout = ${Math.ceil(deadlineMs)}`)
      this.#localDeadlineMs = deadlineMs
    } else if (deadlineMs !== this.#connections.deadlineOf(this.#client)) {
      await this.#connections.setDeadline(this.#client, deadlineMs)
    }
  }
}

function bulk(options: QueryOptions): QueryOptions {
  return { ...options, deadlineMs: options.deadlineMs ?? BULK_DEADLINE_MS }
}

function becomesIdle(client: pg.PoolClient): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      client.off('drain', done)
      client.off('end', done)
      resolve()
    }
    client.on('drain', done)
    client.on('end', done)
  })
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

function* pieces(columns: readonly CopyColumn[], rows: Iterable<readonly CopyValue[]>): Generator<Buffer> {
  for (const { bytes } of encodeCopy(columns, rows, { pieceBytes: 256 * 1024 }))
    yield Buffer.from(bytes.buffer)
}
