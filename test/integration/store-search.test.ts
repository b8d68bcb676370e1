import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Filter } from '../../src/domain/filter.ts'
import type { Database } from '../../src/store/database.ts'
import { peopleOfBank, searchPeople } from '../../src/store/queries/entities.ts'
import { searchLexical, searchLexicalFields } from '../../src/store/queries/lexical-search.ts'
import { termStatistics } from '../../src/store/queries/term-statistics.ts'
import { buildEveryIndex, buildIndexes, listCodeIndexes } from '../../src/store/queries/vector-indexes.ts'
import { scoreVectors, searchVectorKinds, vectorsOfChunks } from '../../src/store/queries/vectors-search.ts'
import { copyVectors, deleteVectors, vectorsByHash } from '../../src/store/queries/vectors-write.ts'
import {
  cosine,
  describeStores,
  makeBank,
  NOW,
  normalised,
  numbers,
  type OpenedStore,
  searchVectors,
  type TestBank,
  type TestChunk,
  termsOf,
  unitVector,
  writeDocument,
} from './store-fixture.ts'

const WORDS = [
  'lantern',
  'harbour',
  'violin',
  'glacier',
  'orchard',
  'compass',
  'thunder',
  'meadow',
  'saffron',
  'granite',
  'feather',
  'marble',
  'whistle',
  'cinnamon',
  'bridge',
  'falcon',
  'pepper',
  'velvet',
  'anchor',
  'walnut',
]

interface Written extends TestChunk {
  readonly chunkId: number
  readonly source: string
  readonly tags: readonly string[]
  readonly vector: Float32Array
}

