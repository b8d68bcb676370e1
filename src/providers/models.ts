import type { LanguageModel } from './language-model.ts'
import { parseModelName } from './model-name.ts'
import { LANGUAGE_PROVIDERS, type Provider, type ProviderAccess } from './provider-access.ts'

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

/** `FILE:provider:model`: a file may hold colons (`C:\\…`), so the model is what begins with the last provider. */
function recordingOf(text: string): { readonly file: string; readonly name: string } {
  const names = LANGUAGE_PROVIDERS.join('|')
  const found = new RegExp(`^(.+):((?:${names}):.+)$`).exec(text)
  if (found !== null) return { file: found[1]!, name: found[2]! }
  const colon = text.indexOf(':')
  // no known provider: the name's own check says so
  return { file: text.slice(0, colon), name: text.slice(colon + 1) }
}
