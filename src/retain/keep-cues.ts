import type { Span } from '../domain/chunk.ts'
import type { CueDraft } from '../domain/cue.ts'
import { withQuestions } from './derive.ts'
import type { DerivedChunks } from './derived-chunks.ts'

/** A cue that no rule can make again (the caller's, a model's), with the byte at which its part of the text begins. */
export interface KeptCue {
  readonly startByte: number
  readonly cue: CueDraft
}

/** Gives kept cues to chunks derived anew: each to the chunk that now holds its byte. */
export function keepCues(chunks: DerivedChunks, kept: readonly KeptCue[]): DerivedChunks {
  if (kept.length === 0) return chunks
  const byOrdinal = new Map<number, CueDraft[]>()
  for (const { startByte, cue } of kept) {
    const ordinal = ordinalAtByte(chunks.spans, startByte)
    const list = byOrdinal.get(ordinal)
    if (list === undefined) byOrdinal.set(ordinal, [cue])
    else list.push(cue)
  }
  return chunks.withCues((ordinal, cues) => {
    const mine = byOrdinal.get(ordinal)
    if (mine === undefined) return cues
    const questions = mine.filter((cue) => cue.origin === 'caller').map((cue) => cue.text)
    const ofModel = mine.filter((cue) => cue.origin !== 'caller')
    return [...withQuestions(questions, cues), ...ofModel]
  })
}

/** The ordinal of the chunk that holds a byte; the last one's for a byte past the end. O(log chunks). */
export function ordinalAtByte(spans: readonly Pick<Span, 'endByte'>[], byte: number): number {
  let low = 0
  let high = spans.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle]!.endByte > byte) high = middle
    else low = middle + 1
  }
  return low
}
