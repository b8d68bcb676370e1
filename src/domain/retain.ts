import type { Document, Metadata } from './document.ts'
import type { Trust } from './trust.ts'

export interface RetainOptions {
  /** Where the text comes from; the same source again is a new version. @default `note:` and the first 12 hex digits of the text's hash */
  readonly source?: string
  /** Media type of bytes, or of a string that is not plain text. @default by the source's extension, else text/plain */
  readonly mediaType?: string
  /** Anticipated questions, kept verbatim: for the whole text (each chunk gets those that fit it best), or by chunk ordinal from 0. */
  readonly questions?: readonly string[] | Readonly<Record<number, readonly string[]>>
  readonly tags?: readonly string[]
  readonly metadata?: Metadata
  /** ISO 8601 with any offset (none = UTC), or Date. */
  readonly occurredAt?: string | Date
  /** @default 'unknown' for bytes and files, 'user' for strings and chat messages */
  readonly trust?: Trust
  readonly title?: string
  readonly signal?: AbortSignal
}

export type RetainStatus = 'created' | 'updated' | 'unchanged'

export interface RetainResult {
  readonly status: RetainStatus
  readonly document: Document
  readonly chunks: number
  readonly cues: number
  readonly vectors: number
  readonly notes: readonly string[]
  readonly tookMs: number
}

export interface RetainItem extends RetainOptions {
  readonly content: RetainContent
}

/** Text, bytes, or chat messages. */
export type RetainContent =
  | string
  | Uint8Array
  | readonly {
      readonly role: string
      readonly name?: string
      readonly content: string
      readonly at?: string | Date
    }[]

export interface IndexOptions {
  /** Put before each relative path to make the source. @default none: the path relative to the indexed folder, with `/` */
  readonly sourcePrefix?: string
  readonly tags?: readonly string[]
  readonly metadata?: Metadata
  readonly trust?: Trust
  /** Largest file. @default 10 MiB */
  readonly maxBytes?: number
  /** Extra ignore patterns, `.gitignore` syntax. */
  readonly ignore?: readonly string[]
  /** Heed .gitignore and .prolepsisignore. @default true */
  readonly gitignore?: boolean
  /** Documents of this prefix whose file is gone become deleted. @default true */
  readonly prune?: boolean
  readonly onProgress?: (progress: IndexProgress) => void
  readonly signal?: AbortSignal
}

export interface IndexProgress {
  readonly done: number
  readonly total: number
  readonly source: string
  readonly status: RetainStatus | 'skipped' | 'failed' | 'deleted'
  readonly reason?: string
}

export interface IndexResult {
  readonly files: number
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly deleted: number
  readonly skipped: readonly { readonly path: string; readonly reason: string }[]
  readonly failed: readonly { readonly path: string; readonly code: string; readonly reason: string }[]
  readonly chunks: number
  readonly vectors: number
  readonly tookMs: number
}
