import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createMemory, type RecallResult } from '../../src/index.ts'
import { createRecordingModel } from '../../src/providers/replay/recording-model.ts'
import { createFakeEmbedder } from '../../src/testing.ts'
import { useTestStore } from './run-cli.ts'

const CROSS_ENCODER = fileURLToPath(
  new URL('../../src/providers/rerank/__fixtures__/tiny-cross-encoder/', import.meta.url),
)
const HISTORY = [
  { role: 'user', content: 'Where does Ana live?' },
  { role: 'assistant', content: 'In Lisbon.' },
]
const MESSAGE = 'And her brother?'

const store = useTestStore()
beforeAll(async () => {
  await store.run(['retain', 'Ana’s brother Carl lives in Braga.', '--source', 'carl.md'])
  await store.run(['retain', 'The cat eats the red apple every day.', '--source', 'apple.md'])
  await writeFile(
    join(store.folder, 'chat.jsonl'),
    HISTORY.map((message) => `${JSON.stringify(message)}\n`).join(''),
  )
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe('recall formulates', () => {
  test('by the model, and --why shows the questions that went out', async () => {
    const file = join(store.folder, 'calls.jsonl')
    const generate = (): string => JSON.stringify({ questions: ['Where does Ana’s brother live?'] })
    const writer = { modelId: 'test:writer', generate: async () => ({ text: generate(), ...REPLY }) }
    await using recorded = await createMemory({
      ...{ inMemory: true, embedder: createFakeEmbedder(), enrich: false },
      model: await createRecordingModel(writer, file),
    })
    await recorded.recall({ message: MESSAGE, history: HISTORY })

    vi.stubEnv('PROLEPSIS_MODEL', `replay:${file}`)
    const asking = [MESSAGE, '--history', 'chat.jsonl']
    const run = await store.run(['recall', ...asking, '--why'])
    expect(run.out).toMatch(
      /^asked \(by the model, \d+ ms\):\n {3}And her brother\?\n {3}Where does Ana’s brother live\?$/m,
    )
    const byRules = await store.run(['recall', ...asking, '--why', '--formulator', 'rules'])
    expect(byRules.out).toMatch(/^asked \(by rules\):\n {3}And her brother\?\n(?! {3}Where)/m)
    const unknown = (await store.json(['recall', 'And her sister?'])).json<RecallResult>()
    expect(unknown.formulation).toMatchObject({ by: 'rules', errorKind: 'unavailable' })
    expect(unknown.degraded[0]).toContain('RECORDING_MISSING')
  })

  test('by your own questions', async () => {
    const run = await store.run(['recall', MESSAGE, '--query', 'Where does Carl live?', '--why'])
    expect(run.out).toContain('asked (by you):')
    expect(await store.run(['recall', MESSAGE, '--formulator', 'magic'])).toMatchObject({ code: 2 })
  })
})

describe('recall reranks', () => {
  const QUESTION = 'Who eats the red apple every day?'

  test('when asked to, and --why shows what the model gave', async () => {
    vi.stubEnv('PROLEPSIS_RERANKER', `local:${CROSS_ENCODER}`)
    const run = await store.run(['recall', '--rerank', QUESTION, '--why'])
    expect(run.out).toContain('reranked 7.900')
    const receipt = /receipt (\S+)/.exec(run.out)?.[1] ?? ''
    const explained = await store.run(['explain', receipt])
    expect(explained.out).toMatch(/^1\. apple\.md#1 .*\n.*, reranked 7\.900: its place has the score$/m)
    const top = (await store.json(['recall', QUESTION, '--rerank-top', '2'])).json<RecallResult>()
    expect(top.passages[0]?.source).toBe('apple.md')
    const plain = (await store.json(['recall', QUESTION])).json<RecallResult>()
    expect(plain.passages.map(({ parts }) => parts.rerank)).toEqual([null, null])
  })

  test('without a reranking model the passages come all the same', async () => {
    const run = await store.run(['recall', QUESTION, '--rerank'])
    expect(run.code).toBe(0)
    expect(run.out).toContain(
      'degraded: rerank: MODEL_NOT_CONFIGURED The memory has no reranking model: set reranker.',
    )
    expect(await store.run(['recall', QUESTION, '--rerank-top', '0'])).toMatchObject({ code: 2 })
  })
})

const REPLY = {
  finishReason: 'stop',
  usage: { inputTokens: null, outputTokens: null, reasoningTokens: null, costUsd: null },
} as const
