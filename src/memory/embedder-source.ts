import type { Settings } from '../config/settings.ts'
import type { EmbeddingModel } from '../providers/embedding-model.ts'

/** The embedding model of a memory, loaded when a call first needs vectors. */
export interface EmbedderSource {
  /** Name and dimension of its vector space; nothing is loaded for it. */
  identity(): Promise<{ readonly modelId: string; readonly dimension: number }>
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
