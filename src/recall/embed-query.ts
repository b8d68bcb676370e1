import { isProlepsisError, ProlepsisError } from '../domain/errors.ts'
import { blend } from '../math/similarity.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { boundWindows, MOST_WINDOWS } from './bound-windows.ts'
import { type DensePart, type DenseText, exchangeShare } from './formulate-rules.ts'

type VectorOf = (text: DenseText) => Float32Array | undefined

/** The questions as unit vectors, one each, for each kind of stored vector that they are to meet; null for a kind that is not met. */
export interface QueryVectors {
  /** What was asked with the model's instruction for content, without the names of speakers. */
  readonly content: readonly Float32Array[] | null
  /** What was asked with the instruction, as it is. */
  readonly window: readonly Float32Array[] | null
  /** Without instruction: for questions, statements and concepts. */
  readonly cues: readonly Float32Array[] | null
  /** How much of the exchange before the message took part, 0 (a new topic) to 1. */
  readonly exchange: number
  /** What the reader should know: a text that had to be split. */
  readonly notes: readonly string[]
}

export type QueryView = 'content' | 'window' | 'cues'

/**
 * Embeds the questions for the wanted views, all texts of a purpose in one call. The exchange before the message counts as far as the
 * message stays with its topic.
 *
 * @param queries what `formulateByRules` gives as `dense`
 * @throws ProlepsisError MODEL_FAILED when the model raises; the project's own errors pass through
 */
export async function embedQueries(
  loadEmbedder: () => Promise<EmbeddingModel>,
  queries: readonly (readonly DensePart[])[],
  views: ReadonlySet<QueryView>,
  signal: AbortSignal | undefined,
): Promise<QueryVectors> {
  const embedder = await loadEmbedder().catch(rethrowAsModelFailed)
  const all = queries.flat().flatMap((part) => part.texts)
  const asked = all.filter(({ purpose }) => purpose === 'query')
  const answered = all.filter(({ purpose }) => purpose === 'symmetric')
  const hasExchange = queries.some((parts) => parts.some((part) => part.origin === 'exchange'))
  const notes = new Set<string>()
  const [instructed, plain] = await Promise.all([
    embedTexts(
      embedder,
      [
        ...(views.has('content') ? asked.map(({ text, nameless }) => nameless ?? text) : []),
        ...(views.has('window') || hasExchange ? asked.map(({ text }) => text) : []),
      ],
      { purpose: 'query', signal, notes },
    ),
    embedTexts(
      embedder,
      (views.has('cues') ? all : answered).map(({ text }) => text),
      { purpose: 'symmetric', signal, notes },
    ),
  ])
  const byPurpose: VectorOf = ({ text, purpose }) => (purpose === 'query' ? instructed : plain).get(text)
  const namelessByPurpose: VectorOf = ({ text, purpose, nameless }) =>
    purpose === 'query' ? instructed.get(nameless ?? text) : plain.get(text)
  const exchange = Math.min(1, ...queries.map((parts) => shareOfExchange(parts, byPurpose)))
  const view = (name: QueryView, vectorOf: VectorOf): Float32Array[] | null =>
    views.has(name) ? queries.map((parts) => direction(parts, vectorOf, exchange)) : null
  return {
    content: view('content', namelessByPurpose),
    window: view('window', byPurpose),
    cues: view('cues', ({ text }) => plain.get(text)),
    exchange,
    notes: [...notes],
  }
}

async function embedTexts(
  embedder: EmbeddingModel,
  wanted: readonly string[],
  how: {
    readonly purpose: DenseText['purpose']
    readonly signal: AbortSignal | undefined
    readonly notes: Set<string>
  },
): Promise<Map<string, Float32Array>> {
  const { purpose, signal, notes } = how
  const texts = [...new Set(wanted)]
  if (texts.length === 0) return new Map()
  const bound = texts.map((text) => boundWindows(text, embedder))
  bound.forEach(({ windows }, index) => {
    if (windows === null) return
    notes.add(
      `embedding: a text of ${texts[index]!.length} characters fills ${windows} windows of the model: ${MOST_WINDOWS} embedded, spread over it`,
    )
  })
  const onSplit = (index: number, parts: number): void => {
    if (bound[index]?.windows !== null) return
    const length = texts[index]?.length ?? 0
    notes.add(`embedding: a text of ${length} characters is over the window: ${parts} parts averaged`)
  }
  const vectors = await embedder
    .embed(
      bound.map(({ text }) => text),
      { purpose, signal, onSplit },
    )
    .catch(rethrowAsModelFailed)
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

function rethrowAsModelFailed(error: unknown): never {
  if (isProlepsisError(error)) throw error
  throw new ProlepsisError('MODEL_FAILED', `The embedding model failed: ${String(error)}`, {
    cause: error,
    hint: 'Recall in mode "lexical" works without the model.',
  })
}

function shareOfExchange(parts: readonly DensePart[], vectorOf: VectorOf): number {
  const message = parts.filter((part) => part.origin === 'message')
  const exchange = parts.filter((part) => part.origin === 'exchange')
  if (message.length === 0 || exchange.length === 0) return 1
  return exchangeShare(direction(message, vectorOf, 1), direction(exchange, vectorOf, 1))
}

/** normalise(Σ weight · normalise(Σ text vectors)), the exchange's weights times its share. */
function direction(parts: readonly DensePart[], vectorOf: VectorOf, exchange: number): Float32Array {
  const taking = parts.filter((part) => part.origin === 'message' || exchange > 0)
  return sumOf(
    taking.map((part) => {
      const vectors = part.texts.flatMap((text) => vectorOf(text) ?? [])
      return sumOf(
        vectors,
        vectors.map(() => 1),
      )
    }),
    taking.map((part) => part.weight * (part.origin === 'exchange' ? exchange : 1)),
  )
}

/** A single vector stays as the model gave it. */
function sumOf(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const [only] = vectors
  return only !== undefined && vectors.length === 1 ? only : blend(vectors, weights)
}
