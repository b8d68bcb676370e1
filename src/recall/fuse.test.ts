import { describe, expect, it } from 'vitest'
import { CHANNELS, type Channel } from '../domain/recall.ts'
import { sigmoid } from '../math/logistic.ts'
import { FEATURES } from './features.ts'
import { effectiveWeights, fuse } from './fuse.ts'
import { LEARNED_WEIGHTS, STANDARD_WEIGHTS } from './fusion-weights.ts'

const ONES = Object.fromEntries(CHANNELS.map((channel) => [channel, 1])) as Record<Channel, number> // all channels

/** Columns of zeros but for the named features. */
function columns(values: Readonly<Record<string, readonly number[]>>, n: number): number[][] {
  return FEATURES.map(({ name }) => [...(values[name] ?? new Array<number>(n).fill(0))])
}

describe('fuse', () => {
  it('knows every feature that has a weight', () => {
    const names = FEATURES.map((feature) => feature.name)
    for (const { weights } of [LEARNED_WEIGHTS, STANDARD_WEIGHTS]) {
      for (const name of Object.keys(weights)) expect(names).toContain(name)
    }
    expect(new Set(names).size).toBe(names.length)
  })

  it('gives probabilities under learned: sigmoid of bias and weighted features', () => {
    const fused = fuse('learned', ONES, columns({ z_cue: [2, 0] }, 2), [{}, {}])
    const weight = LEARNED_WEIGHTS.weights.z_cue ?? Number.NaN
    expect(fused[0]).toBeCloseTo(sigmoid(LEARNED_WEIGHTS.bias + 2 * weight), 12)
    expect(fused[1]).toBeCloseTo(sigmoid(LEARNED_WEIGHTS.bias), 12)
  })

  it('adds standard scores under standard, times the multipliers of the call', () => {
    const values = columns({ z_cue: [2], z_body: [1] }, 1)
    const table = STANDARD_WEIGHTS.weights
    expect(fuse('standard', ONES, values, [{}])[0]).toBeCloseTo(
      2 * (table.z_cue ?? 0) + (table.z_body ?? 0),
      12,
    )
    expect(fuse('standard', { ...ONES, cue: 3, body: 0 }, values, [{}])[0]).toBeCloseTo(
      6 * (table.z_cue ?? 0),
      12,
    )
  })

  it('uses the ranks of the own lists under rrf', () => {
    const fused = fuse('rrf', ONES, columns({}, 2), [{ content: 1, body: 3 }, {}])
    expect(fused[0]).toBeCloseTo(1 / 61 + 1 / 63, 12)
    expect(fused[1]).toBe(0)
    expect(effectiveWeights('rrf', { ...ONES, body: 0 })).toMatchObject({ rrf_body: 0, rrf_content: 1 })
  })

  it('gives an empty list for no candidates', () => {
    for (const fusion of ['learned', 'standard', 'rrf'] as const) {
      expect(fuse(fusion, ONES, columns({}, 0), [])).toHaveLength(0)
    }
  })
})
