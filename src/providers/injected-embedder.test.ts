import { describe, expect, test } from 'vitest'
import { createInjectedEmbedder, type InjectedEmbedder } from './injected-embedder.ts'

const symmetric = { purpose: 'symmetric' } as const
const model = (embed: InjectedEmbedder['embed'], more: Partial<InjectedEmbedder> = {}) =>
  createInjectedEmbedder({ modelId: 'mine', dimension: 2, embed, ...more })
const fixed = (vectors: unknown) =>
  // what JavaScript may return
  model(async () => vectors as readonly number[][])

describe('an injected embedder', () => {
  test('makes unit vectors of what the function returns', async () => {
    expect(await fixed([[3, 4], new Float32Array([0, -2])]).embed(['a', 'b'], symmetric)).toEqual([
      Float32Array.of(0.6, 0.8),
      Float32Array.of(0, -1),
    ])
  })

  test.each([
    ['too few vectors', []],
    [
      'too many',
      [
        [1, 0],
        [1, 0],
      ],
    ],
    ['nothing', undefined],
    ['another dimension', [[1, 0, 0]]],
    ['a hole', [null]],
    ['zero', [[0, 0]]],
    ['what is not a number', [[Number.NaN, 1]]],
    ['infinity', [[Number.POSITIVE_INFINITY, 1]]],
  ])('refuses %s', async (_, vectors) => {
    await expect(fixed(vectors).embed(['a'], symmetric)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      hint: expect.any(String),
    })
  })

  test('reports what the function throws, with its cause', async () => {
    const cause = new Error('quota exceeded')
    const failing = model(() => Promise.reject(cause))
    await expect(failing.embed(['a'], symmetric)).rejects.toMatchObject({
      code: 'MODEL_FAILED',
      message: expect.stringContaining('quota exceeded'),
      cause,
    })
    const synchronous = model(() => {
      throw cause
    })
    await expect(synchronous.embed(['a'], symmetric)).rejects.toMatchObject({ code: 'MODEL_FAILED', cause })
  })

  test('asks in calls of limited size, with the purpose', async () => {
    const calls: unknown[] = []
    const counting = model(
      async (texts, { purpose }) => {
        calls.push([texts.length, purpose])
        return texts.map(() => [1, 0])
      },
      { maxTextsPerCall: 2 },
    )
    expect(await counting.embed(['a', 'b', 'c'], { purpose: 'query' })).toHaveLength(3)
    expect(calls).toEqual([
      [2, 'query'],
      [1, 'query'],
    ])
  })

  test('splits by its own estimate of tokens when it is given none', async () => {
    const splits: number[][] = []
    const short = model(async (texts) => texts.map(() => [1, 0]), { maxTokens: 10 })
    await short.embed(['word '.repeat(12)], { ...symmetric, onSplit: (...told) => splits.push(told) })
    expect(splits).toEqual([[0, 3]])
    expect(short.countTokens('abcdef你好')).toBe(4)
  })

  test.each([{ dimension: 0 }, { dimension: 1.5 }, { maxTokens: -1 }, { modelId: '' }, { embed: undefined }])(
    'refuses %j',
    (wrong) => {
      const description = { modelId: 'mine', dimension: 2, embed: async () => [], ...wrong }
      // what JavaScript may pass
      expect(() => createInjectedEmbedder(description as unknown as InjectedEmbedder)).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    },
  )
})
