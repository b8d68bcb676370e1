/** Turns texts into unit vectors. Injected; the local ONNX model is the default. */
export interface EmbeddingModel {
  /** Stable name of the vector space: same id and dimension, comparable vectors. */
  readonly modelId: string
  readonly dimension: number
  /** Longest input in tokens, special tokens included; longer texts are never cut silently. */
  readonly maxTokens: number
  /**
   * One vector a text, same order, each of length `dimension` and Euclidean length 1.
   * `purpose` picks the instruction the model's card asks for: `query` for a question that looks for content,
   * `symmetric` for a text compared with its like (question with question) and for stored text.
   * A text over `maxTokens` is split at word boundaries, the parts' vectors averaged by token count and normalised, and
   * `onSplit` told (index of the text, number of parts).
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>
  /** Tokens of each text without special tokens: chunkers and packers measure with it. */
  countTokens(text: string): number
  close(): Promise<void>
}

export interface EmbedOptions {
  readonly purpose: 'query' | 'symmetric'
  readonly signal?: AbortSignal | undefined
  readonly onSplit?: ((index: number, parts: number) => void) | undefined
}
