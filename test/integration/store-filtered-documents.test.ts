import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatherEvidence } from '../../src/answer/evidence.ts'
import type { Filter } from '../../src/domain/filter.ts'
import { chunksOfDocument } from '../../src/store/queries/chunks.ts'
import { chunksThatPass } from '../../src/store/queries/filter-check.ts'
import { type FilteredDocument, filteredDocuments } from '../../src/store/queries/filtered-documents.ts'
import { openTestBank, type TestBank } from '../support/recall-bank.ts'

let bank: TestBank
beforeAll(async () => {
  bank = await openTestBank()
  for (let i = 0; i < 5; i++) {
    await bank.retain(`# One\n\nText ${i} of a note.\n\n# Two\n\nMore of note ${i}.`, {
      ...{ source: `notes/${i}`, tags: i % 2 === 0 ? ['even'] : ['odd'], trust: i < 2 ? 'web' : 'user' },
      occurredAt: new Date(Date.UTC(2023, i, 15)),
    })
  }
  await bank.retain('An older text.', { source: 'changed' })
  await bank.retain('A newer text.', { source: 'changed' })
  await bank.retain(
    [
      { role: 'user', name: 'Ana', content: 'I was in Rome.', at: '2022-01-01T00:00:00Z' },
      { role: 'user', name: 'Bo', content: 'I stayed at home.', at: '2022-06-01T00:00:00Z' },
    ],
    { source: 'chat' },
  )
})
afterAll(() => bank.close())

async function all(filter: Filter, limit: number): Promise<FilteredDocument[]> {
  const found: FilteredDocument[] = []
  for (;;) {
    const after = found.at(-1)?.documentId ?? 0
    const page = await filteredDocuments(bank.database, bank.store.bankId, filter, { after, limit })
    expect(page.length).toBeLessThanOrEqual(limit)
    if (page.length === 0) return found
    found.push(...page)
  }
}

const at = (iso: string): Date => new Date(iso)
test.each<[string, Filter, string[]]>([
  ['nothing', {}, ['notes/0', 'notes/1', 'notes/2', 'notes/3', 'notes/4', 'changed', 'chat']],
  ['a tag', { tags: { any: ['odd'], strict: true } }, ['notes/1', 'notes/3']],
  ['trust', { minTrust: 'user', source: 'notes/' }, ['notes/2', 'notes/3', 'notes/4']],
  ['a time', { during: { from: at('2023-02-01'), to: at('2023-04-01') } }, ['notes/1', 'notes/2']],
  ['a person', { people: ['Bo'] }, ['chat']],
  ['a time of one turn', { during: { to: at('2022-03-01') } }, ['chat']],
])(
  'pages of documents that pass a filter by %s hold each once, whatever their size',
  async (_name, filter, sources) => {
    for (const limit of [1, 2, 100]) {
      expect((await all(filter, limit)).map(({ source }) => source)).toEqual(sources)
    }
  },
)

test('a document passes when one of its chunks does, and counts those within the time', async () => {
  const { database, store } = bank
  const filter = { during: { to: at('2022-03-01') } }
  const [chat] = await all(filter, 10)
  const chunks = await chunksOfDocument(database, store.bankId, chat!.documentId)
  const ids = chunks.map(({ chunkId }) => chunkId)
  const passing = await chunksThatPass(database, store.bankId, filter, ids)
  expect(chat).toMatchObject({
    chunks: 1,
    tokens: chunks.find(({ chunkId }) => passing.has(chunkId))!.tokens,
  })
  const [whole] = (await all({ source: 'chat' }, 10)).slice(-1)
  expect(whole).toMatchObject({ chunks: 2, tokens: chunks.reduce((sum, { tokens }) => sum + tokens, 0) })
})

test('evidence has neighbours within the budget, in reading order, and a text of two places once, from the more trusted', async () => {
  const own = await openTestBank({ database: bank.database, name: 'evidence' })
  await own.retain('Copied word for word.', { source: 'page', trust: 'web' })
  await own.retain('Copied word for word.', { source: 'mine', trust: 'user' })
  const said = ['One.', 'Two.', 'Three.', 'Four.'].map((content) => ({ role: 'user', name: 'Ana', content }))
  await own.retain(said, { source: 'chat' })
  const [page, mine, chat] = await filteredDocuments(
    own.database,
    own.store.bankId,
    {},
    { after: 0, limit: 9 },
  )
  const idsOf = async (document: FilteredDocument | undefined): Promise<number[]> =>
    (await chunksOfDocument(own.database, own.store.bankId, document!.documentId)).map(
      ({ chunkId }) => chunkId,
    )
  const turns = await idsOf(chat)
  const ranked = [turns[2]!, ...(await idsOf(page)), ...(await idsOf(mine))]
  const refs = async (tokenBudget: number, expand: number): Promise<string[]> =>
    (await gatherEvidence(own.store, ranked, { expand, tokenBudget })).map(({ id, ref }) => `${id} ${ref}`)
  expect(await refs(1000, 1)).toEqual(['1 chat#2', '2 chat#3', '3 chat#4', '4 mine#1'])
  expect(await refs(1000, 0)).toEqual(['1 chat#3', '2 mine#1'])
  expect(await refs(1, 1)).toEqual(['1 chat#3', '2 mine#1'])
  await own.close()
})
