/**
 * Kinds of vector, in the order of their numbers in the store. `content` is the chunk itself (enriched with heading
 * path, speaker, resolved pronouns), `window` the chunk with its neighbours; the others are vectors of cues.
 */
export const VECTOR_KINDS = ['content', 'window', 'question', 'statement', 'concept'] as const
export type VectorKind = (typeof VECTOR_KINDS)[number]

export function vectorKindNumber(kind: VectorKind): number {
  return VECTOR_KINDS.indexOf(kind)
}

export const CUE_KINDS = ['question', 'statement', 'concept'] as const
export type CueKind = (typeof CUE_KINDS)[number]

export const CUE_ORIGINS = ['caller', 'model', 'rules'] as const
export type CueOrigin = (typeof CUE_ORIGINS)[number]

/** A short text that should lead to its chunk. */
export interface CueDraft {
  readonly kind: CueKind
  readonly text: string
  readonly origin: CueOrigin
  /** Whether it gets a vector of its own. Every cue is lexical. */
  readonly embed: boolean
}

/** All that retain derives from one chunk before anything is embedded. */
export interface ChunkCues {
  /** Text of the `content` vector: resolved, with heading path or speaker. */
  readonly contentText: string
  /** Text of the `window` vector, or null when the rules make none for this chunk. */
  readonly windowText: string | null
  readonly cues: readonly CueDraft[]
  /** People and speakers named here. */
  readonly mentions: readonly Mention[]
}

export interface Mention {
  readonly name: string
  readonly kind: 'person'
  readonly role: 'speaker' | 'mentioned'
}
