import type { Analyser } from '../../domain/analysis/analyser.ts'
import type { StoredChunk } from '../../store/queries/chunks.ts'
import type { StoredCue } from '../../store/queries/cues.ts'

/** Chunks on either side of one that a model may have been shown together with it: those that are read at a time. */
export const SHOWN_TOGETHER = 120
/** Chunks on either side whose words a model may have put into a cue by right. */
export const CONTEXT = 14

type Words = Pick<StoredChunk, 'chunkId' | 'text' | 'label' | 'speaker'>

/** What a model may take words from. */
export const wordsOf = ({ text, label, speaker }: Omit<Words, 'chunkId'>): string =>
  `${label ?? ''} ${speaker ?? ''} ${text}`

/**
 * Cues that a model may have made with words of chunks that are to be forgotten: names and dates are taken from what stands around. A cue is one
 * of these when it has a term of theirs that neither its own chunk nor those around it have; better one too many than one too few.
 *
 * @param stored the document in reading order
 * @param cues of models, of chunks that stay
 */
export function cuesOfGone(
  stored: readonly Words[],
  gone: ReadonlySet<number>,
  cues: readonly StoredCue[],
  analyser: Analyser,
): ReadonlySet<StoredCue> {
  const termsOf = (chunk: Words): readonly string[] => analyser.terms(wordsOf(chunk))
  const goneTerms = new Set(stored.filter(({ chunkId }) => gone.has(chunkId)).flatMap(termsOf))
  const places = new Map(stored.map(({ chunkId }, at) => [chunkId, at]))
  const around = new Map<number, ReadonlySet<string>>()
  const termsAround = (chunkId: number): ReadonlySet<string> => {
    const known = around.get(chunkId)
    if (known !== undefined) return known
    const at = places.get(chunkId)!
    const near = stored.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1)
    const terms = new Set(near.filter((chunk) => !gone.has(chunk.chunkId)).flatMap(termsOf))
    around.set(chunkId, terms)
    return terms
  }
  return new Set(
    cues.filter(({ chunkId, text }) =>
      analyser.terms(text).some((term) => goneTerms.has(term) && !termsAround(chunkId).has(term)),
    ),
  )
}

/** The chunks that stay and may have been shown together with one that goes. */
export function shownWithGone(stored: readonly Words[], gone: ReadonlySet<number>): readonly number[] {
  const near = new Set<number>()
  stored.forEach(({ chunkId }, at) => {
    if (!gone.has(chunkId)) return
    for (const one of stored.slice(Math.max(0, at - SHOWN_TOGETHER), at + SHOWN_TOGETHER + 1))
      if (!gone.has(one.chunkId)) near.add(one.chunkId)
  })
  return [...near]
}
