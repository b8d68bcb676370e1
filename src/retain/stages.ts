import type { ChunkDraft } from '../domain/chunk.ts'
import type { Format } from '../domain/document.ts'

/** What a caller may hand over: a string, bytes with a media type, or chat messages. */
export interface ChatMessage {
  /** `user`, `assistant`, or a person's name. */
  readonly role: string
  readonly name?: string
  readonly content: string
  /** ISO 8601 or Date. */
  readonly at?: string | Date
}

/** Plain text read out of whatever came in, before chunking. */
export interface ExtractedText {
  /** The document's text, verbatim for text media, extracted for PDF and HTML. */
  readonly text: string
  readonly mediaType: string
  readonly format: Format
  readonly codeLanguage: string | null
  readonly title: string | null
  /** From Markdown front matter: tags, date, other keys. */
  readonly frontMatter: Readonly<Record<string, unknown>>
  readonly notes: readonly string[]
}

/** Measures a text in tokens of the embedder, without special tokens. */
export type CountTokens = (text: string) => number

export interface ChunkOptions {
  readonly format: Format
  readonly codeLanguage: string | null
  /** No chunk is longer (the embedder's window less head-room for labels). */
  readonly maxTokens: number
  readonly countTokens: CountTokens
}

export interface ChunkResult {
  readonly chunks: readonly ChunkDraft[]
  /** Visible fallbacks: `typescript did not parse: cut as prose`. */
  readonly notes: readonly string[]
}
