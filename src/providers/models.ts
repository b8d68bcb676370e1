import type { AttemptWorld } from './calls/attempts.ts'
import type { CallPolicy } from './calls/call-policy.ts'
import type { EmbeddingModel } from './embedding-model.ts'
import type { LanguageModel } from './language-model.ts'
import type { ModelCalls } from './model-calls.ts'
import { parseModelName } from './model-name.ts'
import {
  EMBEDDING_PROVIDERS,
  LANGUAGE_PROVIDERS,
  type LanguageProvider,
  type Provider,
  type ProviderAccess,
  RERANKING_PROVIDERS,
} from './provider-access.ts'
import type { CrossEncoderOptions } from './rerank/cross-encoder.ts'
import type { RerankingModel } from './reranking-model.ts'

/** How providers are reached, by name: asked only for the one that is named. */
export type AccessOf = (provider: Provider) => ProviderAccess

const LANGUAGE_NAMES = [...LANGUAGE_PROVIDERS, 'replay', 'record'] as const

/**
 * Checks the name of a language model without loading anything.
 *
 * @throws ProlepsisError PROVIDER_UNKNOWN
 */
export function checkLanguageModelName(name: string): void {
  const { provider, model } = parseModelName(name, LANGUAGE_NAMES)
  if (provider === 'record') checkLanguageModelName(recordingOf(model).name)
}

/** Whose API a language model is asked through; null for a recording, which asks nobody. @throws ProlepsisError PROVIDER_UNKNOWN */
export function languageProviderOf(name: string): LanguageProvider | null {
  const { provider, model } = parseModelName(name, LANGUAGE_NAMES)
  if (provider === 'record') return languageProviderOf(recordingOf(model).name)
  return provider === 'replay' ? null : provider
}

/**
 * The language model of a name: `provider:model`, `replay:FILE`, or `record:FILE:provider:model`. What it needs is loaded now, and nothing else.
 *
 * @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING, INVALID_CONFIG, UNREADABLE_FILE
 */
export async function createLanguageModel(name: string, access: AccessOf): Promise<LanguageModel> {
  const { provider, model } = parseModelName(name, LANGUAGE_NAMES)
  if (provider === 'replay') {
    const { createReplayModel } = await import('./replay/replay-model.ts')
    return createReplayModel(model)
  }
  if (provider === 'record') {
    const recording = recordingOf(model)
    const { createRecordingModel } = await import('./replay/recording-model.ts')
    return createRecordingModel(await createLanguageModel(recording.name, access), recording.file)
  }
  const { createAiSdkLanguageModel } = await import('./ai-sdk/ai-sdk-language-model.ts')
  return createAiSdkLanguageModel({ provider, model }, access(provider))
}

/** `FILE:provider:model`: a file may hold colons (`C:\\…`), and so may a model (`ollama:mistral:7b`): the model is what begins with the first provider. */
function recordingOf(text: string): { readonly file: string; readonly name: string } {
  const names = LANGUAGE_PROVIDERS.join('|')
  const found = new RegExp(`^(.+?):((?:${names}):.+)$`).exec(text)
  if (found !== null) return { file: found[1]!, name: found[2]! }
  const colon = text.indexOf(':')
  // no known provider: the name's own check says so
  return { file: text.slice(0, colon), name: text.slice(colon + 1) }
}

/** @throws ProlepsisError PROVIDER_UNKNOWN */
export function checkEmbedderName(name: string): void {
  parseModelName(name, EMBEDDING_PROVIDERS)
}

export interface ProviderCalls {
  readonly access: AccessOf
  readonly world: AttemptWorld
  readonly policy: Pick<CallPolicy, 'attempts' | 'timeoutMs'>
}

/**
 * The embedding model of a name, `provider:model`.
 *
 * @param dimension where it is known; else one word is embedded to find it out
 * @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING, INVALID_CONFIG; MODEL_REFUSED, MODEL_UNAVAILABLE, MODEL_TIMEOUT
 */
export async function createEmbedder(
  name: string,
  { access, world, policy }: ProviderCalls,
  dimension?: number,
): Promise<EmbeddingModel> {
  const parsed = parseModelName(name, EMBEDDING_PROVIDERS)
  const { createAiSdkEmbedder } = await import('./ai-sdk/ai-sdk-embedder.ts')
  return createAiSdkEmbedder({ name: parsed, access: access(parsed.provider), world, policy, dimension })
}

const RERANKER_NAMES = [...RERANKING_PROVIDERS, 'local', 'grader'] as const

/** @throws ProlepsisError PROVIDER_UNKNOWN */
export function checkRerankerName(name: string): void {
  const { provider, model } = parseModelName(name, RERANKER_NAMES)
  if (provider === 'grader') checkLanguageModelName(model)
}

export interface RerankerCalls extends ProviderCalls {
  /** Calls of the language model of that name for the bank: what `grader:` grades with. */
  readonly calls: (name: string) => Promise<ModelCalls>
  /** How a cross-encoder is run. */
  readonly local: Omit<CrossEncoderOptions, 'modelDir'>
}

/**
 * The reranking model of a name: `cohere:…`, `local:FOLDER` of a cross-encoder, `grader:provider:model`.
 *
 * @throws ProlepsisError PROVIDER_UNKNOWN, PROVIDER_NOT_INSTALLED, MODEL_KEY_MISSING, MODEL_NOT_FOUND
 */
export async function createReranker(name: string, options: RerankerCalls): Promise<RerankingModel> {
  const { provider, model } = parseModelName(name, RERANKER_NAMES)
  if (provider === 'local') {
    const { createCrossEncoder } = await import('./rerank/cross-encoder.ts')
    return createCrossEncoder({ ...options.local, modelDir: model })
  }
  if (provider === 'grader') {
    const { createGraderReranker } = await import('./rerank/grader.ts')
    return createGraderReranker({ calls: await options.calls(model) })
  }
  const [{ createAiSdkReranker }, { limitedReranker }] = await Promise.all([
    import('./ai-sdk/ai-sdk-reranker.ts'),
    import('./calls/limited-reranker.ts'),
  ])
  const { access, world, policy } = options
  return limitedReranker(await createAiSdkReranker({ provider, model }, access(provider)), world, policy)
}
