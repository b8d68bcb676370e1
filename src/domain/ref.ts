/** Names a chunk: its document's source, perhaps a version, and its place from 0. */
export interface ChunkRef {
  readonly source: string
  /** Null means the current version. */
  readonly version: number | null
  /** From 0; written from 1. */
  readonly ordinal: number
}

const LARGEST = 2_147_483_647
const ENDS_IN_VERSION = /@[1-9]\d*$/
const REF = /^([\s\S]+?)(?:@([1-9]\d{0,9}))?#([1-9]\d{0,9})$/

/**
 * `kelly.md#3` for the third chunk of the current version, `kelly.md@2#3` for that of version 2. A source that itself ends
 * like a version (`note@2`) always gets its version, so that every ref reads back as it was written.
 *
 * @param current whether `version` is the current one
 */
export function formatRef(chunk: {
  readonly source: string
  readonly version: number
  readonly ordinal: number
  readonly current: boolean
}): string {
  const plain = chunk.current && !ENDS_IN_VERSION.test(chunk.source)
  return `${chunk.source}${plain ? '' : `@${chunk.version}`}#${chunk.ordinal + 1}`
}

/** Reads a ref; null when the text is none (it may still be free text that a caller searches for). */
export function parseRef(text: string): ChunkRef | null {
  const match = REF.exec(text)
  if (match === null) return null
  const [, source, version, ordinal] = match
  if (source === undefined || Number(version ?? 1) > LARGEST || Number(ordinal) > LARGEST) return null
  return { source, version: version === undefined ? null : Number(version), ordinal: Number(ordinal) - 1 }
}
