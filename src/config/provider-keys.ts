/** The variables of the environment that hold a provider's key, the first one that is set counts. No setting and no file holds a key. */
export const KEY_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  mistral: ['MISTRAL_API_KEY'],
  groq: ['GROQ_API_KEY'],
  openrouter: ['OPENROUTER_API_KEY'],
  cohere: ['COHERE_API_KEY'],
}

/** Of the language model, the embedding model and the reranking model at an address of one's own: a key goes to no address that it was not meant for. */
export const OWN_KEY_VARIABLES = {
  model: 'PROLEPSIS_MODEL_KEY',
  embedder: 'PROLEPSIS_EMBEDDER_KEY',
} as const

/** A provider's key, or null, and the variable to set. */
export interface ProviderKey {
  readonly key: string | null
  readonly variable: string
}

/**
 * @param provider a name of `KEY_VARIABLES`; any other has the key of `use`
 */
export function providerKey(
  provider: string,
  use: keyof typeof OWN_KEY_VARIABLES,
  env: Readonly<Record<string, string | undefined>>,
): ProviderKey {
  const variables = KEY_VARIABLES[provider] ?? [OWN_KEY_VARIABLES[use]]
  for (const variable of variables) {
    const key = env[variable]?.trim() ?? ''
    if (key !== '') return { key, variable }
  }
  return { key: null, variable: variables[0] ?? OWN_KEY_VARIABLES[use] }
}
