import type { EmbeddingModel } from '../../providers/embedding-model.ts'

interface Embedded {
  /** Undefined when the model gave fewer vectors than texts. */
  readonly vector: Float32Array | undefined
  /** How many parts the text was split into, or null. */
  readonly parts: number | null
}

/** The embedder for one recall: a text that was asked for before is not embedded again, and one that failed fails again. */
export function embedOnce(load: () => Promise<EmbeddingModel>): () => Promise<EmbeddingModel> {
  const known = new Map<string, Promise<Embedded>>()
  return async () => {
    const model = await load()
    return {
      modelId: model.modelId,
      dimension: model.dimension,
      maxTokens: model.maxTokens,
      countTokens: (text) => model.countTokens(text),
      close: () => model.close(),
      async embed(texts, options) {
        const keyOf = (text: string): string => `${options.purpose}:${text}`
        const missing = [...new Set(texts)].filter((text) => !known.has(keyOf(text)))
        if (missing.length > 0) {
          const splits = new Map<number, number>()
          const onSplit = (index: number, parts: number): void => void splits.set(index, parts)
          const made = model.embed(missing, { ...options, onSplit })
          missing.forEach((text, i) => {
            const one = made.then((vectors) => ({ vector: vectors[i], parts: splits.get(i) ?? null }))
            // whoever asks for it hears of the failure
            one.catch(() => undefined)
            known.set(keyOf(text), one)
          })
        }
        const vectors: Float32Array[] = []
        for (const [index, text] of texts.entries()) {
          const embedded = await known.get(keyOf(text))
          if (embedded?.parts != null) options.onSplit?.(index, embedded.parts)
          if (embedded?.vector !== undefined) vectors.push(embedded.vector)
        }
        return vectors
      },
    }
  }
}
