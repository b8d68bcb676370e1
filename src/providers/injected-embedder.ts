import { isProlepsisError, ProlepsisError, throwIfAborted } from '../domain/errors.ts'
import type { EmbeddingModel, EmbedOptions } from './embedding-model.ts'
import { embedWithinWindow } from './split-long-texts.ts'

/** What a caller gives to embed with a model of their own. */
export interface InjectedEmbedder {
  /** Names the vector space: change it when the model changes. */
  readonly modelId: string
  readonly dimension: number
  /** Longest input, tokens. @default 512 */
  readonly maxTokens?: number
  /** @default an estimate that errs on the high side: one token for three characters, one for each outside of the Latin script */
  readonly countTokens?: (text: string) => number
  /** Texts in one call of `embed`. @default 128 */
  readonly maxTextsPerCall?: number
  /** One vector a text, same order; of any length above 0, ours are divided by it. Texts fit `maxTokens`: nothing is left to split. */
  readonly embed: (
    texts: readonly string[],
    options: EmbedOptions,
  ) => Promise<readonly (Float32Array | readonly number[])[]>
  readonly close?: () => Promise<void> | void
}

/**
 * A caller's function as an embedding model: what it returns is checked and made unit vectors, long texts are split.
 *
 * @throws ProlepsisError INVALID_ARGUMENT when the description does not fit; `embed` MODEL_FAILED when the function throws or returns another
 *   number of vectors, another dimension, or a vector that is zero or not finite; CANCELLED, CLOSED
 */
export function createInjectedEmbedder(injected: InjectedEmbedder): EmbeddingModel {
  const {
    modelId,
    dimension,
    maxTokens = 512,
    maxTextsPerCall = 128,
    countTokens = estimateTokens,
  } = injected
  requireWhole('dimension', dimension)
  requireWhole('maxTokens', maxTokens)
  requireWhole('maxTextsPerCall', maxTextsPerCall)
  if (typeof modelId !== 'string' || modelId === '')
    throw invalid('modelId', 'is empty', 'Give the model a name.')
  if (typeof injected.embed !== 'function')
    throw invalid('embed', 'is not a function', 'It takes texts and gives vectors.')
  let closed = false

  return {
    modelId,
    dimension,
    maxTokens,
    countTokens,
    async embed(texts, { purpose, signal, onSplit }) {
      return embedWithinWindow(texts, { countTokens, maxTokens, onSplit }, async (parts) => {
        const vectors: Float32Array[] = []
        for (let from = 0; from < parts.length; from += maxTextsPerCall) {
          throwIfAborted(signal)
          if (closed)
            throw new ProlepsisError('CLOSED', 'The embedder was closed.', { hint: 'Create another one.' })
          const some = parts.slice(from, from + maxTextsPerCall)
          const given = await call(injected, some, { purpose, signal })
          vectors.push(...checked(given, some.length, injected))
        }
        return vectors
      })
    },
    async close() {
      if (closed) return
      closed = true
      await injected.close?.()
    },
  }
}

async function call(
  injected: InjectedEmbedder,
  texts: readonly string[],
  options: Parameters<InjectedEmbedder['embed']>[1],
): ReturnType<InjectedEmbedder['embed']> {
  try {
    return await injected.embed(texts, options)
  } catch (cause) {
    throwIfAborted(options.signal)
    if (isProlepsisError(cause)) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw failed(injected.modelId, `threw: ${reason}`, 'See the cause; the call can be repeated.', cause)
  }
}

function checked(
  given: readonly (Float32Array | readonly number[])[],
  count: number,
  { modelId, dimension }: InjectedEmbedder,
): Float32Array[] {
  if (!Array.isArray(given) || given.length !== count) {
    const got = Array.isArray(given) ? `${given.length} vectors` : typeof given
    throw failed(
      modelId,
      `returned ${got} for ${count} texts`,
      'Return one vector for each text, in the same order.',
    )
  }
  return given.map((numbers) => {
    const length = numbers?.length
    if (length !== dimension) {
      throw failed(
        modelId,
        `returned a vector of ${length ?? typeof numbers} numbers and not ${dimension}`,
        'Give the model its true dimension; a bank keeps the dimension that it was filled with.',
      )
    }
    const vector = Float32Array.from(numbers)
    const norm = Math.hypot(...vector)
    if (!Number.isFinite(norm) || norm === 0) {
      throw failed(modelId, 'returned a vector that is zero or not finite', 'Vectors need a direction.')
    }
    return vector.map((x) => x / norm)
  })
}

/** Never under the true count by much: what is split too early is still embedded whole, what is split too late is cut by the model. */
function estimateTokens(text: string): number {
  let latin = 0
  let others = 0
  for (const char of text) {
    if (char.codePointAt(0)! < 0x250) latin++
    else others++
  }
  return Math.ceil(latin / 3) + others
}

function failed(modelId: string, what: string, hint: string, cause?: unknown): ProlepsisError {
  return new ProlepsisError('MODEL_FAILED', `The embedding model ${modelId} ${what}.`, { hint, cause })
}

function invalid(option: string, what: string, hint: string): ProlepsisError {
  return new ProlepsisError('INVALID_ARGUMENT', `The embedder's ${option} ${what}.`, {
    hint,
    details: { option },
  })
}

function requireWhole(option: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0) return
  throw invalid(option, `cannot be ${value}`, 'It is a whole number above 0.')
}