describeStores('search', (open) => {
  let store: OpenedStore
  let database: Database
  let bank: TestBank
  const written: Written[] = []

  beforeAll(async () => {
    store = await open()
    database = store.database
    bank = await makeBank(database, 'searched')
    // A second bank with the same words and vectors must never show.
    const other = await makeBank(database, 'other')
    const random = numbers(11)
    for (let d = 0; d < 40; d++) {
      const chunks = Array.from({ length: 12 }, (_, c): TestChunk & { vector: Float32Array } => ({
        text: Array.from(
          { length: 3 + Math.floor(random() * 25) },
          () => WORDS[Math.floor(random() ** 2 * 20)],
        ).join(' '),
        vector: unitVector(random),
        ...(c % 3 === 0 ? { speaker: d % 2 === 0 ? 'Ann Lee' : 'Bob' } : {}),
        ...(c % 4 === 0 ? { mentions: ['Carol'] } : {}),
        occurredAt: new Date(Date.UTC(2020, d, 1 + c)),
        cues: [
          { kind: 'statement', text: `the ${WORDS[d % 20]} speaks` },
          { kind: 'statement', text: `about ${WORDS[(d + c) % 20]}` },
        ],
      }))
      const tags = d % 10 === 0 ? ['rare', 'both'] : d % 2 === 0 ? ['even', 'both'] : []
      const document = {
        source: `notes/${d % 4}/${d}_x%.md`,
        tags,
        metadata: { number: d, nested: { odd: d % 2 === 1 } },
        trust: d % 5 === 0 ? ('web' as const) : ('user' as const),
        chunks,
      }
      const { chunkIds } = await writeDocument(database, bank, document, random)
      chunks.forEach((chunk, c) => {
        written.push({ ...chunk, chunkId: chunkIds[c]!, source: document.source, tags })
      })
      if (d < 5) await writeDocument(database, other, document, random)
    }
  })
  afterAll(() => store.close())

  /** BM25 by the book, over what was written. */
  function bm25(query: string): Map<number, number> {
    const lengths = written.map((chunk) => termsOf(chunk.text).length)
    const average = lengths.reduce((sum, length) => sum + length, 0) / written.length
    const scores = new Map<number, number>()
    for (const term of new Set(termsOf(query))) {
      const counts = written.map((chunk) => termsOf(chunk.text).filter((other) => other === term).length)
      const df = counts.filter((count) => count > 0).length
      const idf = Math.log(1 + (written.length - df + 0.5) / (df + 0.5))
      counts.forEach((count, i) => {
        if (count === 0) return
        const gain = (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * lengths[i]!) / average))
        const id = written[i]!.chunkId
        scores.set(id, (scores.get(id) ?? 0) + gain)
      })
    }
    return scores
  }

  const weighted = (query: string): { term: string; weight: number }[] =>
    [...new Set(termsOf(query))].map((term) => ({ term, weight: 1 }))

  test('lexical scores are those of BM25 by the book, in its order', async () => {
    for (const query of ['walnut', 'walnut anchor lantern', 'velvet unknownword harbour harbour']) {
      const expected = [...bm25(query)].sort((a, b) => b[1] - a[1] || a[0] - b[0])
      const { hits, truncatedTerms } = await searchLexical(database, bank.bankId, {
        field: 0,
        terms: weighted(query),
        filter: {},
        limit: 25,
      })
      expect(truncatedTerms).toEqual([])
      expect(hits).toHaveLength(Math.min(25, expected.length))
      for (const [rank, hit] of hits.entries()) {
        expect(hit.score).toBeCloseTo(expected[rank]![1], 4)
        expect(hit.score).toBeCloseTo(bm25(query).get(hit.chunkId)!, 4)
      }
    }
  })

  test('weights multiply, and terms past the budget are named and left out', async () => {
    const one = await searchLexical(database, bank.bankId, {
      field: 0,
      terms: [{ term: termsOf('walnut')[0]!, weight: 1 }],
      filter: {},
      limit: 5,
    })
    const half = await searchLexical(database, bank.bankId, {
      field: 0,
      terms: [{ term: termsOf('walnut')[0]!, weight: 0.5 }],
      filter: {},
      limit: 5,
    })
    expect(half.hits[0]!.score).toBeCloseTo(one.hits[0]!.score / 2, 4)
    const cut = await searchLexical(database, bank.bankId, {
      field: 0,
      terms: weighted('walnut lantern'),
      filter: {},
      limit: 5,
      postingsBudget: 10,
    })
    expect(cut.truncatedTerms).toEqual(termsOf('lantern'))
    expect(cut.hits).toEqual(one.hits)
  })

  test('fields are apart, and several go in one call', async () => {
    const query = weighted('speaks')
    const [body, cue] = await searchLexicalFields(
      database,
      bank.bankId,
      [
        { field: 0, terms: query },
        { field: 1, terms: query },
      ],
      {
        ...{ filter: {}, limit: 10 },
        statistics: await termStatistics(
          database,
          bank.bankId,
          query.map(({ term }) => term),
        ),
      },
    )
    expect(body!.hits).toEqual([])
    expect(cue!.hits).toHaveLength(10)
    expect(await searchLexical(database, bank.bankId, { field: 0, terms: [], filter: {}, limit: 5 })).toEqual(
      {
        hits: [],
        truncatedTerms: [],
      },
    )
  })

  const FILTERS: readonly [string, Filter, (chunk: Written) => boolean][] = [
    ['none', {}, () => true],
    [
      'any tag, untagged pass',
      { tags: { any: ['rare'] } },
      (c) => c.tags.length === 0 || c.tags.includes('rare'),
    ],
    ['any tag, strict', { tags: { any: ['rare'], strict: true } }, (c) => c.tags.includes('rare')],
    ['all tags', { tags: { all: ['rare', 'both'], strict: true } }, (c) => c.tags.includes('rare')],
    ['no tag', { tags: { none: ['both'] } }, (c) => !c.tags.includes('both')],
    ['metadata', { where: { nested: { odd: true } } }, (c) => Number(/(\d+)_/.exec(c.source)![1]) % 2 === 1],
    ['source prefix', { source: 'notes/3/' }, (c) => c.source.startsWith('notes/3/')],
    ['source prefix is literal', { source: 'notes/3/%' }, () => false],
    ['source prefix with _', { source: 'notes/1/1_x%' }, (c) => c.source.startsWith('notes/1/1_x%')],
    ['trust', { minTrust: 'user' }, (c) => Number(/(\d+)_/.exec(c.source)![1]) % 5 !== 0],
    ['people', { people: [' ann  LEE'] }, (c) => c.speaker === 'Ann Lee'],
    ['people named', { people: ['Carol', 'Bob'] }, (c) => c.speaker === 'Bob' || c.mentions !== undefined],
    [
      'time',
      { during: { from: new Date(Date.UTC(2020, 2, 1)), to: new Date(Date.UTC(2020, 2, 4)) } },
      (c) =>
        c.occurredAt! >= new Date(Date.UTC(2020, 2, 1)) && c.occurredAt! < new Date(Date.UTC(2020, 2, 4)),
    ],
    ['as of before', { asOf: new Date(NOW.getTime() - 1) }, () => false],
    ['as of then', { asOf: NOW }, () => true],
    ['nothing', { tags: { all: ["'; drop table chunks; --"], strict: true } }, () => false],
  ]

  test.each(FILTERS)('filter inside every channel: %s', async (_name, filter, passes) => {
    const query = 'lantern harbour violin glacier'
    const expected = [...bm25(query)]
      .filter(([id]) => passes(written.find((chunk) => chunk.chunkId === id)!))
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    const { hits } = await searchLexical(database, bank.bankId, {
      field: 0,
      terms: weighted(query),
      filter,
      limit: 30,
    })
    expect(hits).toHaveLength(Math.min(30, expected.length))
    for (const [rank, hit] of hits.entries()) expect(hit.score).toBeCloseTo(expected[rank]![1], 4)

    const vector = unitVector(numbers(77))
    const nearest = written
      .filter(passes)
      .map((chunk) => ({ chunkId: chunk.chunkId, score: cosine(vector, chunk.vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 10)
    const found = await searchVectors(database, bank, 'content', vector, 10, filter)
    expect(found).toHaveLength(nearest.length)
    // Candidates are chosen by code among those that pass; over so few the best is never missed.
    if (nearest[0] !== undefined) expect(found[0]!.chunkId).toBe(nearest[0].chunkId)
    for (const hit of found) {
      const chunk = written.find((other) => other.chunkId === hit.chunkId)!
      expect(passes(chunk)).toBe(true)
      expect(hit.score).toBeCloseTo(cosine(vector, chunk.vector), 5)
    }
    const shared = found.filter((hit) => nearest.some((best) => best.chunkId === hit.chunkId))
    expect(shared.length).toBeGreaterThanOrEqual(Math.floor(nearest.length * 0.8))

    const people = await peopleOfBank(database, bank.bankId)
    const spoken = await searchPeople(database, bank.bankId, {
      entityIds: people.map((person) => person.entityId),
      filter,
      limit: 1000,
    })
    const named = written.filter((chunk) => passes(chunk) && (chunk.speaker ?? chunk.mentions) !== undefined)
    expect(spoken.map((hit) => hit.chunkId).sort()).toEqual(named.map((chunk) => chunk.chunkId).sort())
  })

  test('people are told with their counts; speakers score above those named', async () => {
    const people = await peopleOfBank(database, bank.bankId)
    const count = (passes: (chunk: Written) => boolean): number => written.filter(passes).length
    expect(
      people.map(({ name, norm, isSpeaker, mentionCount }) => ({ name, norm, isSpeaker, mentionCount })),
    ).toEqual(
      expect.arrayContaining([
        {
          name: 'Ann Lee',
          norm: 'ann lee',
          isSpeaker: true,
          mentionCount: count((c) => c.speaker === 'Ann Lee'),
        },
        {
          name: 'Carol',
          norm: 'carol',
          isSpeaker: false,
          mentionCount: count((c) => c.mentions !== undefined),
        },
      ]),
    )
    const ids = people.filter((person) => person.name !== 'Ann Lee').map((person) => person.entityId)
    const hits = await searchPeople(database, bank.bankId, { entityIds: ids, filter: {}, limit: 500 })
    for (const hit of hits) {
      const chunk = written.find((other) => other.chunkId === hit.chunkId)!
      expect(hit.score).toBe((chunk.speaker === 'Bob' ? 1 : 0) + (chunk.mentions === undefined ? 0 : 0.5))
    }
    expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a))
  })

  test('MaxSim over several query vectors and several vectors of a chunk; scores agree with scoreVectors', async () => {
    const random = numbers(5)
    const vectors = [unitVector(random), unitVector(random)]
    const found = await searchVectorKinds(database, bank.bankId, bank.space, {
      vectors,
      kinds: ['content', 'statement', 'question'],
      filter: {},
      limit: 20,
    })
    expect(found.get('question')).toEqual([])
    const content = found.get('content')!
    expect(content).toHaveLength(20)
    for (const hit of content) {
      const chunk = written.find((other) => other.chunkId === hit.chunkId)!
      expect(hit.score).toBeCloseTo(Math.max(...vectors.map((v) => cosine(v, chunk.vector))), 5)
    }
    const ids = found.get('statement')!.map((hit) => hit.chunkId)
    expect(new Set(ids).size).toBe(20)
    const exact = await scoreVectors(database, bank.bankId, bank.space, {
      vectors,
      kinds: ['statement'],
      chunkIds: ids,
    })
    for (const hit of found.get('statement')!) {
      const same = exact.find((row) => row.chunkId === hit.chunkId)!
      expect(same.score).toBeCloseTo(hit.score, 5)
      expect(same.ordinal).toBe(hit.ordinal)
    }
  })

  test('vectors come back exactly, by chunk and by text hash', async () => {
    const some = written.slice(0, 3)
    const vectors = await vectorsOfChunks(
      database,
      bank.bankId,
      bank.space,
      some.map((c) => c.chunkId),
      'content',
    )
    for (const chunk of some) expect(vectors.get(chunk.chunkId)).toEqual(chunk.vector)
    const hash = Buffer.from(`${some[0]!.chunkId}/content/0`.padEnd(16, '.').slice(0, 16)).toString('hex')
    const cached = await vectorsByHash(database, bank.bankId, bank.space, [hash, '00'.repeat(16)])
    expect([...cached.keys()]).toEqual([hash])
    expect(cached.get(hash)).toEqual(some[0]!.vector)
  })

  test('an index, a waiting tail and deletions give the same answers as no index', async () => {
    const random = numbers(21)
    const centres = Array.from({ length: 30 }, () => unitVector(random))
    const clustered = (): Float32Array => {
      const noise = unitVector(random)
      return normalised(centres[Math.floor(random() * 30)]!.map((value, i) => value + 0.9 * noise[i]!))
    }
    const { chunkIds } = await writeDocument(database, bank, {
      source: 'many',
      chunks: [{ text: 'many vectors', vector: clustered() }],
    })
    const chunkId = chunkIds[0]!
    const before = await statistics(database, bank, 4)
    const add = (from: number, count: number): Promise<number> =>
      database.transaction((tx) =>
        copyVectors(
          tx,
          bank.bankId,
          bank.space,
          Array.from({ length: count }, (_, i) => ({
            chunkId,
            kind: 'concept' as const,
            ordinal: from + i,
            textHash: (from + i).toString(16).padStart(32, '0'),
            vector: clustered(),
          })),
        ),
      )
    await add(0, 1500)
    const result = await buildIndexes(database, bank.space, { mostWaiting: 1000 })
    expect(result).toEqual({ built: [expect.stringMatching(/_hnsw_\d+_4$/)], indexed: 1500, done: true })
    expect(await listCodeIndexes(database, bank.space)).toEqual([
      { name: result.built[0], bankId: bank.bankId, kind: 4, valid: true },
    ])
    await add(1500, 1400)
    expect(await statistics(database, bank, 4)).toEqual({ vectors: before.vectors + 2900, indexed: 1500 })
    // Half of those that wait go in, 200 at a time.
    const more = await buildEveryIndex(database, { mostWaiting: 1200 })
    expect(more).toEqual({ built: [], indexed: 800, done: true })
    expect(await statistics(database, bank, 4)).toEqual({ vectors: before.vectors + 2900, indexed: 2300 })
    const best = await database.query<{ ordinal: number }>(
      `select v.ordinal from vectors_${bank.space.spaceId} v where v.bank_id = $1 and v.kind = 4
       order by v.embedding <=> (select embedding from vectors_${bank.space.spaceId} where bank_id = $1 and kind = 4 and ordinal = 2800)`,
      [bank.bankId],
    )
    const cached = await vectorsByHash(database, bank.bankId, bank.space, [
      (2800).toString(16).padStart(32, '0'),
      (3).toString(16).padStart(32, '0'),
    ])
    for (const [hash, vector] of cached) {
      const hits = await searchVectors(database, bank, 'concept', vector, 5)
      expect(hits).toHaveLength(1)
      expect(hits[0]!.ordinal).toBe(Number.parseInt(hash, 16))
      expect(hits[0]!.score).toBeCloseTo(1, 5)
    }
    expect(best[0]!.ordinal).toBe(2800)
    // A build that was broken off is taken up again.
    await database.execute(`drop index "${result.built[0]}"`)
    expect((await buildIndexes(database, bank.space, { bankId: bank.bankId })).built).toEqual(result.built)
    expect((await buildIndexes(database, bank.space, { bankId: bank.bankId })).built).toEqual([])
    await database.transaction((tx) => deleteVectors(tx, bank.bankId, bank.space, [chunkId], ['concept']))
    expect(await statistics(database, bank, 4)).toEqual({ vectors: before.vectors, indexed: 0 })
    expect(await searchVectors(database, bank, 'concept', centres[0]!, 5)).toEqual([])
  })
})

async function statistics(
  database: Database,
  bank: TestBank,
  kind: number,
): Promise<{ vectors: number; indexed: number }> {
  const rows = await database.query<{ vectors: number; indexed: number }>(
    `select vector_count as vectors, indexed_count as indexed from vector_statistics
     where bank_id = $1 and space_id = $2 and kind = $3`,
    [bank.bankId, bank.space.spaceId, kind],
  )
  return rows[0] ?? { vectors: 0, indexed: 0 }
}
