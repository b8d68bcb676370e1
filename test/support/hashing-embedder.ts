import { createHash } from 'node:crypto'
import { normalise } from '../../src/math/index.ts'
import type { EmbeddingModel } from '../../src/providers/embedding-model.ts'

/** Words to hashed directions, summed: texts that share words are near. Deterministic, no files. */
export function createHashingEmbedder(dimension = 64): EmbeddingModel & { calls(): number } {
  let calls = 0
  const directions = new Map<string, readonly number[]>()
  const directionOf = (word: string): readonly number[] => {
    const known = directions.get(word)
    if (known !== undefined) return known
    const bytes: number[] = []
    for (let round = 0; bytes.length < dimension; round++) {
      bytes.push(...createHash('sha256').update(`${round}:${word}`).digest())
    }
    const direction = bytes.slice(0, dimension).map((byte) => byte - 127.5)
    directions.set(word, direction)
    return direction
  }
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return {
    modelId: 'hashing-test',
    dimension,
    maxTokens: 256,
    embed(texts, { onSplit }) {
      calls++
      return Promise.resolve(
        texts.map((text, index) => {
          const words = wordsOf(text)
          if (words.length > 256) onSplit?.(index, Math.ceil(words.length / 256))
          const sum = new Float64Array(dimension).fill(1e-3)
          for (const word of words) {
            directionOf(word).forEach((value, i) => {
              sum[i]! += value
            })
          }
          return normalise(sum)
        }),
      )
    },
    countTokens: (text) => wordsOf(text).length,
    close: () => Promise.resolve(),
    calls: () => calls,
  }
}
