/** The change of a bank's embedding model: the spaces that it has vectors in, and what comparing two of them finds. */

/** `active`: recalls ask it. `shadow`: being filled beside it. `retired`: was active before; kept to go back to. */
export const SPACE_STATES = ['active', 'shadow', 'retired'] as const
export type SpaceState = (typeof SPACE_STATES)[number]

/**
 * The settings under which a memory embeds with a space's model; `{}`: the defaults, the model of the package.
 */
export interface SpaceSettings {
  /** `provider:model`. */
  readonly embedder?: string
  readonly embedderBaseUrl?: string
  readonly modelDir?: string
}

/** A vector space of a bank. */
export interface EmbedderSpace {
  /** Its number in the store. */
  readonly space: number
  readonly modelId: string
  readonly dimension: number
  readonly state: SpaceState
  /** When it came into this state; null where that is not known. */
  readonly since: Date | null
  /** Vectors that it holds of the bank. */
  readonly vectors: number
  /** Vectors that it lacks: of chunks, and of cues that are to have one. */
  readonly missing: number
  /** Documents that these are of. */
  readonly missingDocuments: number
  /** What to set to embed with its model; null where only a caller's code has it. */
  readonly settings: SpaceSettings | null
}

/** `none`: no space is being filled. `filling`: the shadow space lacks vectors. `complete`: it lacks none, and can be cut over to. */
export type MigrationState = 'none' | 'filling' | 'complete'

export interface EmbedderStatus {
  readonly bank: string
  readonly migration: MigrationState
  /** The active one first, then the shadow, then the retired ones, the latest first. */
  readonly spaces: readonly EmbedderSpace[]
}

/** What a migration, a cut-over or a return came to. */
export interface EmbedderChange {
  readonly bank: string
  /** `filled`: the shadow space is complete, recalls still ask the active one. `cut-over`, `backed-out`: recalls ask another space from now on. */
  readonly status: 'filled' | 'cut-over' | 'backed-out'
  readonly active: EmbedderSpace
  /** The other space: filled, or left behind as `retired`. */
  readonly other: EmbedderSpace
  /** Documents and vectors that this call embedded. */
  readonly documents: number
  readonly vectors: number
  /** What to set from now on, so that a memory has the active space's model; null where only a caller's code has it. */
  readonly settings: SpaceSettings | null
  readonly tookMs: number
}

export interface EmbedderDropped {
  readonly bank: string
  readonly space: number
  readonly modelId: string
  readonly dimension: number
  readonly vectors: number
}

/** How alike two spaces answer, by the first ten passages of each: means over the queries, 0 (nothing in common) to 1 (the same). */
export interface EmbedderLikeness {
  /** Share of the passages that both bring. */
  readonly overlap: number
  /** Rank-biased overlap at persistence 0.9: agreement on the first ranks counts most. */
  readonly rankBiasedOverlap: number
  /** Share of queries with the same first passage. */
  readonly sameFirst: number
}

export interface ComparedPassage {
  readonly ref: string
  readonly text: string
  readonly score: number
}

export interface EmbedderComparison {
  readonly bank: string
  /** Queries that were asked. */
  readonly queries: number
  readonly active: ComparedSpace
  /** The shadow space, or else the one that was active before. */
  readonly other: ComparedSpace
  /** By vectors alone. */
  readonly dense: EmbedderLikeness
  /** By the whole recall, words included. */
  readonly recall: EmbedderLikeness
  /** The queries whose recalls are least alike, the least first; those that are all alike are absent. */
  readonly differing: readonly {
    readonly query: string
    readonly overlap: number
    readonly rankBiasedOverlap: number
    readonly active: readonly ComparedPassage[]
    readonly other: readonly ComparedPassage[]
  }[]
}

export interface ComparedSpace {
  readonly space: number
  readonly modelId: string
  readonly dimension: number
  readonly state: SpaceState
  /** Vectors that it lacks: what has none cannot be found by vectors. */
  readonly missing: number
  /** Mean time to embed a query, milliseconds. */
  readonly embeddingMs: number
}
