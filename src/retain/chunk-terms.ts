import type { Analyser } from '../domain/analysis/analyser.ts'
import type { TermEntry } from '../store/queries/lexical-write.ts'
import type { DerivedChunk } from './derived-chunks.ts'

/** Terms of a chunk in both lexical fields: 0 its own words, 1 all its cues as one text. */
export function termsOfChunk(chunk: DerivedChunk, chunkId: number, analyser: Analyser): readonly TermEntry[] {
  const { content, text, speaker, attributes } = chunk.draft
  const body = content === null ? text : [speaker, content, attributes.caption].filter(Boolean).join(' ')
  return [entry(chunkId, 0, body, analyser), termsOfCues(chunk.cues, chunkId, analyser)]
}

/** Terms of the field of cues alone. */
export function termsOfCues(
  cues: readonly { readonly text: string }[],
  chunkId: number,
  analyser: Analyser,
): TermEntry {
  return entry(chunkId, 1, cues.map((cue) => cue.text).join('\n'), analyser)
}

function entry(chunkId: number, field: 0 | 1, text: string, analyser: Analyser): TermEntry {
  const counts = new Map<string, number>()
  const terms = analyser.terms(text)
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return { chunkId, field, counts, length: terms.length }
}
