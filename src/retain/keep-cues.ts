import type { CueDraft } from '../domain/cue.ts'
import { type DerivedChunk, withQuestions } from './derive.ts'

/** A cue that no rule can make again (the caller's, a model's), with the byte at which its part of the text begins. */
export interface KeptCue {
  readonly startByte: number
  readonly cue: CueDraft
}

/** Gives kept cues to chunks derived anew: each to the chunk that now holds its byte. */
export function keepCues(chunks: readonly DerivedChunk[], kept: readonly KeptCue[]): readonly DerivedChunk[] {
  if (kept.length === 0) return chunks
  const byOrdinal = new Map<number, CueDraft[]>()
  for (const { startByte, cue } of kept) {
    const ordinal = ordinalAtByte(chunks, startByte)
    byOrdinal.set(ordinal, [...(byOrdinal.get(ordinal) ?? []), cue])
  }
  return chunks.map((chunk, ordinal) => {
    const mine = byOrdinal.get(ordinal)
    if (mine === undefined) return chunk
    const questions = mine.filter((cue) => cue.origin === 'caller').map((cue) => cue.text)
    const ofModel = mine.filter((cue) => cue.origin !== 'caller')
    return { ...chunk, cues: [...withQuestions(questions, chunk.cues), ...ofModel] }
  })
}

/** The ordinal of the chunk that holds a byte; the last one's for a byte past the end. O(log chunks). */
export function ordinalAtByte(chunks: readonly Pick<DerivedChunk, 'span'>[], byte: number): number {
  let low = 0
  let high = chunks.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (chunks[middle]!.span.endByte > byte) high = middle
    else low = middle + 1
  }
  return low
}
