import type { VectorSpace } from '../bank-store.ts'
import type { Database, Queryable } from '../database.ts'
import { DOCUMENT_CHECKS } from './integrity-documents.ts'
import { LEXICAL_CHECKS } from './integrity-lexical.ts'
import { QUESTION_CHECKS } from './integrity-questions.ts'
import { VECTOR_CHECKS } from './integrity-vectors.ts'

/** What a check looks at. `space` is the bank's active one, or null before the first write. */
export interface IntegrityTarget {
  readonly bankId: number
  readonly space: VectorSpace | null
}

/** One invariant of a bank. */
export interface IntegrityCheck {
  /** Stable name: `orphan-postings`, `missing-vectors`… */
  readonly name: string
  /** What is wrong when the count is not 0, one sentence. */
  readonly detail: string
  /** Rows (or documents, or indexes) that break it. */
  readonly count: (q: Queryable, target: IntegrityTarget) => Promise<number>
  /**
   * Puts it right, in transactions of its own. Null: nothing in SQL can; `mendedBy` says what does.
   */
  readonly mend: ((db: Database, target: IntegrityTarget) => Promise<void>) | null
  /** The command that mends it where `mend` is null, or null where nothing does. */
  readonly mendedBy: 'rebuild-index' | null
}

/** In an order in which mending one does not break another: rows first, then what is counted from them. */
export const INTEGRITY_CHECKS: readonly IntegrityCheck[] = [
  ...DOCUMENT_CHECKS,
  ...QUESTION_CHECKS,
  ...LEXICAL_CHECKS,
  ...VECTOR_CHECKS,
]
