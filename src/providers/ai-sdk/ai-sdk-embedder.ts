import type { AttemptWorld } from '../calls/attempts.ts'
import type { CallPolicy } from '../calls/call-policy.ts'
import { withinLimits } from '../calls/within-limits.ts'
import type { EmbeddingModel, EmbedOptions } from '../embedding-model.ts'
import { createInjectedEmbedder } from '../injected-embedder.ts'
import { modelErrorOf } from '../model-errors.ts'
import type { ModelName } from '../model-name.ts'
import type { EmbeddingProvider, ProviderAccess } from '../provider-access.ts'
import { errorContext } from './error-context.ts'
import { embeddingVendor } from './vendors.ts'

export interface AiSdkEmbedderOptions {
  readonly name: ModelName<EmbeddingProvider>
  readonly access: ProviderAccess
  readonly world: AttemptWorld
  readonly policy: Pick<CallPolicy, 'attempts' | 'timeoutMs'>
  /** Where it is known, nothing is embedded to find it out. */
  readonly dimension?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Texts in one call, whatever the vendor allows: a reply of thousands of vectors takes long, and is lost whole. */
const MAX_TEXTS = 96

/**
 * A provider's embedding model through the AI SDK, under the policy of all models. Its dimension is found out by embedding one word.
 *
 * @throws ProlepsisError MODEL_KEY_MISSING, PROVIDER_NOT_INSTALLED, INVALID_CONFIG; MODEL_REFUSED, MODEL_UNAVAILABLE, MODEL_TIMEOUT, CANCELLED
 */
export async function createAiSdkEmbedder(options: AiSdkEmbedderOptions): Promise<EmbeddingModel> {
  const { name, access, world, policy } = options
  const { model, maxTokens, purposes } = await embeddingVendor(name.provider, name.model, access)
  const context = errorContext(name, access)
  const { modelId } = context
  const embed = (texts: readonly string[], { purpose, signal }: EmbedOptions): Promise<number[][]> =>
    // a query is somebody's who waits
    withinLimits(
      world,
      { modelId, interactive: purpose === 'query', ...policy, signal },
      async (abortSignal) => {
        try {
          const providerOptions = purposes[purpose]
          const { embeddings } = await model.doEmbed({
            ...{ values: [...texts], abortSignal },
            ...(providerOptions === undefined ? {} : { providerOptions }),
          })
          return embeddings
        } catch (thrown) {
          throw modelErrorOf(thrown, context)
        }
      },
    )
  const dimension =
    options.dimension ??
    (await embed(['dimension'], { purpose: 'symmetric', signal: options.signal }))[0]?.length ??
    0
  const most = (await model.maxEmbeddingsPerCall) ?? MAX_TEXTS
  return createInjectedEmbedder({
    ...{ modelId, dimension, maxTokens, embed },
    maxTextsPerCall: Math.min(most, MAX_TEXTS),
  })
}
