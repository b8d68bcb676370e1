import type { Analyser } from '../domain/analysis/analyser.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { CallerQuestions } from './retain-options.ts'

/** Texts of chunks in order; made one by one for a long document. */
export type ChunkTexts = Iterable<string> & { readonly length: number }

/**
 * Gives the caller's questions to chunks. Those for the whole text go to the one chunk that shares most with them: the
 * sum of ln(1 + chunks / chunks with the term) over the question's distinct terms, divided by the square root of the
 * chunk's distinct terms so that a long chunk does not win by its length; the earliest of equals; the first chunk when
 * no term is shared. O(terms of the text).
 *
 * @returns by chunk ordinal; chunks without a question are absent
 * @throws ProlepsisError INVALID_ARGUMENT for an ordinal that the text does not have
 */
export function assignQuestions(
  asked: CallerQuestions | undefined,
  chunkTexts: ChunkTexts,
  analyser: Analyser,
): ReadonlyMap<number, readonly string[]> {
  if (asked === undefined) return new Map()
  if (asked.kind === 'by-chunk') return checkOrdinals(asked.questions, chunkTexts.length)
  const byChunk = new Map<number, string[]>()
  const bestChunk = chunkTexts.length < 2 ? () => 0 : fitter(chunkTexts, asked.questions, analyser)
  for (const question of asked.questions) {
    const ordinal = bestChunk(question)
    byChunk.set(ordinal, [...(byChunk.get(ordinal) ?? []), question])
  }
  return byChunk
}

function checkOrdinals(
  questions: ReadonlyMap<number, readonly string[]>,
  count: number,
): ReadonlyMap<number, readonly string[]> {
  const beyond = [...questions.keys()].find((ordinal) => ordinal >= count)
  if (beyond !== undefined) {
    throw new ProlepsisError(
      'INVALID_ARGUMENT',
      `questions names chunk ${beyond}, but the text has ${count} (0 to ${count - 1}).`,
      { hint: 'Give the questions as one list: each finds its chunk.', details: { option: 'questions' } },
    )
  }
  return questions
}

function fitter(
  chunkTexts: ChunkTexts,
  questions: readonly string[],
  analyser: Analyser,
): (question: string) => number {
  // of terms that nobody asks for only the number counts
  const wanted = new Set(questions.flatMap((question) => analyser.terms(question)))
  const holders = new Map<string, number[]>()
  const sizes: number[] = []
  for (const text of chunkTexts) {
    const terms = new Set(analyser.terms(text))
    for (const term of terms) {
      if (!wanted.has(term)) continue
      const list = holders.get(term)
      if (list === undefined) holders.set(term, [sizes.length])
      else list.push(sizes.length)
    }
    sizes.push(terms.size)
  }
  return (question) => {
    const scores = new Map<number, number>()
    for (const term of new Set(analyser.terms(question))) {
      const list = holders.get(term) ?? []
      const weight = Math.log(1 + chunkTexts.length / Math.max(1, list.length))
      for (const ordinal of list) scores.set(ordinal, (scores.get(ordinal) ?? 0) + weight)
    }
    let best = 0
    let bestScore = 0
    for (const [ordinal, sum] of scores) {
      const score = sum / Math.sqrt(sizes[ordinal]!)
      if (score > bestScore || (score === bestScore && ordinal < best)) {
        best = ordinal
        bestScore = score
      }
    }
    return best
  }
}
