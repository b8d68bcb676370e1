import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMemory, type Memory } from '../../src/index.ts'
import type { EmbeddingModel } from '../../src/providers/embedding-model.ts'
import { createHashingEmbedder } from '../support/hashing-embedder.ts'
import { createTestDatabase, serverUrl, type TestDatabase } from '../support/postgres.ts'
import { storeOf } from '../support/store-of.ts'
import { codeOf, collect } from '../support/test-memory.ts'

const named = (modelId: string, dimension: number): EmbeddingModel & { calls(): number } => ({
  ...createHashingEmbedder(dimension),
  modelId,
})
const clock = { now: () => Date.UTC(2024, 0, 1) }
const small = named('small', 48)
const large = named('large', 96)

let server: TestDatabase | undefined
let memory: Memory
let banks = 0
const bank = (of: Memory = memory): Memory => of.bank(`bank-${++banks}`, { createIfMissing: true })
beforeAll(async () => {
  server = serverUrl === undefined ? undefined : await createTestDatabase()
  memory = await open(small)
})
afterAll(async () => {
  await memory?.close()
  await server?.drop()
})

/** Without a server all memories would have a store of their own: tests of several take a folder. */
function open(embedder: EmbeddingModel): Promise<Memory> {
  const where = server === undefined ? { inMemory: true } : { databaseUrl: server.databaseUrl }
  return createMemory({ ...where, embedder, clock, modelConcurrency: 1 })
}

const TEXTS: readonly (readonly [source: string, text: string])[] = [
  [
    'kelly.md',
    '# Kelly\n\nKelly was born on March 4th 1990 in Oslo.\n\n## Work\n\nKelly repairs violins in Bergen.',
  ],
  ['ship.md', 'The lighthouse keeper counts the ships of the harbour every evening.'],
  ['bread.md', 'Bread is baked with rye flour and walnuts on Fridays.'],
]
const QUESTIONS = ['when was Kelly born?', 'who counts the ships?', 'what is baked on Fridays?']

async function filled(of: Memory = memory): Promise<Memory> {
  const its = bank(of)
  for (const [source, content] of TEXTS) await its.retain(content, { source })
  // a superseded version, and a caller's question
  await its.retain(`${TEXTS[2]?.[1]} It keeps for a week.`, {
    source: 'bread.md',
    questions: ['how long does the bread keep?'],
  })
  return its
}

/** What the bank answers now, with scores. */
async function answers(its: Memory): Promise<unknown> {
  const all: unknown[] = []
  for (const question of QUESTIONS) {
    const { passages, degraded } = await its.recall(question, { receipt: false })
    expect(degraded).toEqual([])
    all.push(passages.map(({ ref, score, text }) => [ref, score, text]))
  }
  return all
}

const faults = async (its: Memory): Promise<unknown> => (await its.doctor()).findings.filter((one) => !one.ok)

