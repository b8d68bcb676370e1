import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmbeddingModel } from '../../src/providers/embedding-model.ts'

const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

/** What every embedding model must do. `alike`: least cosine of a text with itself in other company. */
export function describeEmbeddingModel(
  name: string,
  make: () => Promise<EmbeddingModel>,
  { alike = 0.999 }: { readonly alike?: number } = {},
): void {
  describe(`embedding model: ${name}`, () => {
    let model: EmbeddingModel
    beforeAll(async () => {
      model = await make()
    })
    afterAll(() => model.close())
    const embed = (texts: readonly string[]) => model.embed(texts, { purpose: 'symmetric' })

    test('gives one unit vector of its dimension a text, in order', async () => {
      const texts = ['a fox runs', 'the bank raised its rates by a quarter of a per cent', 'ok', '']
      const vectors = await embed(texts)
      expect(vectors).toHaveLength(texts.length)
      for (const vector of vectors) {
        expect(vector).toHaveLength(model.dimension)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
      }
      const backwards = await embed([...texts].reverse())
      backwards.reverse().forEach((vector, i) => {
        expect(cosine(vector, vectors[i]!)).toBeGreaterThan(alike)
      })
    })

    test('gives nothing for nothing', async () => {
      expect(await embed([])).toEqual([])
    })

    test('puts texts that share words nearer than others', async () => {
      const [a, b, c] = await embed(['red apples and pears', 'red apples and plums', 'quarterly tax report'])
      expect(cosine(a!, b!)).toBeGreaterThan(cosine(a!, c!))
    })

    test('takes halves of surrogate pairs, NUL, control characters and any script', async () => {
      const texts = [
        '\ud800',
        'a\udc00b',
        'nul\u0000byte',
        '\u0007\u001b',
        '你好 мир שלום',
        '🤷🏾‍♀️',
        ' \n\t ',
      ]
      for (const vector of await embed(texts)) expect(Math.hypot(...vector)).toBeCloseTo(1, 4)
    })

    test('splits a text over its window and tells so', async () => {
      const sentence = 'the quick brown fox jumps over the lazy dog '
      const long = sentence.repeat(Math.ceil((model.maxTokens * 2.5) / model.countTokens(sentence)))
      const splits: [number, number][] = []
      const onSplit = (index: number, parts: number): void => {
        splits.push([index, parts])
      }
      const vectors = await model.embed(['short', long, sentence], { purpose: 'symmetric', onSplit })
      expect(splits).toEqual([[1, 3]])
      expect(cosine(vectors[1]!, vectors[2]!)).toBeGreaterThan(cosine(vectors[1]!, vectors[0]!))
    })

    test('refuses a call that was cancelled before', async () => {
      const call = model.embed(['never'], { purpose: 'query', signal: AbortSignal.abort() })
      await expect(call).rejects.toMatchObject({ code: 'CANCELLED' })
    })

    test('refuses calls after close, which may be repeated', async () => {
      const other = await make()
      await other.close()
      await other.close()
      await expect(other.embed(['x'], { purpose: 'query' })).rejects.toMatchObject({ code: 'CLOSED' })
    })
  })
}
