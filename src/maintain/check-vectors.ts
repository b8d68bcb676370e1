import type { VectorKind } from '../domain/cue.ts'
import { evenly } from '../math/evenly.ts'
import { cosine } from '../math/similarity.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { VectorSpace } from '../store/bank-store.ts'
import type { Queryable } from '../store/database.ts'
import { someDocuments, vectorsAt } from '../store/queries/sample-vectors.ts'

/** Of so many documents, of up to so many chunks each, so many texts in all are embedded again. */
const SAMPLED = { documents: 8, chunks: 200, texts: 32 }
/** A model gives nearly the same vector again, whatever runtime and batch it runs in. */
const LEAST_COSINE = 0.98

/** What embeds again, when the model of the bank is at hand. */
export interface VectorWitness {
  readonly embedder: EmbeddingModel
  /** The text of every vector of a document, derived anew. */
  readonly textsOf: (documentId: number) => Promise<
    readonly {
      readonly chunkId: number
      readonly kind: VectorKind
      readonly ordinal: number
      readonly text: string
      readonly hash: string
    }[]
  >
}

/**
 * Embeds a sample of the bank's texts again: names of documents with vectors that are not those of their texts, and how many those are.
 * Null when the model fails: then nothing is known.
 */
export async function wrongVectors(
  q: Queryable,
  bankId: number,
  space: VectorSpace,
  { embedder, textsOf }: VectorWitness,
): Promise<{ readonly count: number; readonly documents: readonly string[] } | null> {
  const documents = await someDocuments(q, bankId, { limit: SAMPLED.documents, mostChunks: SAMPLED.chunks })
  const each = Math.max(1, Math.floor(SAMPLED.texts / Math.max(1, documents.length)))
  const wrong = new Map<string, number>()
  for (const { documentId, name } of documents) {
    const texts = evenly(await textsOf(documentId), each)
    const stored = await vectorsAt(q, bankId, space, texts)
    const again = await embedder
      .embed(
        texts.map(({ text }) => text),
        { purpose: 'symmetric' },
      )
      // told as not checked
      .catch(() => null)
    if (again?.length !== texts.length) return null
    texts.forEach((planned, i) => {
      const there = stored.find(
        ({ chunkId, kind, ordinal }) =>
          chunkId === planned.chunkId && kind === planned.kind && ordinal === planned.ordinal,
      )
      // another hash: the vector is of what an earlier version of the rules made of the text
      if (there === undefined || there.textHash !== planned.hash) return
      if (!isNear(there.vector, again[i]!)) wrong.set(name, (wrong.get(name) ?? 0) + 1)
    })
  }
  return { count: [...wrong.values()].reduce((sum, n) => sum + n, 0), documents: [...wrong.keys()] }
}

/** What a faulty model gives, of another length or no numbers, is near nothing. */
function isNear(stored: Float32Array, again: Float32Array): boolean {
  return (
    again.length === stored.length && again.every(Number.isFinite) && cosine(stored, again) > LEAST_COSINE
  )
}
