import type { ChunkDraft } from '../../domain/chunk.ts'
import type { Format } from '../../domain/document.ts'
import type { CountTokens } from '../stages.ts'

/** What the rules may know of the document. */
export interface CueDocument {
  readonly source: string
  readonly title: string | null
  readonly format: Format
  readonly occurredAt: Date | null
  readonly frontMatter: Readonly<Record<string, unknown>>
}

export interface CueInput {
  /** All chunks of the document version, in order. */
  readonly chunks: readonly ChunkDraft[]
  readonly document: CueDocument
  readonly countTokens: CountTokens
  /** No text that gets a vector is longer. */
  readonly maxTokens: number
  /** Text analysis language of the bank; the rules that read sentences know English only. */
  readonly language: string
  /**
   * Whether chats get `window` texts: a turn with its neighbours. They gain a point of any@10 on LoCoMo (91.8 → 92.9), lose as much
   * on MemAware, and more than double the cost. @default false
   */
  readonly windows?: boolean
}