describe('a migration', () => {
  test('fills a space beside the active one, cuts over, backs out and drops; recall is the same at every step before', async () => {
    const its = await filled()
    const before = await answers(its)
    expect(await its.embedder.status()).toMatchObject({
      migration: 'none',
      spaces: [{ state: 'active', missing: 0 }],
    })

    const steps: number[] = []
    const recalled: unknown[] = []
    const migrated = await its.embedder.migrate({
      to: {
        ...large,
        embed: async (texts, how) => {
          // after the cut-over recalls themselves embed with it
          if (steps.at(-1) !== 1) recalled.push(await answers(its))
          return large.embed(texts, how)
        },
      },
      onProgress: (done, total) => void steps.push(done / total),
    })
    expect(migrated).toMatchObject({
      status: 'filled',
      documents: 4,
      settings: null,
      active: { modelId: 'small', missing: 0 },
      other: { modelId: 'large', state: 'shadow', missing: 0 },
    })
    expect(migrated.vectors).toBe(migrated.active.vectors)
    expect(migrated.other.vectors).toBe(migrated.active.vectors)
    expect(steps.at(-1)).toBe(1)
    expect(recalled.length).toBeGreaterThan(2)
    for (const one of [...recalled, await answers(its)]) expect(one).toEqual(before)
    expect(await its.embedder.status()).toMatchObject({ migration: 'complete' })
    expect(await faults(its)).toEqual([])

    expect(await its.embedder.cutOver()).toMatchObject({
      status: 'cut-over',
      active: { modelId: 'large', state: 'active' },
      other: { modelId: 'small', state: 'retired' },
    })
    // the memory has both models, and goes on with the one that the bank has now
    const after = await answers(its)
    expect((await its.stats()).bank).toMatchObject({ modelId: 'large', dimension: 96 })
    const texts = (await its.recall(QUESTIONS[0]!)).passages.map(({ text }) => text)
    expect(texts[0]).toContain('1990')
    expect(await faults(its)).toEqual([])

    // what is written now lacks vectors of the old model, and gets them before the way back
    await its.retain('Kelly was born again, in spirit, in May.', { source: 'spirit.md' })
    await its.forget({ source: 'ship.md' })
    const back = await its.embedder.backOut()
    expect(back).toMatchObject({
      status: 'backed-out',
      documents: 1,
      active: { modelId: 'small', missing: 0 },
    })
    expect((await its.recall('who was born in spirit?', { mode: 'semantic' })).passages[0]?.source).toBe(
      'spirit.md',
    )
    expect(await faults(its)).toEqual([])

    const dropped = await its.embedder.drop()
    expect(dropped).toMatchObject({ modelId: 'large' })
    expect(dropped.vectors).toBeGreaterThan(0)
    expect(await its.embedder.status()).toMatchObject({ migration: 'none', spaces: [{ modelId: 'small' }] })
    expect(await faults(its)).toEqual([])
    expect(after).not.toEqual(before)
  })

  test('does not touch text, chunks or cues: the cut of the old model stays', async () => {
    const its = await filled()
    const refs = async (): Promise<unknown> => {
      const { database, bankId } = await storeOf(its)
      return database.query(
        'select chunk_id, document_id, ordinal, text from chunks where bank_id = $1 order by 1',
        [bankId],
      )
    }
    const before = await refs()
    await its.embedder.migrate({ to: { ...large, modelId: 'narrow', maxTokens: 16 }, cutOver: true })
    expect(await refs()).toEqual(before)
    expect(await faults(its)).toEqual([])
  })

  test('takes in what is written, asked, changed, removed and forgotten while it runs', async () => {
    const its = await filled()
    let round = 0
    const meanwhile = [
      () => its.retain('A comet passed the observatory in June.', { source: 'comet.md' }),
      () => its.retain(TEXTS[1]![1], { source: 'ship.md', questions: ['how many ships are there?'] }),
      () => its.retain('# Kelly\n\nKelly was born on March 4th 1990 in Rome.', { source: 'kelly.md' }),
      () => its.forget({ source: 'bread.md' }),
      () => its.forget({ ref: 'kelly.md@1#2' }),
      () => its.retain(TEXTS[1]![1], { source: 'ship.md', title: 'The harbour', questions: [] }),
    ]
    const result = await its.embedder.migrate({
      to: {
        ...named('busy', 96),
        embed: async (texts, how) => {
          await meanwhile[round++]?.()
          return large.embed(texts, how)
        },
      },
    })
    expect(round).toBeGreaterThanOrEqual(meanwhile.length)
    expect(result.other).toMatchObject({ missing: 0, vectors: result.active.vectors })
    await its.embedder.cutOver()
    expect(await faults(its)).toEqual([])
    expect((await its.recall('comet', { mode: 'semantic' })).passages[0]?.source).toBe('comet.md')
    expect(JSON.stringify(await answers(its))).not.toContain('walnuts')
    const { database, bankId } = await storeOf(its)
    for (const { spaceId } of await database.query<{ spaceId: number }>(
      'select space_id as "spaceId" from bank_spaces where bank_id = $1',
      [bankId],
    )) {
      const lost = await database.query(
        `select from vectors_${spaceId} v where v.bank_id = $1 and not exists (select from chunks c where c.bank_id = $1 and c.chunk_id = v.chunk_id)`,
        [bankId],
      )
      expect(lost).toEqual([])
    }
  })

  test('retains that run beside the cut-over are all kept, and found by vectors', async () => {
    const its = await filled()
    await its.embedder.migrate({ to: large })
    const retained: Promise<unknown>[] = []
    let n = 0
    const write = (): void => {
      retained.push(its.retain(`Note ${n} tells of gadget${n}.`, { source: `note-${n++}` }))
    }
    for (let i = 0; i < 5; i++) write()
    const switching = its.embedder.migrate({ cutOver: true, onProgress: () => n < 15 && write() })
    for (let i = 0; i < 15; i++) write()
    expect(await switching).toMatchObject({ status: 'cut-over', active: { modelId: 'large' } })
    for (let i = 0; i < 5; i++) write()
    await Promise.all(retained)
    expect((await its.documents({ sourcePrefix: 'note-', limit: 500 })).length).toBe(n)
    for (const i of [0, 7, n - 1]) {
      const { passages } = await its.recall(`gadget${i}`, { mode: 'semantic', limit: 3 })
      expect(passages.map(({ source }) => source)).toContain(`note-${i}`)
    }
    expect(await faults(its)).toEqual([])
  })

  test('cut short, it goes on where it ended', async () => {
    const its = await filled()
    const stop = new AbortController()
    let embedded = 0
    const counting: EmbeddingModel = {
      ...named('resumed', 96),
      embed: (texts, how) => {
        embedded += texts.length
        return large.embed(texts, how)
      },
    }
    const cut = its.embedder.migrate({
      to: counting,
      signal: stop.signal,
      onProgress: (done) => done === 2 && stop.abort(),
    })
    expect(await codeOf(cut)).toBe('CANCELLED')
    const status = await its.embedder.status()
    expect(status.migration).toBe('filling')
    expect(status.spaces[1]?.missingDocuments).toBe(2)
    const done = await its.embedder.migrate()
    expect(done).toMatchObject({ documents: 2, other: { missing: 0 } })
    expect(embedded).toBeLessThanOrEqual(done.other.vectors)
  })

  test('rebuild-index of the active space keeps the vectors of texts that stay in the shadow', async () => {
    const its = await filled()
    await its.embedder.migrate({ to: large })
    await its.rebuildIndex()
    expect(await its.embedder.status()).toMatchObject({ migration: 'complete' })
    await its.retain(TEXTS[1]![1], { source: 'ship.md', title: 'Ships', questions: ['how many?'] })
    const { migration, spaces } = await its.embedder.status()
    expect(migration).toBe('filling')
    expect(spaces[1]?.missingDocuments).toBe(1)
    expect(await its.embedder.migrate()).toMatchObject({ documents: 1 })
  })

  test('rebuild-index --reembed embeds anew with the model that the bank was moved to', async () => {
    const its = await filled()
    await its.embedder.migrate({ to: large, cutOver: true })
    const before = await answers(its)
    await its.rebuildIndex({ reembed: true })
    const { spaces } = await its.embedder.status()
    expect(spaces.map(({ modelId, state }) => [modelId, state])).toEqual([
      ['large', 'active'],
      ['small', 'retired'],
    ])
    expect(await answers(its)).toEqual(before)
    expect(await faults(its)).toEqual([])
  })

  test('retainMany and import go on in the space that the bank is moved to meanwhile', async () => {
    const its = await filled()
    await its.embedder.migrate({ to: large })
    const items = async function* (): AsyncGenerator<{ content: string; source: string }> {
      for (let i = 0; i < 100; i++) {
        if (i === 70) await its.embedder.migrate({ cutOver: true })
        yield { content: `Note ${i} tells of gadget${i}.`, source: `note-${i}` }
      }
    }
    const results = []
    for await (const result of its.retainMany(items())) results.push(result.status)
    expect(results).toHaveLength(100)
    expect(results).not.toContain('failed')

    const lines = await collect(its.export())
    const copy = bank()
    await copy.retain('There is a bank.', { source: 'first' })
    await copy.embedder.migrate({ to: large })
    let moved = false
    const onProgress = async (): Promise<void> => {
      if (moved) return
      moved = true
      moving = copy.embedder.migrate({ cutOver: true })
    }
    let moving: Promise<unknown> = Promise.resolve()
    await copy.import(lines, { onProgress })
    await moving
    expect(await copy.embedder.status()).toMatchObject({ spaces: [{ modelId: 'large', missing: 0 }, {}] })
    for (const one of [its, copy]) {
      for (const i of [0, 63, 80, 99]) {
        const { passages } = await one.recall(`gadget${i}`, { mode: 'semantic', limit: 3 })
        expect(passages.map(({ source }) => source)).toContain(`note-${i}`)
      }
      expect(await faults(one)).toEqual([])
    }
  })

  test('goes to a model of more than 2,000 dimensions', async () => {
    const its = await filled()
    const wide = named('wide', 3072)
    await its.embedder.migrate({ to: wide, cutOver: true })
    expect((await its.recall(QUESTIONS[1]!, { mode: 'semantic' })).passages[0]?.source).toBe('ship.md')
    expect(await faults(its)).toEqual([])
  })
})

