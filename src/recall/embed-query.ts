import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import { blend } from '../math/similarity.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { type DensePart, startsNewTopic } from './formulate-rules.ts'

type Purpose = 'query' | 'symmetric'

/** The questions as unit vectors, one each. */
export interface QueryVectors {
  /** With the instruction for content: against `content` and `window`. */
  readonly query: readonly Float32Array[]
  /** Without instruction: against questions, statements and concepts. */
  readonly symmetric: readonly Float32Array[]
  /** Whether the message left the topic of the exchange before it, which then took no part. */
  readonly newTopic: boolean
  /** What the reader should know: a text that had to be split. */
  readonly notes: readonly string[]
}

/**
 * Embeds the questions, all texts of a purpose in one call. Parts of the exchange before the message are left out when the message
 * starts a new topic.
 *
 * @param queries what `formulateByRules` gives as `dense`
 * @throws ProlepsisError MODEL_FAILED when the model raises; the project's own errors pass through
 */
export async function embedQueries(
  embedder: EmbeddingModel,
  queries: readonly (readonly DensePart[])[],
  signal: AbortSignal | undefined,
): Promise<QueryVectors> {
  const texts = [...new Set(queries.flat().flatMap((part) => part.texts))]
  const notes = new Set<string>()
  const [forQuery, forSymmetric] = await Promise.all([
    embedTexts(embedder, texts, 'query', signal, notes),
    embedTexts(embedder, texts, 'symmetric', signal, notes),
  ])
  const newTopic = queries.some((parts) => leavesTopic(parts, forSymmetric))
  const directions = (vectors: ReadonlyMap<string, Float32Array>): Float32Array[] =>
    queries.map((parts) =>
      direction(
        parts.filter((part) => part.origin === 'message' || !newTopic),
        vectors,
      ),
    )
  return { query: directions(forQuery), symmetric: directions(forSymmetric), newTopic, notes: [...notes] }
}

async function embedTexts(
  embedder: EmbeddingModel,
  texts: readonly string[],
  purpose: Purpose,
  signal: AbortSignal | undefined,
  notes: Set<string>,
): Promise<Map<string, Float32Array>> {
  const onSplit = (index: number, parts: number): void => {
    const length = texts[index]?.length ?? 0
    notes.add(`embedding: a text of ${length} characters is over the window: ${parts} parts averaged`)
  }
  const vectors = await embedder.embed(texts, { purpose, signal, onSplit }).catch((error: unknown) => {
    if (isProlepsisError(error)) throw error
    throw new ProlepsisError('MODEL_FAILED', `The embedding model failed: ${String(error)}`, {
      cause: error,
      hint: 'Recall in mode "lexical" works without the model.',
    })
  })
  return new Map(
    texts.map((text, i) => {
      const vector = vectors[i]
      if (vector === undefined || vector.length !== embedder.dimension) {
        throw new ProlepsisError(
          'MODEL_FAILED',
          `The embedding model ${embedder.modelId} gave ${vectors.length} vectors for ${texts.length} texts, or not of ${embedder.dimension} dimensions.`,
          { hint: 'An injected model must give one vector a text, of its own dimension.' },
        )
      }
      return [text, vector]
    }),
  )
}

function leavesTopic(parts: readonly DensePart[], vectors: ReadonlyMap<string, Float32Array>): boolean {
  const message = parts.filter((part) => part.origin === 'message')
  const exchange = parts.filter((part) => part.origin === 'exchange')
  if (message.length === 0 || exchange.length === 0) return false
  return startsNewTopic(direction(message, vectors), direction(exchange, vectors))
}

/** normalise(Σ weight · normalise(Σ text vectors)). */
function direction(parts: readonly DensePart[], vectors: ReadonlyMap<string, Float32Array>): Float32Array {
  const ofParts = parts.map((part) => {
    const ofTexts = part.texts.flatMap((text) => vectors.get(text) ?? [])
    const [only] = ofTexts
    return only !== undefined && ofTexts.length === 1
      ? only
      : blend(
          ofTexts,
          ofTexts.map(() => 1),
        )
  })
  const [only] = ofParts
  if (only !== undefined && ofParts.length === 1) return only
  return blend(
    ofParts,
    parts.map((part) => part.weight),
  )
}
