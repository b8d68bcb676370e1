import { createLocalEmbedder } from '../local-embedder.ts'

createLocalEmbedder().then(async (embedder) => {
  const [vector] = await embedder.embed(['a text'], { purpose: 'symmetric' })
  process.stdout.write(`${vector?.length}\n`)
  if (process.argv[2] === 'close') await embedder.close()
})
