import type { VectorSpace } from '../bank-store.ts'
import type { Database, Queryable } from '../database.ts'
import { DOCUMENT_CHECKS } from './integrity-documents.ts'
import { JOB_CHECKS } from './integrity-jobs.ts'
import { LEXICAL_CHECKS } from './integrity-lexical.ts'
import { QUESTION_CHECKS } from './integrity-questions.ts'
import { VECTOR_CHECKS } from './integrity-vectors.ts'

/** What a check looks at. `space` is the bank's active one, or null before the first write. */
export interface IntegrityTarget {
  readonly bankId: number
  readonly space: VectorSpace | null
  /** Whether a text has any term for the bank's analyser. @default every text has */
  readonly hasTerms?: ((text: string) => boolean) | undefined
}

/** One invariant of a bank. */
export interface IntegrityCheck {
  /** Stable name: `orphan-postings`, `missing-vectors`… */
  readonly name: string
  /** What is so when the count is 0, one sentence. */
  readonly holds: string
  /** What is wrong when the count is not 0, one sentence. */
  readonly detail: string
  /** Rows (or documents, or indexes) that break it. */
  readonly count: (q: Queryable, target: IntegrityTarget) => Promise<number>
  /** Sources of the documents that break it, with `@version` unless it is the current one; 20 at most. Absent where it is of no document. */
  readonly documents?: ((q: Queryable, target: IntegrityTarget) => Promise<readonly string[]>) | undefined
  /**
   * Puts it right, in transactions of its own. Null: nothing in SQL can; `mendedBy` says what does.
   */
  readonly mend: ((db: Database, target: IntegrityTarget) => Promise<void>) | null
  /** What mends it where `mend` is null (`reembed`: rebuild-index with every text embedded again), or null where nothing does: the text is lost. */
  readonly mendedBy: 'rebuild-index' | 'reembed' | null
}

/** In an order in which mending one does not break another: rows first, then what is counted from them. */
export const INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  ...DOCUMENT_CHECKS,
  ...QUESTION_CHECKS,
  ...JOB_CHECKS,
  ...LEXICAL_CHECKS,
  ...VECTOR_CHECKS,
]
