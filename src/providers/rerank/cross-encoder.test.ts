import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf } from '../../../test/support/test-memory.ts'
import type { RerankingModel } from '../reranking-model.ts'
import { createCrossEncoder } from './cross-encoder.ts'

/** Its logit: equal tokens of question and document, the closing marks among them, less 0.01 a token of the document. */
const TINY = fileURLToPath(new URL('./__fixtures__/tiny-cross-encoder/', import.meta.url))
const PACKAGE_MODEL = fileURLToPath(new URL('../../../models/bge-small-en-v1.5-int8/', import.meta.url))
const QUESTION = 'Who eats the red apple?'

function expectedLogit(question: readonly string[], document: readonly string[]): number {
  const equal = question.flatMap((word) => document.filter((other) => other === word)).length
  return equal + 1 - 0.01 * (document.length + 1)
}

describe('a cross-encoder from a folder', () => {
  let model: RerankingModel
  beforeAll(async () => {
    model = await createCrossEncoder({ modelDir: TINY, threads: 1 })
  })
  afterAll(() => model.close())

  test('reads question and document together: the logits are those that can be told by hand', async () => {
    const documents = ['The cat eats the apple every day.', 'the sofa', '']
    const scores = await model.rerank({ query: QUESTION, documents })
    expect(scores[0]).toBeCloseTo(5 - 0.09, 5)
    expect(scores[1]).toBeCloseTo(2 - 0.03, 5)
    expect(scores[2]).toBeCloseTo(1 - 0.01, 5)
    expect(model.modelId).toBe('local:tiny-cross-encoder')
  })

  test('gives the same in whatever company, whatever the length of its neighbours', async () => {
    const word = fc.constantFrom('the', 'red', 'apple', 'cat', 'sofa', 'day', 'grows', 'zebra')
    const document = fc.array(word, { maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 12 }), async (documents) => {
        const scores = await model.rerank({ query: QUESTION, documents: documents.map((d) => d.join(' ')) })
        const question = ['who', 'eats', 'the', 'red', 'apple', '?']
        documents.forEach((words, i) => {
          expect(scores[i]).toBeCloseTo(expectedLogit(question, words), 4)
        })
      }),
      { numRuns: 25 },
    )
  })

  test('judges a document over its window by the beginning, and says so', async () => {
    const notes: string[] = []
    const long = `${'cat '.repeat(15)}${'apple '.repeat(50)}`
    const documents = [long, 'the cat']
    const scores = await model.rerank({ query: QUESTION, documents, onNote: (note) => void notes.push(note) })
    // 24 tokens in all: 3 of them special, 6 of the question, 15 of the document, none an apple
    expect(scores[0]).toBeCloseTo(1 - 0.16, 5)
    expect(notes).toEqual(['1 of 2 passages are over the window of 24 tokens: judged by their beginning'])
  })

  test('a question takes half of the window at most', async () => {
    const notes: string[] = []
    const onNote = (note: string): void => void notes.push(note)
    const [score] = await model.rerank({ query: 'apple '.repeat(40), documents: ['apple'], onNote })
    expect(score).toBeCloseTo(10 + 1 - 0.02, 5)
    expect(notes).toEqual(['the question has 40 tokens: the first 10 were read'])
  })

  test('takes halves of surrogate pairs, control characters and any script', async () => {
    const scores = await model.rerank({ query: '\ud800 你好', documents: ['a\udc00\u0000', '🤷🏾‍♀️', ' \n '] })
    expect(scores.every((score) => Number.isFinite(score))).toBe(true)
  })

  test('gives nothing for nothing, stops for its signal', async () => {
    expect(await model.rerank({ query: QUESTION, documents: [] })).toEqual([])
    const signal = AbortSignal.abort()
    expect(await codeOf(model.rerank({ query: QUESTION, documents: ['a'], signal }))).toBe('CANCELLED')
  })

  test('runs alike in WebAssembly', async () => {
    const wasm = await createCrossEncoder({ modelDir: TINY, runtime: 'wasm' })
    const [score] = await wasm.rerank({ query: QUESTION, documents: ['The cat eats the apple every day.'] })
    expect(score).toBeCloseTo(4.91, 4)
    await wasm.close()
    await wasm.close()
    expect(await codeOf(wasm.rerank({ query: QUESTION, documents: ['a'] }))).toBe('CLOSED')
  })
})

describe('a folder that is none of a cross-encoder', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cross-encoder-'))
  })
  afterAll(() => rm(folder, { recursive: true }))
  const copied = async (name: string): Promise<string> => {
    const copy = join(folder, name)
    await cp(TINY, copy, { recursive: true })
    return copy
  }

  test.each(['model.onnx', 'tokenizer.json'])('without %s it is told by name', async (missing) => {
    const modelDir = await copied(missing)
    await rm(join(modelDir, missing))
    const opening = createCrossEncoder({ modelDir })
    await expect(opening).rejects.toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: expect.stringContaining(`has no ${missing}`),
      hint: expect.stringContaining('tokenizer.json'),
    })
  })

  test('a damaged tokeniser, one of another kind, a damaged config are told', async () => {
    const modelDir = await copied('damaged')
    await writeFile(join(modelDir, 'tokenizer.json'), '{"model":')
    expect(await codeOf(createCrossEncoder({ modelDir }))).toBe('MODEL_NOT_FOUND')
    await writeFile(join(modelDir, 'tokenizer.json'), '{"model":{"type":"Unigram"}}')
    await expect(createCrossEncoder({ modelDir })).rejects.toThrow('is not of BERT’s kind')
    await writeFile(join(modelDir, 'config.json'), 'no')
    await expect(createCrossEncoder({ modelDir })).rejects.toThrow('config.json')
  })

  test('a damaged model is told at the first call, an embedding model by its output', async () => {
    const modelDir = await copied('broken')
    await writeFile(join(modelDir, 'model.onnx'), 'no model')
    const broken = await createCrossEncoder({ modelDir })
    expect(await codeOf(broken.rerank({ query: 'a', documents: ['b'] }))).toBe('MODEL_NOT_FOUND')
    await broken.close()
    const embedder = await createCrossEncoder({ modelDir: PACKAGE_MODEL, threads: 1 })
    await expect(embedder.rerank({ query: 'a', documents: ['b'] })).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      hint: expect.stringContaining('sequence-classification'),
    })
    await embedder.close()
  })
})
