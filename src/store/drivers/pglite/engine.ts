import type { ProlepsisError } from '../../../domain/errors.ts'
import type { RawResult } from './raw-database.ts'

/** One embedded PostgreSQL session: a statement at a time, parameters and COPY data already encoded. */
export interface PgliteEngine {
  run(sql: string, parameters: readonly (string | null)[]): Promise<RawResult>
  copyIn(sql: string, bytes: Uint8Array<ArrayBuffer>): Promise<number>
  script(sql: string): Promise<void>
  /** The data folder as a tar stream. Nothing else may run meanwhile. */
  dump(): AsyncIterable<Uint8Array>
  close(): Promise<void>
  /** Counts up whenever the engine was stopped and opened anew: an open transaction is then gone. */
  readonly generation: number
  /**
   * Stops what is running (that call rejects with `reason`) and opens the engine anew. Absent where a statement
   * cannot be stopped: there it runs to its end.
   */
  interrupt?(reason: ProlepsisError): Promise<void>
  /** Ends it where it stands, without writing any more; what runs rejects with `reason`. */
  kill?(reason: ProlepsisError): Promise<void>
  describe(): Readonly<Record<string, unknown>>
}
