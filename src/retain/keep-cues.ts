import type { CueDraft } from '../domain/cue.ts'
import type { StoredChunk } from '../store/queries/chunks.ts'
import type { StoredCue } from '../store/queries/cues.ts'
import { type DerivedChunk, withQuestions } from './derive.ts'

/**
 * Gives cues that no rule can make again (the caller's, a model's) to chunks derived anew: each to the chunk that now
 * holds the first byte of the one it belonged to.
 */
export function keepCues(
  chunks: readonly DerivedChunk[],
  stored: readonly Pick<StoredChunk, 'chunkId' | 'text'>[],
  kept: readonly StoredCue[],
): readonly DerivedChunk[] {
  if (kept.length === 0) return chunks
  const heirs = heirOrdinals(chunks, stored)
  const byOrdinal = new Map<number, StoredCue[]>()
  for (const cue of kept) {
    const ordinal = heirs.get(cue.chunkId)
    if (ordinal === undefined) continue
    byOrdinal.set(ordinal, [...(byOrdinal.get(ordinal) ?? []), cue])
  }
  return chunks.map((chunk, ordinal) => {
    const mine = byOrdinal.get(ordinal) ?? []
    if (mine.length === 0) return chunk
    const questions = mine.filter((cue) => cue.origin === 'caller').map((cue) => cue.text)
    const ofModel = mine
      .filter((cue) => cue.origin === 'model')
      .map((cue): CueDraft => ({ kind: cue.kind, text: cue.text, origin: cue.origin, embed: cue.embedded }))
    return { ...chunk, cues: [...withQuestions(questions, chunk.cues), ...ofModel] }
  })
}

/** For each stored chunk the ordinal of the new one that holds its first byte. O(chunks). */
export function heirOrdinals(
  chunks: readonly Pick<DerivedChunk, 'span'>[],
  stored: readonly Pick<StoredChunk, 'chunkId' | 'text'>[],
): ReadonlyMap<number, number> {
  const heirs = new Map<number, number>()
  let startByte = 0
  let ordinal = 0
  for (const old of stored) {
    while (ordinal < chunks.length - 1 && chunks[ordinal]!.span.endByte <= startByte) ordinal++
    heirs.set(old.chunkId, ordinal)
    startByte += Buffer.byteLength(old.text)
  }
  return heirs
}
