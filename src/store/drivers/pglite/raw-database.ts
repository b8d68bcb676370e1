import type { QueryOptions } from '../../database.ts'

/** Rows as arrays: what crosses threads and processes. */
export interface RawResult {
  readonly fields: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly affected: number
}

/** Statements whose parameters are text already (see encodeParameter) and whose COPY data is encoded. */
export interface RawStatements {
  run(sql: string, parameters: readonly (string | null)[], options: QueryOptions): Promise<RawResult>
  script(sql: string, options: QueryOptions): Promise<void>
}

/** An open transaction. After `commit` or `rollback`, whatever their outcome, it is over. */
export interface RawTransaction extends RawStatements {
  /** `sql` is a COPY … FROM '/dev/blob'; the bytes may be taken away from the caller. Resolves to the number of rows. */
  copyIn(sql: string, bytes: Uint8Array<ArrayBuffer>, options: QueryOptions): Promise<number>
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** The embedded database under its facade: here, in a worker, or in the process that owns the folder. */
export interface RawDatabase extends RawStatements {
  /** Waits in line; nothing else runs until the transaction is over. */
  begin(options: QueryOptions): Promise<RawTransaction>
  dump(): AsyncIterable<Uint8Array>
  close(): Promise<void>
  describe(): Readonly<Record<string, unknown>>
}
