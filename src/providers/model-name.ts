import { ProlepsisError } from '../domain/errors.ts'
import { nearestName } from '../domain/nearest-name.ts'

export interface ModelName<Provider extends string = string> {
  readonly provider: Provider
  /** What stands after the first colon. */
  readonly model: string
}

/**
 * `provider:model` in its parts.
 *
 * @throws ProlepsisError PROVIDER_UNKNOWN for a name without provider or model, and for a provider that is not among `providers`; it names the nearest
 */
export function parseModelName<Provider extends string>(
  name: string,
  providers: readonly Provider[],
): ModelName<Provider> {
  const colon = name.indexOf(':')
  const given = colon < 0 ? name : name.slice(0, colon)
  const model = colon < 0 ? '' : name.slice(colon + 1).trim()
  const provider = providers.find((known) => known === given)
  if (provider !== undefined && model !== '') return { provider, model }
  const list = `Providers: ${providers.join(', ')}.`
  const details = { name, providers }
  if (provider !== undefined) {
    throw new ProlepsisError('PROVIDER_UNKNOWN', `The model "${name}" names a provider and no model.`, {
      hint: `Write provider:model, such as ${EXAMPLES[provider] ?? `${provider}:NAME`}. ${list}`,
      details,
    })
  }
  const likely = colon < 0 ? ownerOf(name, providers) : nearestName(given, providers)
  const nearest = likely ?? nearestName(given, providers)
  throw new ProlepsisError(
    'PROVIDER_UNKNOWN',
    colon < 0
      ? `The model "${name}" is named without its provider.`
      : `There is no provider "${given}" (model "${name}").`,
    {
      hint: `${nearest === null ? '' : `Did you mean "${nearest}:${colon < 0 ? (nearest === name ? 'MODEL' : name) : model || 'MODEL'}"? `}${list}`,
      details: { ...details, ...(nearest === null ? {} : { nearest }) },
    },
  )
}

const EXAMPLES: Readonly<Record<string, string>> = {
  anthropic: 'anthropic:claude-sonnet-4-5',
  openai: 'openai:gpt-5-mini',
  google: 'google:gemini-2.5-flash',
  mistral: 'mistral:mistral-small-latest',
  groq: 'groq:llama-3.3-70b-versatile',
  openrouter: 'openrouter:anthropic/claude-sonnet-4.5',
  ollama: 'ollama:llama3.2',
  cohere: 'cohere:rerank-v3.5',
}

/** Whose a model is whose name tells it. */
function ownerOf<Provider extends string>(name: string, providers: readonly Provider[]): Provider | null {
  const owners: readonly (readonly [RegExp, string])[] = [
    [/^claude/i, 'anthropic'],
    [/^(gpt|o[0-9]|chatgpt|text-embedding-[0-9a])/i, 'openai'],
    [/^(gemini|gemma)/i, 'google'],
    [/^(mi[sx]tral|codestral|magistral|ministral)/i, 'mistral'],
    [/^[\w.-]+\/[\w.:-]+$/, 'openrouter'],
    [/^rerank/i, 'cohere'],
    [/^(llama|qwen|phi|smollm)/i, 'ollama'],
  ]
  const owner = owners.find(([pattern]) => pattern.test(name))?.[1]
  return providers.find((provider) => provider === owner) ?? null
}
