import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import type { StoredChunk } from '../store/queries/chunks.ts'
import { pack } from './pack.ts'
import type { Candidate } from './rank.ts'

const analyser = createAnalyser('english')

function candidate(chunkId: number, score: number, tokens: number, text: string): Candidate {
  // Packing reads id, tokens and text alone.
  const chunk = { chunkId, tokens, text } as unknown as StoredChunk
  return { chunk, score, cue: null, parts: { channels: {}, ranks: {}, features: {}, fused: score, lift: 1 } }
}

describe('pack', () => {
  it('takes the best without a budget', () => {
    const candidates = [1, 2, 3].map((id) => candidate(id, 1 / id, 100, `text ${id}`))
    const packed = pack(candidates, { limit: 2, tokenBudget: null, fusion: 'learned' }, analyser)
    expect(packed.chosen.map(({ chunk }) => chunk.chunkId)).toEqual([1, 2])
    expect(packed.tokens).toBe(200)
  })

  it('leaves out the repetition of a better passage for another one', () => {
    const candidates = [
      candidate(1, 0.8, 10, 'The ferry leaves Bergen at noon.'),
      candidate(2, 0.79, 10, 'The ferry leaves Bergen at noon!'),
      candidate(3, 0.5, 10, 'Tickets are sold aboard.'),
    ]
    const packed = pack(candidates, { limit: 5, tokenBudget: 20, fusion: 'learned' }, analyser)
    expect(packed.chosen.map(({ chunk }) => chunk.chunkId)).toEqual([1, 3])
  })

  it('keeps budget, limit and order, whatever the scores', () => {
    const list = fc.array(
      fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.integer({ min: 1, max: 60 }), fc.string()),
      { maxLength: 70 },
    )
    fc.assert(
      fc.property(list, fc.nat(300), fc.integer({ min: 1, max: 12 }), (entries, tokenBudget, limit) => {
        const candidates = entries
          .map(([score, tokens, text], i) => candidate(i, score, tokens, text))
          .sort((a, b) => b.score - a.score)
        const { chosen, tokens } = pack(candidates, { limit, tokenBudget, fusion: 'standard' }, analyser)
        expect(tokens).toBeLessThanOrEqual(tokenBudget)
        expect(chosen.length).toBeLessThanOrEqual(limit)
        expect(chosen).toEqual(candidates.filter((one) => chosen.includes(one)))
      }),
      { numRuns: 50 },
    )
  })
})
