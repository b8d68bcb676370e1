import { describe, expect, it } from 'vitest'
import type { EmbeddingModel } from '../providers/embedding-model.ts'
import { embedQueries, type QueryView } from './embed-query.ts'
import type { DensePart } from './formulate-rules.ts'

/** Vectors in the plane, by text; what was asked of the model is kept. */
function planeModel(
  angles: Readonly<Record<string, number>>,
): EmbeddingModel & { readonly asked: string[][] } {
  const asked: string[][] = []
  return {
    ...{ modelId: 'plane', dimension: 2, maxTokens: 8, asked },
    embed(texts, { purpose, onSplit }) {
      asked.push([purpose, ...texts])
      return Promise.resolve(
        texts.map((text, i) => {
          if (text.length > 60) onSplit?.(i, 3)
          const angle = ((angles[text] ?? 0) + (purpose === 'query' ? 1 : 0)) * (Math.PI / 180)
          return Float32Array.from([Math.cos(angle), Math.sin(angle)])
        }),
      )
    },
    countTokens: (text) => text.length,
    close: () => Promise.resolve(),
  }
}

const VIEWS = new Set<QueryView>(['content', 'window', 'cues'])
const part = (text: string, change: Partial<DensePart> = {}): DensePart => ({
  ...{ origin: 'message', texts: [{ text, purpose: 'query' }], weight: 1 },
  ...change,
})
const degrees = (vector: Float32Array | undefined): number =>
  (Math.atan2(vector?.[1] ?? 0, vector?.[0] ?? 0) * 180) / Math.PI

describe('embedQueries', () => {
  it('embeds a text once a purpose, without the names of speakers for content', async () => {
    const model = planeModel({ 'Where did Ann go?': 10, 'Where did go?': 20 })
    const texts = [{ text: 'Where did Ann go?', purpose: 'query' as const, nameless: 'Where did go?' }]
    const vectors = await embedQueries(
      () => Promise.resolve(model),
      [[part('', { texts })]],
      VIEWS,
      undefined,
    )
    expect(model.asked).toEqual([
      ['query', 'Where did go?', 'Where did Ann go?'],
      ['symmetric', 'Where did Ann go?'],
    ])
    expect(degrees(vectors.content?.[0])).toBeCloseTo(21, 4)
    expect(degrees(vectors.window?.[0])).toBeCloseTo(11, 4)
    expect(degrees(vectors.cues?.[0])).toBeCloseTo(10, 4)
  })

  it('embeds eight windows of a text that fills more, and says so', async () => {
    const model = planeModel({})
    const vectors = await embedQueries(
      () => Promise.resolve(model),
      [[part('abc '.repeat(500))]],
      VIEWS,
      undefined,
    )
    for (const texts of model.asked) {
      expect(texts.slice(1).every((text) => text.length <= 8 * 8)).toBe(true)
    }
    expect(vectors.notes).toEqual([
      'embedding: a text of 2000 characters fills 500 windows of the model: 8 embedded, spread over it',
    ])
  })

  it('asks the model only for what is met', async () => {
    const model = planeModel({})
    const vectors = await embedQueries(
      () => Promise.resolve(model),
      [[part('a')]],
      new Set(['cues']),
      undefined,
    )
    expect(model.asked).toEqual([['symmetric', 'a']])
    expect([vectors.content, vectors.window]).toEqual([null, null])
  })

  it('leans on the exchange by its weight while the topic stays, and not after it changed', async () => {
    const ask = async (exchangeAngle: number): Promise<[number, number]> => {
      const model = planeModel({ message: 0, before: exchangeAngle })
      const texts = [{ text: 'before', purpose: 'query' as const }]
      const exchange = part('', { origin: 'exchange', texts, weight: 1 })
      const queries = [[part('message'), exchange]]
      const vectors = await embedQueries(() => Promise.resolve(model), queries, VIEWS, undefined)
      return [vectors.exchange, degrees(vectors.cues?.[0])]
    }
    expect(await ask(20)).toEqual([1, expect.closeTo(10, 4)])
    expect(await ask(120)).toEqual([0, expect.closeTo(0, 4)])
  })

  it('tells of a text that had to be split', async () => {
    const long = 'x'.repeat(61)
    const vectors = await embedQueries(
      () => Promise.resolve({ ...planeModel({}), maxTokens: 32 }),
      [[part(long)]],
      VIEWS,
      undefined,
    )
    expect(vectors.notes).toEqual(['embedding: a text of 61 characters is over the window: 3 parts averaged'])
  })

  it('names the model as the reason for whatever it raises or gets wrong', async () => {
    const ask = (model: () => Promise<EmbeddingModel>): Promise<unknown> =>
      embedQueries(model, [[part('a')]], VIEWS, undefined)
    const failing = { ...planeModel({}), embed: () => Promise.reject(new Error('out of memory')) }
    const short = { ...planeModel({}), embed: () => Promise.resolve([]) }
    await expect(ask(() => Promise.reject(new Error('no file')))).rejects.toMatchObject({
      code: 'MODEL_FAILED',
    })
    await expect(ask(() => Promise.resolve(failing))).rejects.toMatchObject({ code: 'MODEL_FAILED' })
    await expect(ask(() => Promise.resolve(short))).rejects.toMatchObject({ code: 'MODEL_FAILED' })
  })
})