describe('what cannot be done', () => {
  test('is refused with its reason', async () => {
    const its = await filled()
    expect(await codeOf(its.embedder.migrate())).toBe('NOT_FOUND')
    expect(await codeOf(its.embedder.migrate({ to: small }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(its.embedder.migrate({ to: '' }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(its.embedder.migrate({ to: {} }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(its.embedder.cutOver())).toBe('NOT_FOUND')
    expect(await codeOf(its.embedder.backOut())).toBe('NOT_FOUND')
    expect(await codeOf(its.embedder.drop())).toBe('NOT_FOUND')
    expect(await codeOf(its.embedder.compare())).toBe('NOT_FOUND')
    await its.embedder.migrate({ to: large })
    expect(await codeOf(its.embedder.migrate({ to: named('third', 32) }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(its.embedder.drop({ space: 'small' }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(its.embedder.drop({ space: 'nothing' }))).toBe('NOT_FOUND')
    expect(await codeOf(its.embedder.backOut())).toBe('NOT_FOUND')
  })

  test('a space that is dropped, or a bank that is deleted, while it is filled', async () => {
    const during = (act: () => Promise<unknown>): EmbeddingModel => {
      let acted = false
      return {
        ...large,
        embed: async (texts, how) => {
          if (!acted) {
            acted = true
            await act()
          }
          return large.embed(texts, how)
        },
      }
    }
    const its = await filled()
    const dropped = its.embedder.migrate({ to: { ...during(() => its.embedder.drop()), modelId: 'dropped' } })
    await expect(dropped).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('dropped'),
    })
    expect(await its.jobs.counts()).toMatchObject({ waiting: 0, running: 0, dead: 0 })
    expect(await its.embedder.status()).toMatchObject({ migration: 'none' })
    expect(await faults(its)).toEqual([])

    const gone = await filled()
    const target = { ...during(() => memory.banks.delete(`bank-${banks}`)), modelId: 'deleted' }
    expect(await codeOf(gone.embedder.migrate({ to: target }))).toBe('BANK_NOT_FOUND')
  })

  test('an address that holds a secret is refused, and not repeated', async () => {
    const its = await filled()
    for (const embedderBaseUrl of [
      'http://ann:hunter2@127.0.0.1:1/v1',
      'http://127.0.0.1:1/v1?key=hunter2',
      'http://127.0.0.1:1/v1#hunter2',
      'hunter2',
      'ftp://hunter2/v1',
    ]) {
      const to = { embedder: 'openai-compatible:m', embedderBaseUrl }
      const error = await its.embedder.migrate({ to }).catch((one: unknown) => one)
      expect(error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { option: 'embedderBaseUrl' } })
      expect(`${JSON.stringify(error)} ${String(error)}`).not.toContain('hunter2')
    }
    const error = await its.embedder.migrate({ to: 'openai-compatible:m' }).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'INVALID_CONFIG', hint: expect.stringContaining('--base-url') })
  })

  test('a target that fails half-way, or gives another dimension, leaves the active space as it was', async () => {
    const its = await filled()
    const before = await answers(its)
    let calls = 0
    const failing: EmbeddingModel = {
      ...named('failing', 96),
      embed: (texts, how) =>
        ++calls > 2 ? Promise.reject(new Error('no more money')) : large.embed(texts, how),
    }
    await expect(its.embedder.migrate({ to: failing })).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringMatching(/^2 documents could not be embedded/),
    })
    const left = await its.jobs.list({ kind: 'embed', state: 'waiting' })
    expect(left.map(({ errorCode }) => errorCode)).toContain('MODEL_FAILED')
    expect(await answers(its)).toEqual(before)
    await expect(its.embedder.cutOver()).rejects.toMatchObject({
      code: 'MIGRATION_INCOMPLETE',
      details: { documents: 2 },
    })
    await its.embedder.drop()
    expect(await answers(its)).toEqual(before)
    const lying: EmbeddingModel = { ...named('lying', 50), embed: (texts, how) => large.embed(texts, how) }
    expect(await codeOf(its.embedder.migrate({ to: lying }))).toBe('MODEL_FAILED')
    expect(await answers(its)).toEqual(before)
    expect(await faults(its)).toEqual([])
  })
})

test('compare asks both spaces what was recalled, and writes nothing', async () => {
  const its = await filled()
  for (const question of QUESTIONS) await its.recall(question)
  await its.recall(QUESTIONS[0]!)
  await its.embedder.migrate({ to: large })
  const { receipts } = await its.stats()
  const compared = await its.embedder.compare()
  expect(compared).toMatchObject({
    queries: 3,
    active: { modelId: 'small', state: 'active', missing: 0 },
    other: { modelId: 'large', state: 'shadow', missing: 0 },
  })
  for (const { overlap, rankBiasedOverlap, sameFirst } of [compared.dense, compared.recall]) {
    for (const share of [overlap, rankBiasedOverlap, sameFirst]) {
      expect(share).toBeGreaterThan(0)
      expect(share).toBeLessThanOrEqual(1)
    }
  }
  expect(compared.active.embeddingMs).toBeGreaterThan(0)
  expect((await its.stats()).receipts).toBe(receipts)

  const same = await its.embedder.compare({ queries: ['Kelly'], n: 1 })
  expect(same.queries).toBe(1)
  expect(await codeOf(its.embedder.compare({ queries: [''] }))).toBe('INVALID_ARGUMENT')
})
