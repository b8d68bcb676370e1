import type { Trust } from './trust.ts'

/** How a text is cut into chunks. */
export const FORMATS = ['chat', 'markdown', 'code', 'json', 'yaml', 'toml', 'prose'] as const
export type Format = (typeof FORMATS)[number]

export type DocumentState = 'current' | 'superseded' | 'deleted'
export type Metadata = Readonly<Record<string, unknown>>

/** One version of the text at a source. */
export interface Document {
  readonly documentId: number
  readonly source: string
  /** 1 for the first text at the source. */
  readonly version: number
  readonly state: DocumentState
  /** SHA-256 of the original bytes, hex. */
  readonly contentHash: string
  readonly mediaType: string
  readonly format: Format
  /** Grammar that was used (`typescript`), or null. */
  readonly codeLanguage: string | null
  readonly title: string | null
  readonly tags: readonly string[]
  readonly metadata: Metadata
  readonly trust: Trust
  /** When what it tells happened, as the caller said; null when unknown. */
  readonly occurredAt: Date | null
  readonly retainedAt: Date
  /** Start of validity: occurredAt, else retainedAt. */
  readonly validFrom: Date
  /** End of validity: when superseded or deleted; null while current. */
  readonly validTo: Date | null
  /** UTF-8 bytes of the text. */
  readonly byteLength: number
  readonly chunkCount: number
  /** What the reader should know of how it was read: a parser that fell back, a page that could not be read. */
  readonly notes: readonly string[]
}
