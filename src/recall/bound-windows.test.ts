import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { boundWindows, MOST_WINDOWS } from './bound-windows.ts'

const model = { maxTokens: 64, countTokens: (text: string) => text.match(/\S/gu)?.length ?? 0 }

describe('boundWindows', () => {
  it('leaves a text of few windows as it is', () => {
    expect(boundWindows('Where is Kelly?', model)).toEqual({ text: 'Where is Kelly?', windows: null })
  })

  it('takes windows spread over a long text, its first and its last among them', () => {
    const words = Array.from({ length: 2000 }, (_, i) => `w${i}`)
    const { text, windows } = boundWindows(words.join(' '), model)
    const kept = text.split(' ').map((word) => Number(word.slice(1)))
    expect([kept[0], kept.at(-1)]).toEqual([0, 1999])
    expect(windows).toBeGreaterThan(200)
    expect(model.countTokens(text)).toBeLessThanOrEqual(MOST_WINDOWS * 32)
    for (const middle of [500, 1000, 1500]) {
      expect(kept.some((at) => Math.abs(at - middle) < 200)).toBe(true)
    }
  })

  it('bounds any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 500 }), (piece, times) => {
        const text = piece.repeat(times)
        const bound = boundWindows(text, model)
        expect(model.countTokens(bound.text)).toBeLessThanOrEqual(MOST_WINDOWS * 32)
        if (bound.windows === null) expect(bound.text).toBe(text)
      }),
      { seed: 9, numRuns: 100 },
    )
  })
})
