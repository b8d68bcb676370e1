import type { ShownChunk } from './shown-chunk.ts'

/** What one call of the writer takes at most. */
export const BATCH_TOKENS = 3_000
export const BATCH_CHUNKS = 12

/** Chunks in their order, as many together as one call takes; one that is longer than that stands alone. */
export function* batchesOf(chunks: readonly ShownChunk[]): Generator<readonly ShownChunk[], void, undefined> {
  let batch: ShownChunk[] = []
  let tokens = 0
  for (const chunk of chunks) {
    if (batch.length > 0 && (batch.length >= BATCH_CHUNKS || tokens + chunk.tokens > BATCH_TOKENS)) {
      yield batch
      batch = []
      tokens = 0
    }
    batch.push(chunk)
    tokens += chunk.tokens
  }
  if (batch.length > 0) yield batch
}
