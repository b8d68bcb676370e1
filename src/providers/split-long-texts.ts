import type { EmbeddingModel } from './embedding-model.ts'

export interface WindowOptions {
  readonly countTokens: (text: string) => number
  /** Tokens that a part may have. */
  readonly maxTokens: number
  readonly onSplit?: ((index: number, parts: number) => void) | undefined
}

/**
 * Embeds texts of any length through a model with a window: a text that is too long is split at word boundaries; its vector
 * is the mean of its parts' vectors, weighted by their tokens, divided by its length.
 *
 * @param embedParts unit vectors of texts that fit, same order
 */
export async function embedWithinWindow(
  texts: readonly string[],
  options: WindowOptions,
  embedParts: (parts: readonly string[]) => Promise<readonly Float32Array[]>,
): ReturnType<EmbeddingModel['embed']> {
  const partsOf = texts.map((text) => splitToFit(text, options))
  const vectors = await embedParts(partsOf.flat())
  let from = 0
  return partsOf.map((parts, index) => {
    const own = vectors.slice(from, from + parts.length)
    from += parts.length
    if (parts.length === 1) return own[0]!
    options.onSplit?.(index, parts.length)
    return weightedMean(own, parts.map(options.countTokens))
  })
}

/**
 * Parts that each fit, in order; together they hold every word. Cut after white space; a run without any (Chinese, a minified
 * file) between words as the runtime's segmenter sees them; a word that is too long by itself between characters.
 */
export function splitToFit(text: string, { countTokens, maxTokens }: WindowOptions): readonly string[] {
  if (countTokens(text) <= maxTokens) return [text]
  let words: readonly string[] = text.match(/\s*\S+\s*/gu) ?? [text]
  if (words.some((word) => countTokens(word) > maxTokens)) {
    const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
    words = words.flatMap((word) =>
      countTokens(word) <= maxTokens ? [word] : Array.from(segmenter.segment(word), ({ segment }) => segment),
    )
    words = words.flatMap((word) => halve(word, (half) => countTokens(half) <= maxTokens))
  }
  return pack(words, countTokens, maxTokens)
}

/** Joins neighbours while they fit. Counts add up for words apart by white space; where they do not, the part is checked as a whole. */
function pack(words: readonly string[], countTokens: (text: string) => number, maxTokens: number): string[] {
  const parts: string[] = []
  let part = ''
  let sum = 0
  for (const word of words) {
    const tokens = countTokens(word)
    if (part !== '' && sum + tokens > maxTokens) {
      parts.push(part)
      part = ''
      sum = 0
    }
    part += word
    sum += tokens
  }
  if (part !== '') parts.push(part)
  return parts.flatMap((whole) => halve(whole, (half) => countTokens(half) <= maxTokens))
}

function halve(text: string, fits: (text: string) => boolean): string[] {
  if (text.length <= 1 || fits(text)) return [text]
  let middle = text.length >> 1
  // not between the halves of a surrogate pair
  if (/[\ud800-\udbff]/.test(text[middle - 1]!) && /[\udc00-\udfff]/.test(text[middle]!)) middle++
  if (middle >= text.length) return [text]
  return [...halve(text.slice(0, middle), fits), ...halve(text.slice(middle), fits)]
}

function weightedMean(vectors: readonly Float32Array[], weights: readonly number[]): Float32Array {
  const [first] = vectors
  const mean = new Float32Array(first!.length)
  vectors.forEach((vector, i) => {
    const weight = Math.max(weights[i]!, 1)
    for (let d = 0; d < mean.length; d++) mean[d] = mean[d]! + weight * vector[d]!
  })
  const length = Math.hypot(...mean)
  // opposite parts can cancel out: then the first stands for all
  return length > 1e-6 ? mean.map((x) => x / length) : first!.slice()
}
