import { createLocalEmbedder } from '../local-embedder.ts'

const how = process.argv[2]
const texts = Array.from({ length: 500 }, (_, i) => `text ${i} ${'word '.repeat(200)}`)

createLocalEmbedder({ runtime: 'native', maxBatchTokens: 1 }).then(async (embedder) => {
  await embedder.load()
  void embedder.embed(texts, { purpose: 'symmetric' })
  await embedder.embed(['its answer shows that the other call is under way'], { purpose: 'symmetric' })
  setImmediate(() => {
    if (how === 'uncaught') throw new Error('the host failed')
    process.exit(7)
  })
})
