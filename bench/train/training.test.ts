import { describe, expect, it } from 'vitest'
import { sigmoid } from '../../src/math/index.ts'
import { FEATURES } from '../../src/testing.ts'
import { abstention, pairsWon, qualityByLevel, reliability } from './evaluate.ts'
import { fitProbability } from './fit-probability.ts'
import { fitRanking } from './fit-ranking.ts'
import { bestOfDocuments, orderOf, scoresOf, seededRandom, type TrainingCase } from './training-case.ts'

/** A case whose named columns are given; all other features are 0. */
function caseWith(
  columns: Readonly<Record<string, readonly number[]>>,
  relevant: readonly number[],
  change: Partial<TrainingCase> = {},
): TrainingCase {
  return {
    ...{ set: 'made', origin: 'asked', fold: 0, level: 'made', documents: null },
    columns: FEATURES.map(({ name }) => Float64Array.from(columns[name] ?? relevant.map(() => 0))),
    relevant: Uint8Array.from(relevant),
    relevantCount: relevant.filter((flag) => flag === 1).length,
    ...change,
  }
}

/** Cases of which content and speaker tell the answer with the given weights, and cue is noise. */
function madeCases(
  count: number,
  weights: { readonly content: number; readonly speaker: number },
): TrainingCase[] {
  const random = seededRandom(5)
  return Array.from({ length: count }, (_, fold) => {
    const draw = (): number[] => Array.from({ length: 12 }, () => 2 * random() - 1)
    const columns = { z_content: draw(), speaker: draw().map(Math.sign), z_cue: draw() }
    const odds = columns.z_content.map((z, i) =>
      Math.exp(weights.content * z + weights.speaker * (columns.speaker[i] ?? 0)),
    )
    const total = odds.reduce((a, b) => a + b, 0)
    let left = random() * total
    const answer = odds.findIndex((share) => {
      left -= share
      return left <= 0
    })
    return caseWith(
      columns,
      odds.map((_odds, i) => (i === answer ? 1 : 0)),
      { fold: fold % 5 },
    )
  })
}

const all = { notNegative: new Set<string>() }

describe('fitRanking', () => {
  it('finds the weights that the answers were drawn by', () => {
    const fitted = fitRanking(
      madeCases(3_000, { content: 2, speaker: 1 }),
      ['z_content', 'speaker', 'z_cue'],
      all,
    )
    expect(Math.abs((fitted.z_content ?? 0) - 2)).toBeLessThan(0.15)
    expect(Math.abs((fitted.speaker ?? 0) - 1)).toBeLessThan(0.1)
    expect(Math.abs(fitted.z_cue ?? 1)).toBeLessThan(0.1)
  })

  it('leaves a feature out that would count against candidates though it may not', () => {
    const cases = madeCases(500, { content: -1, speaker: 1 })
    const free = fitRanking(cases, ['z_content', 'speaker'], all)
    const held = fitRanking(cases, ['z_content', 'speaker'], { ...all, notNegative: new Set(['z_content']) })
    expect(free.z_content).toBeLessThan(-0.5)
    expect(held.z_content).toBe(0)
    expect(held.speaker).toBeGreaterThan(0.5)
  })

  it('refuses cases that tell nothing', () => {
    expect(() => fitRanking([caseWith({}, [0, 0])], ['z_content'], all)).toThrow('no case')
  })
})

describe('bestOfDocuments', () => {
  it('keeps the best candidate of each document', () => {
    const one = caseWith({ z_content: [1, 3, 2, 0] }, [0, 1, 0, 0], { documents: ['a', 'a', 'b', 'b'] })
    const best = bestOfDocuments(one, { z_content: 1 })
    expect(best.documents).toEqual(['a', 'b'])
    expect([...best.relevant]).toEqual([1, 0])
    expect([...scoresOf(best, { z_content: 1 })]).toEqual([3, 2])
  })
})

describe('fitProbability', () => {
  it('keeps the order and says how often such candidates are relevant', () => {
    const cases = madeCases(2_000, { content: 2, speaker: 1 })
    const ranking = fitRanking(cases, ['z_content', 'speaker'], all)
    const model = fitProbability(cases, ranking)
    const one = cases[0]!
    expect(orderOf(scoresOf(one, model.weights))).toEqual(orderOf(scoresOf(one, ranking)))
    const probabilities = cases.flatMap((each) =>
      [...scoresOf(each, model.weights)].map((score) => sigmoid(model.bias + score)),
    )
    const mean = probabilities.reduce((a, b) => a + b, 0) / probabilities.length
    expect(mean).toBeCloseTo(1 / 12, 2)
    const { bands, skill } = reliability(cases, () => model)
    for (const [, , count, probability, share] of bands) {
      if (count > 500) expect(Math.abs(probability - share)).toBeLessThan(0.05)
    }
    expect(skill).toBeGreaterThan(0.1)
  })
})

describe('evaluation', () => {
  const model = { bias: 0, weights: { z_content: 1 } }

  it('ranks candidates, and documents by their best candidate', () => {
    const plain = caseWith({ z_content: [3, 2, 1] }, [0, 1, 0])
    const documents = ['a', 'a', 'b']
    const grouped = caseWith({ z_content: [3, 2, 1] }, [0, 0, 1], { documents, level: 'grouped' })
    const rows = qualityByLevel([plain, grouped], () => model)
    expect(rows.made?.mrr).toBe(0.5)
    expect(rows.grouped?.mrr).toBe(0.5)
  })

  it('counts relevant items that no channel brought', () => {
    const rows = qualityByLevel([caseWith({ z_content: [3] }, [1], { relevantCount: 2 })], () => model)
    expect(rows.made).toMatchObject({ any: { 5: 100 }, recall: { 5: 50 } })
  })

  it('tells answered questions from others by their best candidate', () => {
    const answered = caseWith({ z_content: [2, -2] }, [1, 0])
    const foreign = caseWith({ z_content: [-1, -2] }, [0, 0], { origin: 'foreign' })
    const told = abstention([answered, foreign], () => model)
    expect(told.againstForeign).toBe(1)
    expect(told.answered[1]).toBeCloseTo(sigmoid(2), 3)
    expect(told.foreign[1]).toBeCloseTo(sigmoid(-1), 3)
  })

  it('counts ties as half won', () => {
    expect(pairsWon([1, 2], [1, 0])).toBe(0.875)
    expect(pairsWon([], [1])).toBe(0)
  })
})
