import { createFakeEmbedder } from '../../src/providers/fake/fake-embedder.ts'
import { createInjectedEmbedder } from '../../src/providers/injected-embedder.ts'
import { createLocalEmbedder } from '../../src/providers/local/local-embedder.ts'
import { describeEmbeddingModel } from './embedding-model.ts'

describeEmbeddingModel('local, native', () => createLocalEmbedder({ runtime: 'native' }), { alike: 0.97 })
describeEmbeddingModel('local, wasm', () => createLocalEmbedder({ runtime: 'wasm' }), { alike: 0.97 })
describeEmbeddingModel('fake', async () => createFakeEmbedder())
describeEmbeddingModel('injected', async () => {
  const inner = createFakeEmbedder({ dimension: 32 })
  return createInjectedEmbedder({
    modelId: 'mine',
    dimension: 32,
    countTokens: inner.countTokens,
    embed: async (texts, options) =>
      (await inner.embed(texts, options)).map((vector) => Array.from(vector, (x) => 3 * x)),
  })
})
