import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCrossEncoder, createMemory, type Memory, type MemoryOptions } from '../../src/index.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { useTestMemory } from '../support/test-memory.ts'

/** Its logit: equal tokens of question and passage; see its test. */
const TINY = fileURLToPath(
  new URL('../../src/providers/rerank/__fixtures__/tiny-cross-encoder/', import.meta.url),
)
const QUESTION = 'Who eats the red apple every day?'
const TEXTS = {
  'cat.md': 'The cat sleeps on the sofa.',
  'pear.md': 'The green pear tree grows in the garden.',
  'apple.md': 'The cat eats the red apple every day.',
}

async function fill(memory: Memory): Promise<Memory> {
  for (const [source, content] of Object.entries(TEXTS)) await memory.retain(content, { source })
  return memory
}

describe('a reranking model by name or by hand', () => {
  let memory: Memory | undefined
  afterEach(() => memory?.close())
  const open = async (options: MemoryOptions): Promise<Memory> => {
    memory = await createMemory({ inMemory: true, embedder: createFakeEmbedder(), enrich: false, ...options })
    return fill(memory)
  }

  test('a cross-encoder from a folder orders by its logits', async () => {
    const found = await (await open({ reranker: `local:${TINY}` })).recall(QUESTION, { rerank: true })
    expect(found.degraded).toEqual([])
    expect(found.passages[0]?.source).toBe('apple.md')
    const logits = found.passages.map(({ parts }) => parts.rerank ?? 0)
    // who, eats, the (×2), red, apple, every, day meet; the full stop does not; one closing mark; nine tokens and the mark
    expect(logits[0]).toBeCloseTo(8 - 0.1, 4)
    expect(logits).toEqual([...logits].sort((a, b) => b - a))
  })

  test('one that the caller made stays the caller’s', async () => {
    const reranker = await createCrossEncoder({ modelDir: TINY })
    const found = await (await open({ reranker })).recall(QUESTION, { rerank: { top: 3 } })
    expect(found.passages[0]?.parts.rerank).toBeCloseTo(7.9, 4)
    await memory?.close()
    expect(await reranker.rerank({ query: 'apple', documents: ['apple'] })).toHaveLength(1)
    await reranker.close()
  })

  test('a folder that is none is told at the recall, which keeps its order', async () => {
    const found = await (await open({ reranker: 'local:/nowhere/at-all' })).recall(QUESTION, { rerank: true })
    expect(found.passages).toHaveLength(3)
    expect(found.degraded).toEqual([expect.stringMatching(/^rerank: MODEL_NOT_FOUND .*model\.onnx/)])
  })

  test('a model that never ends is waited for as long as models are', async () => {
    const reranker = () => new Promise<readonly number[]>(() => undefined)
    const opened = await open({ reranker, modelTimeoutMs: 5 })
    const found = await opened.recall(QUESTION, { rerank: true })
    expect(found.passages).toHaveLength(3)
    expect(found.degraded).toEqual([expect.stringMatching(/^rerank: MODEL_TIMEOUT/)])
  })
})

describe('reranking by a bank', () => {
  const asked: string[] = []
  const tested = useTestMemory({
    reranker: ({ query, documents }) => {
      asked.push(query)
      return documents.map((text) => (text.includes('pear') ? 1 : 0))
    },
  })
  beforeEach(() => {
    asked.length = 0
  })

  test('is a setting of its own, which a call can switch off', async () => {
    const bank = await fill(tested.bank())
    expect((await bank.recall(QUESTION)).passages[0]?.source).toBe('apple.md')
    expect(asked).toEqual([])
    await bank.banks.configure(bank.name, { rerank: { top: 3 } })
    expect((await bank.recall(QUESTION)).passages[0]?.source).toBe('pear.md')
    expect((await bank.recall(QUESTION, { rerank: false })).passages[0]?.source).toBe('apple.md')
    expect(asked).toEqual([QUESTION])
  })
})

describe('a grading model by name', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'grader-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('its calls are the bank’s; a recording that lacks the request leaves the order', async () => {
    const file = join(folder, 'calls.jsonl')
    writeFileSync(file, '')
    await using memory = await createMemory({
      ...{ inMemory: true, embedder: createFakeEmbedder(), reranker: `grader:replay:${file}` },
    })
    await fill(memory)
    const found = await memory.recall(QUESTION, { rerank: true })
    expect(found.passages).toHaveLength(3)
    expect(found.degraded).toEqual([expect.stringMatching(/^rerank: RECORDING_MISSING/)])
    const told = async (): Promise<string> => JSON.stringify(await memory.events.trace(found.traceId))
    expect(await told()).toContain('"purpose":"rerank"')
    expect(await told()).toContain('pear tree grows')
    await memory.forget({ source: 'pear.md' })
    expect(await told()).not.toContain('pear tree grows')
  })
})
