/**
 * The database as the engine sees it: one contract, run by PGlite (in a worker, or in another process over a local
 * socket) and by a PostgreSQL server. SQL is the PostgreSQL 15+ subset that both speak, `$1` parameters, one statement a call.
 */

/** Values that may be bound. Arrays bind as PostgreSQL arrays; plain objects must be serialised by the caller (`jsonb` as text). */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | null)[]

/** Bulk loads, index builds and vacuums may take long: an hour, only so that nothing hangs for ever. */
export const BULK_DEADLINE_MS = 3_600_000

export interface QueryOptions {
  readonly signal?: AbortSignal | undefined
  /** Longest time the statement may run. Default: the database's (60,000); for `copy` and `script` BULK_DEADLINE_MS. */
  readonly deadlineMs?: number | undefined
}

/**
 * Rows come back as objects. int2, int4, int8, float4, float8 are JS numbers, bool booleans, timestamptz Dates, jsonb
 * parsed, bytea Uint8Array, arrays of int and text JS arrays, numeric and everything else strings; alike in all drivers.
 */
export interface Queryable {
  query<Row extends object>(sql: string, params?: readonly SqlValue[], options?: QueryOptions): Promise<Row[]>
  /** Rows touched by an insert, update or delete. */
  execute(sql: string, params?: readonly SqlValue[], options?: QueryOptions): Promise<number>
  /** Binary COPY into `table` (see binary-copy.ts for the encoder). Resolves to the number of rows. */
  copy(
    table: string,
    columns: readonly CopyColumn[],
    rows: Iterable<readonly CopyValue[]>,
    options?: QueryOptions,
  ): Promise<number>
  /** Several statements without parameters (DDL). Of a transaction: part of it. Of the database: outside one (VACUUM one at a time). */
  script(sql: string, options?: QueryOptions): Promise<void>
}

export type CopyType =
  | 'int2'
  | 'int4'
  | 'int8'
  | 'float4'
  | 'bool'
  | 'text'
  | 'bytea'
  | 'jsonb'
  | 'timestamptz'
  | 'text[]'
  | 'int4[]'
  | 'int2[]'
  | 'vector'
  | 'bit'
export interface CopyColumn {
  readonly name: string
  readonly type: CopyType
}
/** `vector`: Float32Array. `bit`: Float32Array too (its signs: 1 where the value is > 0, as `binary_quantize`). `jsonb`: JSON text. */
export type CopyValue =
  | string
  | number
  | boolean
  | null
  | Date
  | Uint8Array
  | Float32Array
  | readonly string[]
  | readonly number[]
  | Int32Array

/**
 * Named services beside SQL between the processes that share one embedded data folder: the owner serves, the others
 * call (so that a short-lived process can use the model that the owner has loaded). Payloads are what v8 can serialise.
 */
export interface SharedServices {
  /** True in the process that holds the folder. It may become true when the owner exits. */
  isOwner(): boolean
  /** Registers this process's handler; it is used while this process owns the folder. */
  serve(name: string, handler: (payload: unknown) => Promise<unknown>): void
  /** Calls the owner's handler (of this process, when it is the owner). @throws NOT_FOUND when it serves no such name. */
  call(name: string, payload: unknown, options?: QueryOptions): Promise<unknown>
}

export interface Database extends Queryable {
  readonly engine: 'pglite' | 'postgres'
  /** Present for an embedded data folder. */
  readonly services?: SharedServices | undefined
  /**
   * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Serialisation failures and
   * deadlocks (40001, 40P01) repeat the whole `work` up to 5 times. A query on the database itself from inside `work`
   * raises STORE_MISUSE (it would wait for itself for ever). A statement that failed aborts the transaction, also when
   * `work` catches its error. `options.signal` ends it between statements; `deadlineMs` holds for each of its statements.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: QueryOptions): Promise<T>
  /** A consistent copy of the whole database as a tar stream in chunks (embedded only; a server raises INVALID_ARGUMENT naming pg_dump). */
  dump(): AsyncIterable<Uint8Array>
  /** Idle work: VACUUM (ANALYZE) of tables that changed much, CHECKPOINT. */
  maintain(): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
  /** Facts for `stats`, `doctor`: engine version, data folder, owner or client, pool. */
  describe(): Promise<Readonly<Record<string, unknown>>>
}
