import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLocalEmbedder, createMemory, type EmbeddingModel, type Memory } from '../../src/index.ts'

// Fusion is trained on chats and on encyclopaedic passages. Here it meets what it was not trained on: documentation, code, banks of
// one to five texts, chat and code side by side. The shipped embedder, real texts of this repository.

const ROOT = join(import.meta.dirname, '../..')
const DOCUMENTS = [
  ...['CONTRIBUTING.md', 'docs/architecture.md', 'docs/glossary.md', 'docs/errors.md'],
  ...['docs/decisions/0001-node-floor.md', 'docs/decisions/0003-lock-and-owner.md'],
  ...['docs/decisions/0004-embedder.md', 'docs/decisions/0005-parsers.md'],
  ...['docs/decisions/0020-text-analysis.md', 'migrations/000001-init.sql'],
  ...['src/math/bm25.ts', 'src/math/knapsack.ts', 'src/math/logistic.ts', 'src/math/decay.ts'],
  ...['src/domain/analysis/time-questions.ts', 'src/retain/chunk/chat-time.ts'],
]

/** A question, where its answer stands, and words of the passage that answers it. */
type Case = readonly [question: string, source: string, answer: RegExp]

const DOCUMENT_CASES: readonly Case[] = [
  ['Which version of Node is needed at least?', 'docs/decisions/0001-node-floor.md', /20\.19/],
  ['Which library reads PDF files?', 'docs/decisions/0005-parsers.md', /unpdf/],
  ['Why is Markdown read by a scanner of our own?', 'docs/decisions/0005-parsers.md', /scanner of blocks/],
  ['Which stemmer is used for English?', 'docs/decisions/0020-text-analysis.md', /porter2/i],
  ['Why is the list of stop words short?', 'docs/decisions/0020-text-analysis.md', /a short list/],
  [
    'Which package stems languages other than English?',
    'docs/decisions/0020-text-analysis.md',
    /@orama\/stemmers/,
  ],
  ['Why does every text not run alone through the model?', 'docs/decisions/0004-embedder.md', /batch|alone/],
  [
    'How much slower is WebAssembly than the native runtime?',
    'docs/decisions/0004-embedder.md',
    /five times/,
  ],
  ['what does tombstone mean', 'docs/glossary.md', /tombstone/],
  ['What is a cue?', 'docs/glossary.md', /cue \|/],
  ['Which folders may the recall code import?', 'CONTRIBUTING.md', /may import/],
  ['Where is process.env allowed?', 'CONTRIBUTING.md', /process\.env/],
  ['Which style rules are there for exports and return types?', 'CONTRIBUTING.md', /Named exports only/],
  ['Which error says that the disk is full?', 'docs/errors.md', /STORE_FULL/],
  ['What does MODEL_MISMATCH mean?', 'docs/errors.md', /MODEL_MISMATCH/],
  ['What happens when the process that holds the data folder ends?', 'docs/architecture.md', /takes over/],
  ['Which table holds the people and the speakers?', 'docs/architecture.md', /entities/],
  ['What does STORE_READ_ONLY mean?', 'docs/errors.md', /STORE_READ_ONLY/],
  ['How are texts batched for the model?', 'docs/decisions/0004-embedder.md', /Batches/],
  ['Where do I start to read the source?', 'docs/architecture.md', /src\/memory\.ts/],
  ['Are mocks and sleeps allowed in tests?', 'CONTRIBUTING.md', /no sleeps/],
  ['Which grammar is used for .h files?', 'docs/decisions/0005-parsers.md', /`\.h` files/],
  ['What happens in which order when a text is retained?', 'docs/architecture.md', /extract → chunk/],
]

const CODE_CASES: readonly Case[] = [
  ['inverse document frequency formula', 'src/math/bm25.ts', /inverseDocumentFrequency/],
  ['function that fits a logistic regression', 'src/math/logistic.ts', /fitLogistic/],
  ['sigmoid without overflow', 'src/math/logistic.ts', /sigmoid/],
  ['How is the 0/1 knapsack solved?', 'src/math/knapsack.ts', /knapsack/i],
  ['half-life of a memory in days', 'src/math/decay.ts', /loses half|halfLifeDays/],
  [
    'where is it decided whether a question asks for a time',
    'src/domain/analysis/time-questions.ts',
    /asksForTime/,
  ],
  ['create table postings', 'migrations/000001-init.sql', /create table postings/],
]

const CHAT = `Ann: I adopted a puppy last weekend, a beagle. We call him Biscuit.
Ben: Lovely! My sister moved to Lisbon in March, so I may get her cat.
Ann: What does she do there?
Ben: She teaches piano at a music school near the river.
Ann: I am training for the half marathon in October, by the way.
Ben: Then we should run on Sunday. My knee has healed since the surgery.
Ann: The build of our app fails since Tuesday, the linker finds no zlib.
Ben: I fixed that yesterday: the Docker image lacked zlib1g-dev.`

const MIXED_CASES: readonly Case[] = [
  ["What is the name of Ann's dog?", 'chat.txt', /Biscuit/],
  ["Where does Ben's sister live?", 'chat.txt', /Lisbon/],
  ['Which instrument does she teach at the music school?', 'chat.txt', /piano/],
  ['Which race is Ann preparing for?', 'chat.txt', /half marathon/],
  ['Why did the build fail?', 'chat.txt', /zlib/],
  ['sigmoid function', 'logistic.ts', /sigmoid/],
  ['Which stemmer do we use for English?', 'analysis.md', /porter2/i],
]

