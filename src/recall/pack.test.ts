import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createAnalyser } from '../domain/analysis/create-analyser.ts'
import { packBudget, termOverlap } from './pack.ts'
import type { Candidate } from './rank.ts'

const analyser = await createAnalyser('english')

function candidate(chunkId: number, score: number, tokens: number): Candidate {
  const chunk = {
    ...{ chunkId, tokens, documentId: 1, ordinal: chunkId },
    speaker: null,
    happenedAt: null,
    said: null,
    enriched: false,
  }
  return {
    chunk,
    score,
    cue: null,
    parts: { channels: {}, ranks: {}, features: {}, fused: score, lift: 1, rerank: null },
  }
}

describe('pack', () => {
  it('leaves out the repetition of a better passage for another one', () => {
    const pool = [candidate(1, 0.8, 10), candidate(2, 0.79, 10), candidate(3, 0.5, 10)]
    const texts = [
      'The ferry leaves Bergen at noon.',
      'The ferry leaves Bergen at noon!',
      'Tickets are sold aboard.',
    ]
    const alike = termOverlap(texts, analyser)
    const chosen = packBudget(pool, { limit: 5, fusion: 'learned' }, 20, alike)
    expect(chosen.map(({ chunk }) => chunk.chunkId)).toEqual([1, 3])
    expect([alike(0, 1), alike(0, 2), alike(1, 0)]).toEqual([1, 0, 1])
  })

  it('counts texts without terms as unlike', () => {
    expect(termOverlap(['', '…'], analyser)(0, 1)).toBe(0)
  })

  it('keeps budget, limit and order, whatever the scores', () => {
    const list = fc.array(
      fc.tuple(fc.double({ min: -9, max: 9, noNaN: true }), fc.integer({ min: 1, max: 60 })),
      { maxLength: 70 },
    )
    fc.assert(
      fc.property(list, fc.nat(300), fc.integer({ min: 1, max: 12 }), (entries, tokenBudget, limit) => {
        const candidates = entries
          .map(([score, tokens], i) => candidate(i, score, tokens))
          .sort((a, b) => b.score - a.score)
        const alike = (i: number, j: number): number => ((i * 7 + j * 7) % 10) / 10
        const chosen = packBudget(candidates, { limit, fusion: 'standard' }, tokenBudget, alike)
        expect(chosen.reduce((sum, { chunk }) => sum + chunk.tokens, 0)).toBeLessThanOrEqual(tokenBudget)
        expect(chosen.length).toBeLessThanOrEqual(limit)
        expect(chosen).toEqual(candidates.filter((one) => chosen.includes(one)))
      }),
      { numRuns: 50 },
    )
  })
})
