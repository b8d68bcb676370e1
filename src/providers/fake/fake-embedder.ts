import { ProlepsisError, throwIfAborted } from '../../domain/errors.ts'
import type { EmbeddingModel, EmbedOptions } from '../embedding-model.ts'
import { embedWithinWindow } from '../split-long-texts.ts'

export interface FakeEmbedderOptions {
  /** @default 64 */
  readonly dimension?: number
  /** Words; longer texts are split as a true model's are. @default 512 */
  readonly maxTokens?: number
  /** @default `fake-` and the dimension */
  readonly modelId?: string
}

export interface FakeEmbedder extends EmbeddingModel {
  /** Every call of `embed` so far, oldest first. */
  readonly calls: readonly { readonly texts: readonly string[]; readonly purpose: EmbedOptions['purpose'] }[]
}

/**
 * A model for tests and examples: loads nothing, gives the same vector for the same text everywhere. A vector is the sum of its words'
 * pseudo-random directions, so texts that share words are near, and others near to orthogonal. The purpose changes nothing.
 */
export function createFakeEmbedder(options: FakeEmbedderOptions = {}): FakeEmbedder {
  const { dimension = 64, maxTokens = 512 } = options
  const calls: { texts: readonly string[]; purpose: EmbedOptions['purpose'] }[] = []
  let closed = false
  const countTokens = (text: string): number => wordsOf(text).length
  return {
    modelId: options.modelId ?? `fake-${dimension}`,
    dimension,
    maxTokens,
    calls,
    countTokens,
    async embed(texts, { purpose, signal, onSplit }) {
      throwIfAborted(signal)
      if (closed)
        throw new ProlepsisError('CLOSED', 'The embedder was closed.', { hint: 'Create another one.' })
      calls.push({ texts: [...texts], purpose })
      return embedWithinWindow(texts, { countTokens, maxTokens, onSplit }, async (parts) =>
        parts.map((part) => vectorOf(part, dimension)),
      )
    },
    async close() {
      closed = true
    },
  }
}

const WORDS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu

/** Runs of letters and digits, and single characters of scripts that are written without spaces. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORDS) ?? []
}

function vectorOf(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension)
  const words = wordsOf(text)
  for (const word of words.length === 0 ? [''] : words) {
    const random = randomOf(word)
    for (let d = 0; d < dimension; d++) vector[d] = vector[d]! + random()
  }
  const length = Math.hypot(...vector)
  return vector.map((x) => x / length)
}

/** Numbers in [-1, 1) that depend on the word alone: FNV-1a as the seed of mulberry32. */
function randomOf(word: string): () => number {
  let state = 0x811c9dc5
  for (let i = 0; i < word.length; i++) state = Math.imul(state ^ word.charCodeAt(i), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  }
}
