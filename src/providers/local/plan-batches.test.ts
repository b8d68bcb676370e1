import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planBatches } from './plan-batches.ts'

const lengths = fc.array(fc.integer({ min: 1, max: 512 }), { maxLength: 200 })

test('every text is in one batch, none with more padded tokens than allowed unless alone', () => {
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 2048 }), (texts, most) => {
      const batches = planBatches(texts, most)
      expect(batches.flat().sort((a, b) => a - b)).toEqual(texts.map((_, i) => i))
      for (const batch of batches) {
        const longest = Math.max(...batch.map((i) => texts[i]!))
        if (batch.length > 1) expect(batch.length * longest).toBeLessThanOrEqual(most)
      }
    }),
  )
})

test('texts of one length share batches, texts of very different length do not', () => {
  expect(planBatches([10, 10, 10, 10], 512)).toEqual([[0, 1, 2, 3]])
  expect(planBatches([10, 10, 10, 10], 20)).toEqual([
    [0, 1],
    [2, 3],
  ])
  expect(planBatches([100, 5, 6], 512)).toEqual([[1, 2], [0]])
  expect(planBatches([], 512)).toEqual([])
})
