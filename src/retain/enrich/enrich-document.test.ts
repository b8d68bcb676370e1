import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestBank, type TestBank } from '../../../test/support/recall-bank.ts'
import { createWritingModel, type WritingModel, writeFromWords } from '../../../test/support/writing-model.ts'
import type { Database } from '../../store/database.ts'
import { openStore } from '../../store/open.ts'
import { chunksOfDocument } from '../../store/queries/chunks.ts'
import { cuesOfChunks } from '../../store/queries/cues.ts'
import { INTEGRITY_CHECKS } from '../../store/queries/integrity.ts'
import { type EnrichOptions, enrichDocument } from './enrich-document.ts'

let database: Database
let banks = 0
beforeAll(async () => {
  database = await openStore({ memory: true })
})
afterAll(() => database.close())

const openBank = (): Promise<TestBank> => openTestBank({ database, name: `bank-${++banks}` })
const depsOf = (bank: TestBank, model: WritingModel) => ({
  ...bank.deps,
  maxTextBytes: 1e7,
  enrichment: null,
  model,
})

function enrich(bank: TestBank, model: WritingModel, id: number, options: Partial<EnrichOptions> = {}) {
  return enrichDocument(depsOf(bank, model), id, { traceId: 'trace', ...options })
}

async function cuesOf(bank: TestBank, documentId: number, origin = 'model') {
  const chunks = await chunksOfDocument(database, bank.store.bankId, documentId)
  const cues = await cuesOfChunks(
    database,
    bank.store.bankId,
    chunks.map(({ chunkId }) => chunkId),
  )
  return cues.filter((cue) => cue.origin === origin)
}

async function questionsOf(bank: TestBank, documentId: number): Promise<string[]> {
  return (await cuesOf(bank, documentId)).filter(({ kind }) => kind === 'question').map(({ text }) => text)
}

async function assertSound(bank: TestBank): Promise<void> {
  for (const check of INTEGRITY_CHECKS) {
    expect([check.name, await check.count(database, bank.store)]).toEqual([check.name, 0])
  }
}

const ANIMALS = ['walrus', 'badger', 'falcon', 'gecko', 'heron', 'ibex', 'jackal', 'koala', 'lemur', 'marmot']
const section = (name: string): string =>
  `## The ${name}\n\nThe ${name} of our zoo sleeps in house ${name.length * 7} and eats ${name}berries every morning before the gates open to visitors from ${name}town.\n\n`
const zoo = (names: readonly string[] = ANIMALS): string => `# The zoo\n\n${names.map(section).join('')}`

describe('enriching a document', () => {
  test('each chunk gets questions, a statement and concepts, which are found by vector and by word', async () => {
    const bank = await openBank()
    const { document, chunks } = await bank.retain(zoo(), { source: 'zoo.md' })
    const model = createWritingModel(writeFromWords)
    const result = await enrich(bank, model, document.documentId)
    expect(result).toMatchObject({
      chunks,
      asked: chunks,
      reused: 0,
      written: chunks,
      dropped: 0,
      kept: chunks,
    })
    expect(result.usage.inputTokens).toBe(100 * model.calls.length)
    expect(model.calls.every(({ documentIds }) => documentIds?.[0] === document.documentId)).toBe(true)
    const cues = await cuesOf(bank, document.documentId)
    expect(cues).toHaveLength(3 * chunks)
    expect(cues.every(({ embedded }) => embedded)).toBe(true)
    await assertSound(bank)
  })

  test('a second run asks nothing; another version pays for what changed; another source pays nothing', async () => {
    const bank = await openBank()
    const first = await bank.retain(zoo(), { source: 'zoo.md' })
    const model = createWritingModel(writeFromWords)
    await enrich(bank, model, first.document.documentId)
    const paid = model.calls.length
    expect(await enrich(bank, model, first.document.documentId)).toMatchObject({ asked: 0, reused: 0 })
    expect(model.calls).toHaveLength(paid)

    const changed = await bank.retain(zoo().replace('house 28', 'house 29'), { source: 'zoo.md' })
    const second = await enrich(bank, model, changed.document.documentId)
    expect(second).toMatchObject({ asked: 1, reused: changed.chunks - 1 })
    expect(model.calls.at(-1)!.passages).toEqual([
      expect.objectContaining({ text: expect.stringContaining('29') }),
    ])

    const other = await bank.retain(zoo(), { source: 'copy.md' })
    expect(await enrich(bank, model, other.document.documentId)).toMatchObject({
      asked: 0,
      reused: other.chunks,
    })
    expect(model.calls).toHaveLength(paid + 1)
    expect(await questionsOf(bank, other.document.documentId)).toEqual(
      await questionsOf(bank, first.document.documentId),
    )
    await assertSound(bank)
  })
})
