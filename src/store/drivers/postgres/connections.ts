import pg from 'pg'
import { ProlepsisError, throwIfAborted } from '../../../domain/errors.ts'
import { toStoreError } from '../../database-error.ts'
import { VALUE_PARSERS } from '../../sql-values.ts'

export interface ConnectionOptions {
  readonly databaseUrl: string
  /** Longest time a statement may run. */
  readonly deadlineMs: number
  /** @default 10 */
  readonly maxConnections?: number | undefined
}

const CONNECT_TIMEOUT_MS = 10_000

// One round trip when a connection is made. The text forms are those that the value parsers read; relaxed_order lets an
// HNSW scan go on past rows that a filter drops.
const SESSION_SETTINGS = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set bytea_output = 'hex';
set extra_float_digits = 1; set hnsw.iterative_scan = relaxed_order; set client_min_messages = warning`

/** The pool: every connection that it hands out is set up, and knows its statement deadline. */
export class PostgresConnections {
  readonly deadlineMs: number
  readonly #pool: pg.Pool
  readonly #config: pg.ClientConfig
  readonly #deadlines = new WeakMap<pg.PoolClient, number>()
  readonly #broken = new WeakSet<pg.PoolClient>()
  readonly #server: string

  constructor(options: ConnectionOptions) {
    this.deadlineMs = options.deadlineMs
    this.#config = {
      connectionString: options.databaseUrl,
      application_name: 'prolepsis',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      types: { getTypeParser: (oid: number) => VALUE_PARSERS.get(oid) ?? asText },
    }
    this.#server = describeServer(options.databaseUrl)
    this.#pool = new pg.Pool({ ...this.#config, max: options.maxConnections ?? 10, allowExitOnIdle: true })
    // An idle connection that the server drops is replaced at the next call, which reports it if that fails too.
    this.#pool.on('error', () => undefined)
  }

  async take(signal?: AbortSignal): Promise<pg.PoolClient> {
    throwIfAborted(signal)
    try {
      const client = await this.#pool.connect()
      if (!this.#deadlines.has(client)) {
        try {
          await client.query(SESSION_SETTINGS)
          await this.setDeadline(client, this.deadlineMs)
        } catch (error) {
          client.release(true)
          throw error
        }
      }
      return client
    } catch (error) {
      throw this.explain(toStoreError(error))
    }
  }

  give(client: pg.PoolClient): void {
    client.release(this.#broken.has(client))
  }

  /** The connection is in an unknown state: it is closed when it comes back. */
  discard(client: pg.PoolClient): void {
    this.#broken.add(client)
  }

  deadlineOf(client: pg.PoolClient): number | undefined {
    return this.#deadlines.get(client)
  }

  async setDeadline(client: pg.PoolClient, deadlineMs: number): Promise<void> {
    await client.query(`set statement_timeout = ${Math.ceil(deadlineMs)}`)
    this.#deadlines.set(client, deadlineMs)
  }

  /** Stops what the connection runs, by a connection of its own: the pool may be exhausted. */
  async cancel(client: pg.PoolClient): Promise<void> {
    const helper = new pg.Client(this.#config)
    helper.on('error', () => undefined)
    try {
      await helper.connect()
      // pg's types leave out the process id that the server announced.
      const { processID } = client as unknown as { readonly processID: number }
      await helper.query('select pg_cancel_backend($1)', [processID])
    } catch {
      // Not reachable for a cancellation: then the statement's own deadline ends it, and the connection is not used again.
      this.discard(client)
    } finally {
      await helper.end().catch(() => undefined)
    }
  }

  /** A lost or refused connection comes without a SQLSTATE. */
  explain(error: ProlepsisError): ProlepsisError {
    if (
      error.code === 'STORE_FAILED' &&
      /connection terminated|timeout exceeded|timeout expired|ECONN|socket/i.test(error.message)
    ) {
      return new ProlepsisError(
        'STORE_UNREACHABLE',
        `The PostgreSQL server ${this.#server} does not answer.`,
        {
          hint: 'Check that it runs and can be reached.',
          retryable: true,
          cause: error,
        },
      )
    }
    return error
  }

  describe(): Readonly<Record<string, unknown>> {
    return {
      server: this.#server,
      pool: { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount },
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

const asText = (value: string): string => value

/** Host, port and database: never the password. */
function describeServer(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl)
    return `${url.hostname}:${url.port || '5432'}${url.pathname}`
  } catch (error) {
    throw new ProlepsisError('INVALID_CONFIG', 'The database URL cannot be read.', {
      hint: 'Write it as postgres://user:password@host:5432/database.',
      // The cause would repeat the URL, and with it the password.
      details: { reason: error instanceof TypeError ? 'invalid URL' : 'unknown' },
    })
  }
}
