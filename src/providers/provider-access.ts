/** How a provider is reached. Keys come as values: providers read no environment. */
export interface ProviderAccess {
  readonly key: string | null
  /** Variable of the environment that holds the key: an error names it. */
  readonly variable: string
  /** @default the provider's own */
  readonly baseUrl: string | null
}

/** Providers of language models. */
export const LANGUAGE_PROVIDERS = [
  'anthropic',
  'openai',
  'google',
  'mistral',
  'groq',
  'openrouter',
  'ollama',
  'openai-compatible',
] as const
export type LanguageProvider = (typeof LANGUAGE_PROVIDERS)[number]

/** Providers of embedding models. */
export const EMBEDDING_PROVIDERS = [
  'openai',
  'google',
  'mistral',
  'cohere',
  'ollama',
  'openai-compatible',
] as const
export type EmbeddingProvider = (typeof EMBEDDING_PROVIDERS)[number]

/** Providers of reranking models. */
export const RERANKING_PROVIDERS = ['cohere'] as const
export type RerankingProvider = (typeof RERANKING_PROVIDERS)[number]

export type Provider = LanguageProvider | EmbeddingProvider | RerankingProvider
