import type { CountTokens } from '../stages.ts'

/** Size that siblings are merged up to and that over-long spans are cut into, in tokens. */
export const TARGET_TOKENS = 200

/**
 * A tokeniser may give one token to a very long run (WordPiece calls a long word unknown, white space nothing), so
 * length in UTF-16 units is bounded too: this many a token of the limit, and never under MIN_CHAR_LIMIT.
 */
const CHARS_PER_TOKEN_LIMIT = 16
const MIN_CHAR_LIMIT = 4096

export interface TokenLimits {
  /** No chunk is longer. */
  readonly maxTokens: number
  /** TARGET_TOKENS, or maxTokens when that is less. */
  readonly targetTokens: number
  /** UTF-16 units between the first and the last character that is not white space. */
  readonly maxChars: number
  readonly countTokens: CountTokens
}

export function tokenLimits(maxTokens: number, countTokens: CountTokens): TokenLimits {
  return {
    maxTokens,
    targetTokens: Math.min(TARGET_TOKENS, maxTokens),
    maxChars: Math.max(MIN_CHAR_LIMIT, maxTokens * CHARS_PER_TOKEN_LIMIT),
    countTokens,
  }
}

/** Where an over-long span is cut first: `prose` after sentences before lines, `lines` the other way round. */
export type BoundaryOrder = 'prose' | 'lines'

/** A whole thing in the text, as a format's scanner finds it: offsets in UTF-16 units, end exclusive. */
export interface Unit {
  readonly start: number
  readonly end: number
  readonly kind: string
  readonly label: string | null
  /** Neighbours of the same group are merged up to the target size. Null: never merged. */
  readonly group: string | null
  /** Kind of a merger of different kinds. @default 'section' */
  readonly mergedKind?: string
  /** Holds on to the unit that follows while both fit: a heading, a header. */
  readonly gluesToNext?: boolean
  /** Above so many tokens it is cut into its children even though it would fit. @default maxTokens */
  readonly splitOverTokens?: number
  /** Smaller wholes inside, in order; what lies between them goes to the one before. */
  readonly children?: () => Iterable<Unit>
  readonly order: BoundaryOrder
  readonly attributes: Readonly<Record<string, string>>
}

export function unit(start: number, end: number, kind: string, more: Partial<Unit> = {}): Unit {
  return { start, end, kind, label: null, group: '', order: 'prose', attributes: {}, ...more }
}

/** What a format's scanner found. */
export interface ScannedUnits {
  readonly units: Iterable<Unit>
  /** Visible fallbacks. */
  readonly notes: readonly string[]
}
