import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Vectors by text hash until they are committed. */
export interface VectorSpool {
  has(hash: string): boolean
  put(hash: string, vector: Float32Array): void
  /** @throws RangeError for a hash that was never put */
  get(hash: string): Float32Array
  /** Frees the file, if there is one. Idempotent. */
  dispose(): void
}

const VECTORS_IN_MEMORY = 10_000

/**
 * Keeps vectors of `dimension` numbers in memory up to `inMemory` of them, and the rest in a temporary file, so that a
 * text of any length is embedded outside of the transaction with bounded memory.
 */
export function createVectorSpool(
  dimension: number,
  inMemory: number = VECTORS_IN_MEMORY,
  folderIn: string = tmpdir(),
): VectorSpool {
  const kept = new Map<string, Float32Array>()
  const filed = new Map<string, number>()
  const vectorBytes = dimension * Float32Array.BYTES_PER_ELEMENT
  let folder: string | null = null
  let file = -1

  const openFile = (): void => {
    folder = mkdtempSync(join(folderIn, 'prolepsis-vectors-'))
    file = openSync(join(folder, 'vectors'), 'wx+', 0o600)
  }

  return {
    has: (hash) => kept.has(hash) || filed.has(hash),
    put(hash, vector) {
      if (kept.has(hash) || filed.has(hash)) return
      if (kept.size < inMemory) {
        kept.set(hash, vector)
        return
      }
      if (folder === null) openFile()
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vectorBytes)
      writeSync(file, bytes, 0, vectorBytes, filed.size * vectorBytes)
      filed.set(hash, filed.size)
    },
    get(hash) {
      const vector = kept.get(hash)
      if (vector !== undefined) return vector
      const at = filed.get(hash)
      if (at === undefined) throw new RangeError(`no vector for hash ${hash}`)
      const bytes = new Uint8Array(vectorBytes)
      readSync(file, bytes, 0, vectorBytes, at * vectorBytes)
      return new Float32Array(bytes.buffer)
    },
    dispose() {
      kept.clear()
      filed.clear()
      if (folder === null) return
      closeSync(file)
      rmSync(folder, { recursive: true, force: true })
      folder = null
    },
  }
}