const SMALL: readonly (readonly [source: string, text: string])[] = [
  ['kelly.md', 'Kelly was born on March 4th 1990.'],
  ['router.md', 'The router has to be restarted after a power cut.'],
  ['soup.md', 'Lentil soup: fry onions, add red lentils, cumin and stock, simmer for twenty minutes.'],
  ['rent.md', 'The rent is 1,150 euros and is due on the third working day of the month.'],
  ['bike.md', "Tom's bicycle is in the cellar; the key hangs behind the kitchen door."],
]

const SMALL_CASES: readonly Case[] = [
  ["when's Kelly's birthday?", 'kelly.md', /March/],
  ['The internet does not work since the lights went out. What can I do?', 'router.md', /restarted/],
  ['What do I need for cooking lentils?', 'soup.md', /cumin/],
  ['How much do we pay for the flat?', 'rent.md', /1,150/],
  ['Where can I find the key of the bike?', 'bike.md', /kitchen door/],
]

const NONSENSE: readonly string[] = [
  'What is the boiling point of tungsten hexafluoride?',
  'Who won the football world cup in 1966?',
  'How do I knit a cable stitch with circular needles?',
  'Which whale dives deepest in the Antarctic?',
  'xqzzt frobnicate wibble',
]

let embedder: EmbeddingModel
let memory: Memory
beforeAll(async () => {
  embedder = await createLocalEmbedder()
  memory = await createMemory({ inMemory: true, embedder })
})
afterAll(async () => {
  await memory?.close()
  await embedder?.close()
})

async function bankOf(
  name: string,
  texts: readonly (readonly [source: string, text: string])[],
): Promise<Memory> {
  const bank = memory.bank(name, { createIfMissing: true })
  const items = texts.map(([source, content]) => ({
    ...{ content, source },
    ...(source.startsWith('chat') ? { mediaType: 'text/x-chat', occurredAt: '2026-05-04' } : {}),
  }))
  for await (const result of bank.retainMany(items)) {
    if (result.status === 'failed') throw new Error(`${result.source} was not retained`)
  }
  return bank
}

const read = async (path: string, source = path): Promise<readonly [string, string]> => [
  source,
  await readFile(join(ROOT, path), 'utf8'),
]

/** The cases whose first passage is not the one that answers, for the message of a failure. */
async function missed(bank: Memory, cases: readonly Case[]): Promise<string[]> {
  const found: string[] = []
  for (const [question, source, answer] of cases) {
    const [first] = (await bank.recall(question, { receipt: false, limit: 5 })).passages
    if (first?.source === source && answer.test(first.text)) continue
    found.push(`${question} → ${first?.ref} (${first?.score.toFixed(2)})`)
  }
  return found
}

async function bestScore(bank: Memory, question: string): Promise<number> {
  return (await bank.recall(question, { receipt: false })).passages[0]?.score ?? 0
}

describe('recall on what fusion was not trained on', () => {
  it('puts the right passage first in nine of ten questions over documentation and code', async () => {
    const bank = await bankOf('docs', await Promise.all(DOCUMENTS.map((path) => read(path))))
    const cases = [...DOCUMENT_CASES, ...CODE_CASES]
    const wrong = await missed(bank, cases)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(cases.length / 10)
    for (const question of NONSENSE) expect(await bestScore(bank, question), question).toBeLessThan(0.2)
  })

  it('finds chat among code and prose, and code among chat', async () => {
    const bank = await bankOf('mixed', [
      ['chat.txt', CHAT],
      await read('src/math/logistic.ts', 'logistic.ts'),
      await read('docs/decisions/0020-text-analysis.md', 'analysis.md'),
    ])
    expect(await missed(bank, MIXED_CASES)).toEqual([])
    for (const question of NONSENSE) expect(await bestScore(bank, question), question).toBeLessThan(0.2)
  })

  it('ranks a bank of two to five short texts, and is surer of an answer than of nonsense', async () => {
    for (const size of [2, 3, 5]) {
      const bank = await bankOf(`small-${size}`, SMALL.slice(0, size))
      const cases = SMALL_CASES.slice(0, size)
      expect(await missed(bank, cases)).toEqual([])
      const answered = await Promise.all(cases.map(([question]) => bestScore(bank, question)))
      const unanswered = await Promise.all(NONSENSE.map((question) => bestScore(bank, question)))
      expect(Math.min(...answered), `${size} texts`).toBeGreaterThan(Math.max(...unanswered))
      expect(Math.max(...unanswered)).toBeLessThan(0.2)
      expect(Math.max(...answered)).toBeGreaterThan(0.5)
    }
  })

  it('says of a single text how likely it answers', async () => {
    const bank = await bankOf('single', SMALL.slice(0, 1))
    const asked = await bestScore(bank, 'When was Kelly born?')
    expect(asked).toBeGreaterThan(0.3)
    for (const question of NONSENSE) expect(await bestScore(bank, question), question).toBeLessThan(asked / 3)
  })
})
