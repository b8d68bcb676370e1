import type {
  EmbeddingModelV3,
  LanguageModelV3,
  RerankingModelV3,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import { ProlepsisError } from '../../domain/errors.ts'
import type {
  EmbeddingProvider,
  LanguageProvider,
  Provider,
  ProviderAccess,
  RerankingProvider,
} from '../provider-access.ts'
import { guardedFetch } from './guarded-fetch.ts'

/** What the AI SDK's packages ask of their models, in addition to what is common to all. */
export interface Vendor<Model> {
  readonly model: Model
  readonly providerOptions?: SharedV3ProviderOptions
}

type Access = Pick<ProviderAccess, 'key' | 'baseUrl'>

/** The one place where packages of vendors are named; each is loaded when one of its models is asked for. */
export async function languageVendor(
  provider: LanguageProvider,
  model: string,
  access: ProviderAccess,
): Promise<Vendor<LanguageModelV3>> {
  const options = optionsOf(provider, model, access)
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await load(provider, () => import('@ai-sdk/anthropic'))
      return { model: createAnthropic(options)(model) }
    }
    case 'openai': {
      const { createOpenAI } = await load(provider, () => import('@ai-sdk/openai'))
      // strict schemas refuse optional members; what is asked is not kept at the vendor
      const providerOptions = { openai: { strictJsonSchema: false, store: false } }
      return { model: createOpenAI(options)(model), providerOptions }
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await load(provider, () => import('@ai-sdk/google'))
      return { model: createGoogleGenerativeAI(options)(model) }
    }
    case 'mistral': {
      const { createMistral } = await load(provider, () => import('@ai-sdk/mistral'))
      return { model: createMistral(options)(model) }
    }
    case 'groq': {
      const { createGroq } = await load(provider, () => import('@ai-sdk/groq'))
      return { model: createGroq(options)(model), providerOptions: { groq: { strictJsonSchema: false } } }
    }
    case 'openrouter':
    case 'ollama':
    case 'openai-compatible':
      return { model: (await compatible(provider, model, access, 'model')).chatModel(model) }
  }
}

/** `query` and `symmetric` as the vendor's instruction, where it has one. */
export type EmbeddingPurposes = Readonly<Record<'query' | 'symmetric', SharedV3ProviderOptions | undefined>>

export async function embeddingVendor(
  provider: EmbeddingProvider,
  model: string,
  access: ProviderAccess,
): Promise<{
  readonly model: EmbeddingModelV3
  readonly maxTokens: number
  readonly purposes: EmbeddingPurposes
}> {
  const options = optionsOf(provider, model, access)
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await load(provider, () => import('@ai-sdk/openai'))
      return { model: createOpenAI(options).embeddingModel(model), maxTokens: 8_000, purposes: ALIKE }
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await load(provider, () => import('@ai-sdk/google'))
      const purposes = {
        query: { google: { taskType: 'RETRIEVAL_QUERY' } },
        symmetric: { google: { taskType: 'RETRIEVAL_DOCUMENT' } },
      }
      return { model: createGoogleGenerativeAI(options).embeddingModel(model), maxTokens: 2_000, purposes }
    }
    case 'mistral': {
      const { createMistral } = await load(provider, () => import('@ai-sdk/mistral'))
      return { model: createMistral(options).embeddingModel(model), maxTokens: 8_000, purposes: ALIKE }
    }
    case 'cohere': {
      const { createCohere } = await load(provider, () => import('@ai-sdk/cohere'))
      const purposes = {
        query: { cohere: { inputType: 'search_query' } },
        symmetric: { cohere: { inputType: 'search_document' } },
      }
      return { model: createCohere(options).embeddingModel(model), maxTokens: 500, purposes }
    }
    case 'ollama':
    case 'openai-compatible':
      // servers of one's own cut silently what is over the window: small enough for all
      return {
        ...{
          model: (await compatible(provider, model, access, 'embedder')).embeddingModel(model),
          maxTokens: 500,
          purposes: ALIKE,
        },
      }
  }
}

const ALIKE: EmbeddingPurposes = { query: undefined, symmetric: undefined }

export async function rerankingVendor(
  provider: RerankingProvider,
  model: string,
  access: ProviderAccess,
): Promise<RerankingModelV3> {
  const { createCohere } = await load(provider, () => import('@ai-sdk/cohere'))
  return createCohere(optionsOf(provider, model, access)).reranking(model)
}

const OPENROUTER_URL = 'https://openrouter.ai/api/v1'
const OLLAMA_URL = 'http://localhost:11434/v1'

/** Where calls of a provider go that has no package of its own; null for those that have one. */
export function defaultBaseUrl(provider: Provider): string | null {
  if (provider === 'ollama') return OLLAMA_URL
  return provider === 'openrouter' ? OPENROUTER_URL : null
}

const ADDRESS = {
  model: { setting: 'modelBaseUrl', how: 'model_base_url' },
  embedder: {
    setting: 'embedderBaseUrl',
    how: 'embedder_base_url, or where a bank is moved to it --base-url ({ embedder, embedderBaseUrl })',
  },
} as const

async function compatible(
  provider: 'openrouter' | 'ollama' | 'openai-compatible',
  model: string,
  access: Access & Pick<ProviderAccess, 'variable'>,
  use: keyof typeof ADDRESS,
): Promise<ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>> {
  const baseURL = access.baseUrl ?? defaultBaseUrl(provider)
  if (baseURL === null) {
    throw new ProlepsisError('INVALID_CONFIG', `A model of ${provider} needs the address of its API.`, {
      hint: `Set ${ADDRESS[use].how}, such as http://localhost:8000/v1.`,
      details: { setting: ADDRESS[use].setting },
    })
  }
  if (provider === 'openrouter') keyOf(provider, access)
  const { createOpenAICompatible } = await load(provider, () => import('@ai-sdk/openai-compatible'))
  return createOpenAICompatible({
    ...{ name: provider, baseURL, includeUsage: true, supportsStructuredOutputs: true },
    ...(access.key === null ? {} : { apiKey: access.key }),
    fetch: guardedFetch(`${provider}:${model}`),
  })
}

function optionsOf(
  provider: Provider,
  model: string,
  access: ProviderAccess,
): { readonly apiKey: string; readonly baseURL?: string; readonly fetch: typeof fetch } {
  const isKeyless = provider === 'ollama' || provider === 'openai-compatible' || provider === 'openrouter'
  return {
    apiKey: isKeyless ? '' : keyOf(provider, access),
    ...(isKeyless || access.baseUrl === null ? {} : { baseURL: access.baseUrl }),
    fetch: guardedFetch(`${provider}:${model}`),
  }
}

/** @throws ProlepsisError MODEL_KEY_MISSING */
function keyOf(provider: Provider, { key, variable }: Access & Pick<ProviderAccess, 'variable'>): string {
  if (key !== null) return key
  throw new ProlepsisError('MODEL_KEY_MISSING', `The key of ${provider} is not in the environment.`, {
    hint: `Set ${variable}; keys are read from the environment alone.`,
    details: { provider, variable },
  })
}

async function load<T>(provider: Provider, importing: () => Promise<T>): Promise<T> {
  try {
    return await importing()
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!missing) throw cause
    throw new ProlepsisError(
      'PROVIDER_NOT_INSTALLED',
      `The package for models of ${provider} is not installed.`,
      {
        hint: 'Install the dependencies of prolepsis again, optional ones not left out.',
        cause,
        details: { provider },
      },
    )
  }
}
