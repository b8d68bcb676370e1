/** Where a chunk lies in its document's text. Bytes are UTF-8, end exclusive; lines count from 1, inclusive. */
export interface Span {
  readonly startByte: number
  readonly endByte: number
  readonly startLine: number
  readonly endLine: number
}

/**
 * A chunk as a chunker makes it. The texts of a document's drafts, joined, are the document's text exactly.
 */
export interface ChunkDraft {
  readonly text: string
  /** What it is: `turn`, `section`, `function`, `class`, `paragraph`, `key`, `front-matter`, `page`… */
  readonly kind: string
  /** Heading path, symbol or key path (`Guide > Install`, `Store.open`, `server.port`), or null. */
  readonly label: string | null
  /** Name of who speaks (chat only), or null. */
  readonly speaker: string | null
  /** The turn's own time, when the log gives one. */
  readonly occurredAt: Date | null
  /**
   * What is said, without marks of form: the turn without its `Speaker: ` prefix or its JSON shell. Null when the
   * text itself is it. Cues and vectors are made from it; passages always show `text`.
   */
  readonly content: string | null
  /** Structured leftovers that cues need: `{ caption }` of a shared picture, `{ docstring }`, `{ symbol }`. */
  readonly attributes: Readonly<Record<string, string>>
}

/** A chunk at rest. */
export interface Chunk extends ChunkDraft {
  readonly chunkId: number
  readonly documentId: number
  /** From 0 within its document version. */
  readonly ordinal: number
  readonly span: Span
}
