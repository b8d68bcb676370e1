import type { ErrorMessage } from '../../error-wire.ts'
import type { RawResult } from './raw-database.ts'

/** What the worker is started with. */
export interface WorkerStart {
  readonly folder: string | undefined
  readonly sharedBuffersMb: number | undefined
}

export type WorkerRequest =
  | {
      readonly id: number
      readonly kind: 'run'
      readonly sql: string
      readonly parameters: readonly (string | null)[]
    }
  | {
      readonly id: number
      readonly kind: 'copy'
      readonly sql: string
      readonly bytes: Uint8Array<ArrayBuffer>
    }
  | { readonly id: number; readonly kind: 'script'; readonly sql: string }
  | { readonly id: number; readonly kind: 'close' }

/** Id 0: the engine is open (or could not be opened). `panic` comes before the answer of the statement that caused it. */
export type WorkerReply =
  | { readonly id: 'panic'; readonly ok: false; readonly error: ErrorMessage }
  | { readonly id: number; readonly ok: true; readonly value: RawResult | number | undefined }
  | { readonly id: number; readonly ok: false; readonly error: ErrorMessage }
