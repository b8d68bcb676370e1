/** What a client process and the owner of the folder say to each other, after the client has sent the nonce. */
import type { ErrorMessage } from '../../../error-wire.ts'

export type OwnerRequest =
  | {
      readonly id: number
      readonly op: 'run'
      readonly sql: string
      readonly parameters: readonly (string | null)[]
      readonly deadlineMs: number | undefined
      /** Of a transaction, or on its own. */
      readonly tx: number | undefined
    }
  | {
      readonly id: number
      readonly op: 'script'
      readonly sql: string
      readonly deadlineMs: number | undefined
      readonly tx: number | undefined
    }
  | {
      readonly id: number
      readonly op: 'copy'
      readonly sql: string
      readonly bytes: Uint8Array<ArrayBuffer>
      readonly deadlineMs: number | undefined
      readonly tx: number
    }
  /** Answered with the transaction's number. */
  | { readonly id: number; readonly op: 'begin' }
  | { readonly id: number; readonly op: 'commit' | 'rollback'; readonly tx: number }
  /** The next part of the dump that this id began; answered with bytes, or null at its end. */
  | { readonly id: number; readonly op: 'dump'; readonly dump: number }
  | { readonly id: number; readonly op: 'dump-end'; readonly dump: number }
  | { readonly id: number; readonly op: 'call'; readonly name: string; readonly payload: unknown }
  /** Gives up request `id`; answered by that request's own answer. */
  | { readonly id: number; readonly op: 'cancel' }

export type OwnerReply =
  /** First, when the store is open: who serves. */
  | { readonly op: 'hello'; readonly pid: number; readonly schemaVersion: number }
  | { readonly op: 'refused'; readonly error: ErrorMessage }
  | { readonly op: 'answer'; readonly id: number; readonly value: unknown }
  /** `neverRan`: it was turned away before anything happened, and can be repeated elsewhere. */
  | {
      readonly op: 'error'
      readonly id: number
      readonly error: ErrorMessage
      readonly neverRan: boolean
    }
