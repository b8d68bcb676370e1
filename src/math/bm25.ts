/** Parameters of BM25. `k1` ≥ 0 bends the term frequency, `b` in [0, 1] the length normalisation. */
export interface Bm25Parameters {
  readonly k1: number
  readonly b: number
}

export const BM25_DEFAULTS: Bm25Parameters = { k1: 1.2, b: 0.75 }

/** Counts of one field of one bank. */
export interface CollectionStatistics {
  /** Number of chunks that have the field. */
  readonly count: number
  /** Mean length in terms, > 0 unless the collection is empty. */
  readonly averageLength: number
}

/**
 * Inverse document frequency ln(1 + (N − n + ½)/(n + ½)), never negative.
 *
 * `count` N ≥ 0 chunks, of which `documentFrequency` n contain the term. n may pass N by what was retained since the
 * counts were read: it is cut to N. Range: [0, ln(2N+2)]. O(1).
 * Reference: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, with the +1 of Lucene.
 * @throws RangeError when a count is negative or not finite.
 */
export function inverseDocumentFrequency(count: number, documentFrequency: number): number {
  if (!(count >= 0) || !Number.isFinite(count)) throw new RangeError(`count is ${count}`)
  if (!(documentFrequency >= 0) || !Number.isFinite(documentFrequency)) {
    throw new RangeError(`documentFrequency is ${documentFrequency}`)
  }
  const frequency = Math.min(documentFrequency, count)
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
}

/**
 * What one term adds to a chunk's score: idf · f·(k1 + 1) / (f + k1·(1 − b + b·length/averageLength)).
 *
 * `frequency` f: occurrences in the chunk, ≥ 0; `length` and the average in terms. Range: [0, idf·(k1+1)). Zero when the
 * term does not occur; an empty collection counts the length as average. O(1).
 * @throws RangeError when frequency or length is negative or not finite, k1 < 0, or b is outside [0, 1].
 */
export function termWeight(
  frequency: number,
  length: number,
  statistics: CollectionStatistics,
  documentFrequency: number,
  parameters: Bm25Parameters = BM25_DEFAULTS,
): number {
  const { k1, b } = parameters
  if (!(frequency >= 0) || !Number.isFinite(frequency)) throw new RangeError(`frequency is ${frequency}`)
  if (!(length >= 0) || !Number.isFinite(length)) throw new RangeError(`length is ${length}`)
  if (!(k1 >= 0) || !Number.isFinite(k1)) throw new RangeError(`k1 is ${k1}`)
  if (!(b >= 0 && b <= 1)) throw new RangeError(`b is ${b}: it must be in [0, 1]`)
  if (frequency === 0) return 0
  const relativeLength = statistics.averageLength > 0 ? length / statistics.averageLength : 1
  const idf = inverseDocumentFrequency(statistics.count, documentFrequency)
  return (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relativeLength))
}

/** A question's term with how much it counts, 1 for the message itself. */
export interface WeightedTerm {
  readonly term: string
  readonly weight: number
}

/**
 * The BM25 score of a chunk: Σ over the question's terms of weight · termWeight. This is the scoring formula of the
 * store's SQL, kept here as its reference.
 *
 * `frequencies`: occurrences by term; `length`: all terms of the chunk; `documentFrequencies`: chunks by term. A chunk
 * that shares no term scores 0. O(question's terms).
 * @throws RangeError as termWeight.
 */
export function bm25(
  terms: readonly WeightedTerm[],
  chunk: { readonly frequencies: ReadonlyMap<string, number>; readonly length: number },
  statistics: CollectionStatistics,
  documentFrequencies: ReadonlyMap<string, number>,
  parameters: Bm25Parameters = BM25_DEFAULTS,
): number {
  let score = 0
  for (const { term, weight } of terms) {
    const frequency = chunk.frequencies.get(term) ?? 0
    const documentFrequency = documentFrequencies.get(term) ?? 0
    score += weight * termWeight(frequency, chunk.length, statistics, documentFrequency, parameters)
  }
  return score
}
