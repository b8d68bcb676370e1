/**
 * job-worker FOLDER MODE [TEXTS]: a memory on the folder whose model says the first words of each passage that it is asked about, as `asked …`.
 *
 * `retain`: retains TEXTS texts, says `ready`, and works until nothing is in line. `work`: works until nothing is in line. `hang N`: retains one
 * text of many sections and answers the first N calls, says `hung` and answers no more. All say `done` at the end.
 */
import { createMemory } from '../../../src/index.ts'
import { createFakeEmbedder } from '../../../src/testing.ts'
import { passagesIn, writeFromWords } from '../writing-model.ts'

const [folder = '', mode = '', count = '0'] = process.argv.slice(2)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const letter = (n: number): string => String.fromCharCode(97 + n)
const nameOf = (n: number): string => `animal${letter(Math.floor(n / 26))}${letter(n % 26)}x`
let calls = 0
const memory = await createMemory({
  dataDir: folder,
  embedder: createFakeEmbedder(),
  worker: false,
  modelConcurrency: 2,
  model: {
    modelId: 'test:writer',
    async generate({ prompt }) {
      if (mode === 'hang' && ++calls > Number(count)) {
        say('hung')
        return new Promise<string>(() => undefined)
      }
      const passages = passagesIn(prompt)
      for (const { text } of passages) say(`asked ${/animal[a-z]{2}x/.exec(text)?.[0] ?? text}`)
      return JSON.stringify(writeFromWords(passages))
    },
  },
})
if (mode === 'retain') {
  for (let n = 0; n < Number(count); n++) {
    const name = nameOf(n)
    await memory.retain(`The ${name} of the valley lives below the ${name} bridge.`, { source: `${name}.md` })
  }
  say('ready')
}
if (mode === 'hang') {
  const sections = Array.from({ length: 40 }, (_, n) => {
    const name = nameOf(n)
    return `## ${name}\n\nThe ${name} of our zoo sleeps in house ${n} and eats ${name}berries every morning before the gates open to visitors from ${name}town, who bring ${name}cake, ${name}bread, ${name}honey.\n`
  })
  await memory.retain(`# The zoo\n\n${sections.join('\n')}`, { source: 'zoo.md' })
  say('ready')
}
await memory.jobs.run({ until: 'idle' })
await memory.close()
say('done')
