import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateOf } from './estimate.ts'
import { HEADING_TOKENS, planBatches, weightOf } from './plan-batches.ts'

const document = (documentId: number, tokens: number, chunks = 1) => ({
  ...{ documentId, source: `s${documentId}`, chunks, tokens },
})

describe('batches', () => {
  test('hold whole documents up to the limit, in their order; a long one is alone', () => {
    const documents = [document(1, 100), document(2, 100), document(3, 900, 4), document(4, 50)]
    const batches = planBatches(documents, 300)
    expect(batches.map((batch) => batch.documents.map((one) => one.documentId))).toEqual([[1, 2], [3], [4]])
    expect(batches.map(({ calls }) => calls)).toEqual([1, Math.ceil((900 + 4 * HEADING_TOKENS) / 300), 1])
  })

  test('have every document once and none above the limit but what is longer by itself', () => {
    const documents = fc.array(
      fc.record({ tokens: fc.nat({ max: 3000 }), chunks: fc.integer({ min: 1, max: 9 }) }),
    )
    fc.assert(
      fc.property(documents, fc.integer({ min: 200, max: 2000 }), (sizes, limit) => {
        const all = sizes.map(({ tokens, chunks }, i) => document(i + 1, tokens, chunks))
        const batches = planBatches(all, limit)
        expect(batches.flatMap((batch) => batch.documents)).toEqual(all)
        for (const batch of batches) {
          const weight = batch.documents.reduce((sum, one) => sum + weightOf(one), 0)
          if (batch.documents.length > 1) expect(weight).toBeLessThanOrEqual(limit)
          expect(batch.calls).toBe(Math.max(1, Math.ceil(weight / limit)))
        }
      }),
    )
  })
})

describe('the estimate', () => {
  test('of nothing is nothing', () => {
    expect(estimateOf([], [], { input: 1, output: 1 })).toEqual({
      ...{ documents: 0, chunks: 0, textTokens: 0, batches: 0, calls: 0 },
      ...{ inputTokens: 0, outputTokens: 0, costUsd: 0 },
    })
  })

  test('has a price where both prices are known, and at least the tokens of the text', () => {
    const documents = [document(1, 10_000, 10), document(2, 500, 2)]
    const batches = planBatches(documents, 4_000)
    const estimate = estimateOf(documents, batches, { input: 2, output: 10 })
    expect(estimate).toMatchObject({ documents: 2, chunks: 12, textTokens: 10_500, batches: 4 })
    expect(estimate.inputTokens).toBeGreaterThan(10_500)
    const { inputTokens, outputTokens, costUsd } = estimate
    expect(costUsd).toBeCloseTo((inputTokens * 2 + outputTokens * 10) / 1e6, 9)
    expect(estimateOf(documents, batches, { input: 2, output: null }).costUsd).toBe(null)
  })
})
