import { type ErrorContext, withoutSecrets } from '../model-errors.ts'
import type { ModelName } from '../model-name.ts'
import type { Provider, ProviderAccess } from '../provider-access.ts'
import { defaultBaseUrl } from './vendors.ts'

/** What an error of this model may show, and what not. */
export function errorContext({ provider, model }: ModelName<Provider>, access: ProviderAccess): ErrorContext {
  const baseUrl = access.baseUrl ?? defaultBaseUrl(provider)
  return {
    modelId: `${provider}:${model}`,
    baseUrl: baseUrl === null ? undefined : withoutSecrets(baseUrl),
    secrets: access.key === null ? [] : [access.key],
  }
}
