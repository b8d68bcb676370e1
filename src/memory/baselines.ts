import type { Memory } from '../memory-api.ts'
import type { BankStore } from '../store/bank-store.ts'
import { searchLexical } from '../store/queries/lexical-search.ts'
import { createPlainIndex, dropPlainIndex, searchPlainIndex } from '../store/queries/plain-baselines.ts'
import { depsOf } from './scope.ts'
import { scopeOf } from './scopes.ts'

/** Plain searches over a bank's own rows, for measuring recall against them in the same run. */
export interface Baselines {
  /** Ids of the nearest chunks by one HNSW query on content vectors. @default limit 30 */
  annQuery(vector: Float32Array, limit?: number): Promise<readonly number[]>
  /** Ids of the best chunks by one BM25 query on their text. @default limit 30 */
  bm25Query(text: string, limit?: number): Promise<readonly number[]>
  /** Removes the index that was built for them. */
  drop(): Promise<void>
}

/** As many as a channel of recall brings. */
const DEPTH = 30

/** Builds a plain HNSW index over the bank's content vectors and gives queries to time. @throws INVALID_ARGUMENT */
export async function baselines(memory: Memory): Promise<Baselines> {
  const { store, analyser } = await depsOf(scopeOf(memory), 'read')
  const { database, bankId, space }: BankStore = store
  await createPlainIndex(database, bankId, space)
  return {
    annQuery: (vector, limit = DEPTH) => searchPlainIndex(database, bankId, space, vector, limit),
    bm25Query: async (text, limit = DEPTH) => {
      const terms = [...new Set(analyser.terms(text))].map((term) => ({ term, weight: 1 }))
      const { hits } = await searchLexical(database, bankId, { field: 0, terms, filter: {}, limit })
      return hits.map((hit) => hit.chunkId)
    },
    drop: () => dropPlainIndex(database, bankId),
  }
}
