import { dot } from '../../math/similarity.ts'
import { searchLexicalFields } from '../../store/queries/lexical-search.ts'
import { termStatistics } from '../../store/queries/term-statistics.ts'
import { searchVectorKinds, vectorsOfChunks } from '../../store/queries/vectors-search.ts'
import type { RetainDeps } from '../retain-deps.ts'

/** Whether a text leads back to the chunk that it was written for. */
export type RoundTrip = (text: string, vector: Float32Array, chunkId: number) => Promise<boolean>

/**
 * A text brings its chunk back when the chunk is among the bank's `depth` nearest by the vector of its content, or by BM25 over its own words.
 * The reach of a small bank is a third of its chunks (3 at least), since there everything is near. Of chunks that are alike (the same notice in many
 * files) each counts as found with the others.
 */
export async function roundTrip(
  { store, analyser }: Pick<RetainDeps, 'store' | 'analyser'>,
  chunkIds: readonly number[],
  depth: number,
): Promise<RoundTrip> {
  const { database, bankId, space } = store
  const own = await vectorsOfChunks(database, bankId, space, chunkIds, 'content')
  return async (text, vector, chunkId) => {
    const request = { vectors: [vector], kinds: ['content'] as const, filter: {}, limit: depth }
    const near = (await searchVectorKinds(database, bankId, space, request)).get('content') ?? []
    // a bank that is smaller than the reach comes back whole
    const reach = near.length < depth ? Math.max(LEAST_REACH, Math.ceil(near.length / 3)) : depth
    const least = near[reach - 1]
    const content = own.get(chunkId)
    if (least !== undefined && content !== undefined && dot(vector, content) >= least.score - ROUNDING)
      return true
    const terms = [...new Set(analyser.terms(text))]
    const statistics = await termStatistics(database, bankId, terms)
    const [found] = await searchLexicalFields(
      database,
      bankId,
      [{ field: 0, terms: terms.map((term) => ({ term, weight: 1 })) }],
      { filter: {}, limit: reach, statistics },
    )
    return found?.hits.some((hit) => hit.chunkId === chunkId) ?? false
  }
}

const LEAST_REACH = 3
/** Of float4 in the store. */
const ROUNDING = 1e-5
