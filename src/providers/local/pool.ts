import type { Pooling } from './model-folder.ts'

/**
 * One unit vector a row out of the hidden states of a padded batch (`rows × length × dimension`): that of the first token, or
 * the mean of the row's own tokens.
 *
 * @param lengths tokens of each row before padding
 */
export function poolRows(
  states: Float32Array,
  lengths: Int32Array,
  dimension: number,
  pooling: Pooling,
): Float32Array<ArrayBuffer> {
  const rows = lengths.length
  const stride = states.length / rows
  const vectors = new Float32Array(rows * dimension)
  for (let row = 0; row < rows; row++) {
    const out = vectors.subarray(row * dimension, (row + 1) * dimension)
    const tokens = pooling === 'cls' ? 1 : lengths[row]!
    for (let token = 0; token < tokens; token++) {
      const from = row * stride + token * dimension
      for (let d = 0; d < dimension; d++) out[d] = out[d]! + states[from + d]!
    }
    let square = 0
    for (const x of out) square += x * x
    const scale = 1 / Math.sqrt(square)
    for (let d = 0; d < dimension; d++) out[d] = out[d]! * scale
  }
  return vectors
}
