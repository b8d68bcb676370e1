import type { Database } from './database.ts'

/** One typed table of vectors: an embedding model at a dimension. */
export interface VectorSpace {
  readonly spaceId: number
  readonly modelId: string
  readonly dimension: number
}

/** A bank opened for work: what every move gets to reach the store. */
export interface BankStore {
  readonly database: Database
  readonly bankId: number
  readonly bank: string
  /** Text analysis language of the bank (`english`, `german`, `none`…). */
  readonly language: string
  readonly space: VectorSpace
  /** What the bank sets for its recalls. @default none */
  readonly settings?: Readonly<Record<string, unknown>>
}
