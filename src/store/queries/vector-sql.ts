import { ProlepsisError } from '../../domain/errors.ts'
import type { VectorSpace } from '../bank-store.ts'

/**
 * A query vector as text. Parsing decimals is slow in WebAssembly (1.8 ms for 384), whole numbers are not (0.3 ms), and
 * cosine does not see the scale: the components go as integers of 24 bits, exact to float4.
 */
export function vectorParameter(vector: Float32Array, space: VectorSpace): string {
  if (vector.length !== space.dimension) {
    throw new ProlepsisError(
      'MODEL_MISMATCH',
      `A vector of ${vector.length} dimensions cannot be compared with ${space.modelId}, which has ${space.dimension}.`,
      { hint: 'Use the embedding model that the bank was filled with, or re-embed with rebuild-index.' },
    )
  }
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  const scale = largest > 0 ? 0xffffff / largest : 1
  return `{${Array.from(vector, (value) => Math.round(value * scale)).join(',')}}`
}

/** The typed vector that the bound text `parameter` holds. */
export function vectorExpression(parameter: string, space: VectorSpace): string {
  return `${parameter}::text::integer[]::vector(${space.dimension})`
}
