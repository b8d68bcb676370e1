import { isModelError } from '../domain/errors.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { vectorsByHash } from '../store/queries/vectors-write.ts'
import type { DerivedChunk } from './derived-chunks.ts'
import { embedChunks, vectorsOf } from './embed-chunks.ts'
import type { RetainDeps } from './retain-deps.ts'
import type { VectorSpool } from './vector-spool.ts'

/** What a text measures in the model's tokens, or about that where there is no model. */
export interface Measure {
  readonly countTokens: (text: string) => number
  readonly maxTokens: number
}

/** Of English; other scripts have fewer a token. */
const CHARS_PER_TOKEN = 4
const WITHOUT_MODEL: Measure = {
  countTokens: (text) => Math.ceil(text.length / CHARS_PER_TOKEN),
  maxTokens: 256,
}

/** The bank's model, or null when this memory has another or none, or it cannot be had now: what is to be forgotten must go all the same. */
export async function modelOfBank({ embedder, store }: RetainDeps): Promise<EmbeddingModel | null> {
  try {
    const model = await embedder()
    const { modelId, dimension } = store.space
    return model.modelId === modelId && model.dimension === dimension ? model : null
  } catch (error) {
    if (isModelError(error)) return null
    throw error
  }
}

export function measureOf(model: EmbeddingModel | null): Measure {
  if (model === null) return WITHOUT_MODEL
  return { countTokens: (text) => model.countTokens(text), maxTokens: model.maxTokens }
}

/**
 * Puts the vectors of chunks into the spool: with the model all of them, without only those that the bank has of the same texts.
 *
 * @returns how many are missing
 */
export async function embedRemains(
  deps: RetainDeps,
  model: EmbeddingModel | null,
  chunks: readonly DerivedChunk[],
  spool: VectorSpool,
): Promise<number> {
  if (model !== null) {
    try {
      await embedChunks(chunks, spool, { ...deps.store, embedder: model })
      return 0
    } catch (error) {
      if (!isModelError(error)) throw error
    }
  }
  const { database, bankId, space } = deps.store
  const hashes = chunks.flatMap((chunk) => vectorsOf(chunk).map(({ hash }) => hash))
  const known = await vectorsByHash(database, bankId, space, [...new Set(hashes)])
  for (const [hash, vector] of known) spool.put(hash, vector)
  return hashes.filter((hash) => !spool.has(hash)).length
}
