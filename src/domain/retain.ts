import type { Document, Metadata } from './document.ts'
import type { ProlepsisError } from './errors.ts'
import type { Enrichment, JobProgress } from './jobs.ts'
import type { PromptTexts } from './prompt-files.ts'
import type { Trust } from './trust.ts'

export interface RetainOptions {
  /** Where the text comes from; the same source again is a new version. @default `note:` and the first 12 hex digits of the text's hash */
  readonly source?: string
  /** Media type of bytes, or of a string that is not plain text. @default by the source's extension, else text/plain */
  readonly mediaType?: string
  /**
   * Anticipated questions, kept verbatim: for the whole text (each goes to the chunk that shares most terms with it), or by
   * chunk ordinal from 0. @default the same text keeps those that it has; a new text has none
   */
  readonly questions?: readonly string[] | Readonly<Record<number, readonly string[]>>
  /** @default those of the text's front matter, else those that the source has */
  readonly tags?: readonly string[]
  /** Joined with the other keys of the front matter. @default as tags */
  readonly metadata?: Metadata
  /** ISO 8601 with any offset (none = UTC), or Date. @default the front matter's date, else unknown */
  readonly occurredAt?: string | Date
  /** @default 'unknown' for bytes and files, 'user' for strings and chat messages */
  readonly trust?: Trust
  /** @default found in the text, else none */
  readonly title?: string
  /** A text in place of the prompt `questions`, for the model that writes them. @default the bank's, else the package's */
  readonly prompts?: Pick<PromptTexts, 'questions'>
  /**
   * Let the language model write questions of a new text, in the background. Where the caller gives `questions`, none at all among them, no model is
   * asked. @default the setting `enrich`, where the memory has a model
   */
  readonly enrich?: boolean
  /** `enriched`: resolve only when the text's jobs have ended, and tell what they did in `enrichment`. @default when the text is committed */
  readonly await?: 'enriched'
  /** Hears of the jobs that are waited for. */
  readonly onProgress?: (progress: JobProgress) => void
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
  /** Jobs that were put in line for it. */
  readonly jobs: number
  /** Present with `await: 'enriched'`. */
  readonly enrichment?: Enrichment
  /** `events.trace` shows what came of this call by it. */
  readonly traceId: string
  readonly tookMs: number
}

/** What became of an item that could not be retained: the others go on. */
export interface RetainFailure {
  readonly status: 'failed'
  /** Its source, or null when it named none. */
  readonly source: string | null
  readonly error: ProlepsisError
  readonly traceId: string
  readonly tookMs: number
}

/** One result an item, in the items' order. */
export type RetainManyResult = RetainResult | RetainFailure

export interface RetainItem extends Omit<RetainOptions, 'await' | 'onProgress'> {
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
  /** Follow links to files and folders, also out of the folder. @default false */
  readonly followLinks?: boolean
  /** Take files and folders that begin with a dot too; a `!` rule takes one of them. A file that is named itself is taken. @default false */
  readonly hidden?: boolean
  /**
   * Without a prefix, take over a source that another folder has (after the folder was moved); otherwise such a file is skipped, since
   * each folder would supersede the other's document at every run. @default false
   */
  readonly adopt?: boolean
  /**
   * Documents that index wrote from this folder (with a prefix: from any folder under it) and whose file is gone become deleted. When
   * more than 10 would, and they are more than 90 % of those that came from it, a mount may be missing: none does, and `skipped` and
   * a warning say so; 'force' deletes them all the same. @default true
   */
  readonly prune?: boolean | 'force'
  /** As `retain` has it. */
  readonly prompts?: Pick<PromptTexts, 'questions'>
  /** As that of retain, for every file. */
  readonly enrich?: boolean
  /** `enriched`: resolve only when the jobs of these files have ended, and tell what they did in `enrichment`. */
  readonly await?: 'enriched'
  /** Hears of the jobs that are waited for. */
  readonly onJobProgress?: (progress: JobProgress) => void
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
  /** Files and folders left out for beginning with a dot; what is in such folders is not counted. */
  readonly hidden: number
  readonly failed: readonly { readonly path: string; readonly code: string; readonly reason: string }[]
  /** Jobs that were put in line. */
  readonly jobs: number
  /** Present with `await: 'enriched'`. */
  readonly enrichment?: Enrichment
  readonly chunks: number
  readonly vectors: number
  readonly tookMs: number
}
