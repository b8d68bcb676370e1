/** Judges how well texts answer a question, all together. Injected; never on by default. */
export interface RerankingModel {
  /** Stable name: `cohere:rerank-v3.5`, `local:ms-marco-…`, `model:anthropic:…`. */
  readonly modelId: string
  /** Most documents of one call. */
  readonly maxDocuments: number
  /**
   * One score a document, in the order of the documents; greater is better. Only the order is used: scores of two calls need not compare.
   *
   * @throws ProlepsisError MODEL_REFUSED, MODEL_UNAVAILABLE, MODEL_TIMEOUT, MODEL_REPLY_INVALID, CANCELLED
   */
  rerank(request: RerankRequest): Promise<readonly number[]>
  close(): Promise<void>
}

export interface RerankRequest {
  readonly query: string
  readonly documents: readonly string[]
  readonly signal?: AbortSignal | undefined
  /** Hears what the reader should know: that a document was judged by its beginning. */
  readonly onNote?: ((note: string) => void) | undefined
  /** What a model that can be told is told, in place of its own prompt. */
  readonly instructions?: string | undefined
  /** Of the call that asks. */
  readonly traceId?: string | undefined
  /** Documents of the store whose text is shown: `forget` finds the call by them. */
  readonly documentIds?: readonly number[] | undefined
}
