import type { Settings } from '../config/settings.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import type { ProviderCalls } from '../providers/models.ts'

export interface SpaceIdentity {
  readonly modelId: string
  readonly dimension: number
}

/** The embedding model of a memory, loaded when a call first needs vectors. */
export interface EmbedderSource {
  /**
   * Name and dimension of its vector space; no model is loaded for it.
   *
   * @param known the space of a bank that is opened: a provider's model of that name takes its dimension from it, and asks nobody
   */
  identity(known?: SpaceIdentity): Promise<SpaceIdentity>
  load(): Promise<EmbeddingModel>
  /** Frees the model if it was loaded and is ours. Idempotent. */
  close(): Promise<void>
}

/** The caller's model, which stays the caller's to close. */
export function injectedEmbedder(embedder: EmbeddingModel): EmbedderSource {
  return {
    identity: async () => embedder,
    load: async () => embedder,
    close: async () => undefined,
  }
}

// loaded when needed: a memory with another embedder, or a call without vectors, does without
const localModule = (): Promise<typeof import('../providers/local/local-embedder.ts')> =>
  import('../providers/local/local-embedder.ts')

export function localEmbedder(settings: Pick<Settings, 'modelDir' | 'runtime' | 'threads'>): EmbedderSource {
  const options = {
    runtime: settings.runtime,
    ...(settings.modelDir === null ? {} : { modelDir: settings.modelDir }),
    ...(settings.threads === null ? {} : { threads: settings.threads }),
  }
  let loading: Promise<EmbeddingModel> | null = null
  return {
    identity: async () => (await localModule()).describeLocalModel(options),
    load() {
      if (loading === null) {
        loading = localModule().then((local) => local.createLocalEmbedder(options))
        // a model that could not be loaded is tried again at the next call
        loading.catch(() => {
          loading = null
        })
      }
      return loading
    },
    async close() {
      const model = await loading?.catch(() => null)
      loading = null
      await model?.close()
    },
  }
}

/** An embedding model of a provider, `provider:model`: its dimension is known by a bank that it filled, or by one word that is embedded. */
export function providerEmbedder(name: string, calls: ProviderCalls): EmbedderSource {
  let loading: Promise<EmbeddingModel> | null = null
  let dimension: number | undefined
  const load = (): Promise<EmbeddingModel> => {
    loading ??= import('../providers/models.ts')
      .then(({ createEmbedder }) => createEmbedder(name, calls, dimension))
      .catch((error: unknown) => {
        // a key that is set meanwhile, a provider that answers again: the next call tries again
        loading = null
        throw error
      })
    return loading
  }
  return {
    async identity(known) {
      if (loading === null && known?.modelId === name) dimension ??= known.dimension
      return dimension === undefined ? load() : { modelId: name, dimension }
    },
    load,
    async close() {
      const model = await loading?.catch(() => null)
      await model?.close()
    },
  }
}
